import type { Channel, EventName } from '@ringback/rules';
import type { Database } from '../connection/database.js';
import type { Attempt, Delivery } from '../generated/client.js';
import { DeliveryState, EventState } from '../generated/enums.js';
import { isUuid } from '../sql/ids.js';
import { type AdjacentCursors, type CursorPageRequest, cutPage } from '../sql/pages.js';
import {
  buildDeliverySearch,
  type DeliveryFilter,
  logJoinsSql,
  type SearchParameters,
  type SearchSql,
  searchStatements,
} from './delivery-search.js';
import { waitingSql } from './due.js';
import { boolean, enumOf, integer, type RowOf, select, text, timestamp, uuid } from '../sql/columns.js';
import { statement } from '../sql/statement.js';

/** What the log shows of the rows that `logJoinsSql` joins. */
const logged = select({
  id: ['d.id', uuid],
  webhookId: ['d.webhook_id', uuid],
  eventId: ['d.event_id', uuid],
  eventName: ['e.name', text.as<EventName>().withoutNulls],
  messageId: ['e.message_id', text.orNull],
  mobile: ['e.mobile', text.orNull],
  channel: ['d.channel', text.as<Channel>()],
  state: ['d.state', enumOf('delivery_state', DeliveryState)],
  reason: ['d.reason', text.orNull],
  attemptCount: ['d.attempt_count', integer],
  /** The newest attempt's outcome, status code and advice; null without an attempt. */
  outcome: ['a.outcome', text.orNull],
  statusCode: ['a.status_code', integer.orNull],
  advice: ['a.advice', text.orNull],
  /** Null when the state is final, and while the webhook is paused. */
  dueAt: ['CASE WHEN NOT p.paused THEN d.due_at END', timestamp.orNull],
  /** The delivery is pending and its webhook is paused. */
  isPaused: ['p.paused', boolean],
  createdAt: ['d.created_at', timestamp],
  updatedAt: ['d.updated_at', timestamp],
});

/** A delivery in the log, with fields of its event and of its newest attempt. */
export type LoggedDelivery = RowOf<(typeof logged)['columns']>;

/** A page of the log, newest first. */
type LogPage = { deliveries: LoggedDelivery[] } & AdjacentCursors;

// Maximum rows that the search for one page examines.
const maxExamined = 5_000;

const pageSql = (direction: 'ASC' | 'DESC') => (search: SearchSql) =>
  statement<SearchParameters & { limit: number }>(`SELECT ${logged.sql}
    FROM (${search.examinedIdsSql(direction, maxExamined)}) c
      CROSS JOIN LATERAL (SELECT * FROM deliveries WHERE id = c.id OFFSET 0) d ${logJoinsSql}
    WHERE ${search.conditionsSql} ORDER BY c.id ${direction} LIMIT $limit`).returns(logged.columns);
const lastExaminedSql = (direction: 'ASC' | 'DESC') => (search: SearchSql) =>
  statement<SearchParameters & { limit: number }>(`SELECT c.id FROM (${search.examinedIdsSql(direction, maxExamined)}) c
    ORDER BY c.id ${direction} OFFSET ${maxExamined - 1} LIMIT 1`).returns({ id: uuid });
const statementsTowards = (direction: 'ASC' | 'DESC') => ({
  pageOf: searchStatements(pageSql(direction)),
  lastExaminedOf: searchStatements(lastExaminedSql(direction)),
});
const olderStatements = statementsTowards('DESC');
const newerStatements = statementsTowards('ASC');

type LogRequest = { filter: DeliveryFilter; webhookIds?: readonly string[] | undefined } & CursorPageRequest;

/**
 * One page of the account's deliveries, newest first; with `webhookIds` only those of these webhooks. If some
 * conditions of the filter have no index, a page ends after 5,000 examined rows, full or not, and the next page
 * continues there. So the time for a page does not depend on the length of the log, but with a message id or mobile
 * number it grows with that number's deliveries.
 */
export async function listDeliveries(
  db: Database,
  accountId: string,
  { filter, webhookIds, cursor, perPage }: LogRequest,
): Promise<LogPage> {
  const towardsOlder = cursor?.towardsOlder ?? true;
  const { webhookId } = filter;
  if (webhookId !== undefined && webhookIds?.includes(webhookId) === false)
    return { deliveries: [], older: null, newer: null };
  const needsWebhookFilter = webhookId === undefined && webhookIds !== undefined;
  const search = buildDeliverySearch(accountId, filter, cursor, needsWebhookFilter ? webhookIds : undefined);
  const { pageOf, lastExaminedOf } = towardsOlder ? olderStatements : newerStatements;
  const values = { ...search.parameters, limit: perPage + 1 };
  const rows = await pageOf(search).rows(db.pool, values);
  const lastExamined = rows.length > perPage ? undefined : (await lastExaminedOf(search).row(db.pool, values))?.id;
  const { rows: deliveries, ...cursors } = cutPage(rows, { cursor, perPage }, lastExamined);
  return { deliveries, ...cursors };
}

/** A delivery with all fields of its event, and its attempts. */
export type DeliveryDetail = LoggedDelivery & {
  identity: string | null;
  payload: string;
  receivedAt: Date;
  /** The newest 100 attempts, oldest first. */
  attempts: Attempt[];
};

const maxAttemptsShown = 100;

const findStatement = statement<{ id: string; accountId: string }>(
  `SELECT ${logged.sql}, e.identity, e.payload, e.received_at AS "receivedAt" FROM deliveries d ${logJoinsSql}
    WHERE d.id = $id AND d.account_id = $accountId`,
).returns({ ...logged.columns, identity: text.orNull, payload: text.withoutNulls, receivedAt: timestamp });

/** A delivery of the account. Null for an id that is unknown, malformed, or of another account's delivery. */
export async function findDelivery(db: Database, accountId: string, id: string): Promise<DeliveryDetail | null> {
  if (!isUuid(id)) return null;
  const delivery = await findStatement.row(db.pool, { id, accountId });
  if (!delivery) return null;
  const newest = { where: { deliveryId: id }, orderBy: { number: 'desc' as const }, take: maxAttemptsShown };
  const attempts = await (await db.prisma()).attempt.findMany(newest);
  return { ...delivery, attempts: attempts.reverse() };
}

const findAccountStatement = statement<{ id: string }>(
  'SELECT account_id AS "accountId" FROM deliveries WHERE id = $id',
).returns({ accountId: uuid });

/** The account of a delivery, for operators. Null when no delivery has this id. */
export async function findAccountOfDelivery(db: Database, id: string): Promise<string | null> {
  if (!isUuid(id)) return null;
  return (await findAccountStatement.row(db.pool, { id }))?.accountId ?? null;
}

const maxEvents = 200;

const messageEventsStatement = statement<{
  accountId: string;
  messageId: string;
  webhookIds: readonly string[] | null;
}>(`SELECT e.id, e.name, e.identity, e.mobile, e.state, e.payload, e.received_at AS "receivedAt" FROM events e
    WHERE e.account_id = $accountId AND e.message_id = $messageId AND e.state <> 'rejected'
      AND ($webhookIds::uuid[] IS NULL
        OR EXISTS (SELECT FROM deliveries d WHERE d.event_id = e.id AND d.webhook_id = ANY($webhookIds)))
    ORDER BY e.id LIMIT ${maxEvents}`).returns({
  id: uuid,
  name: text.as<EventName>().withoutNulls,
  identity: text.orNull,
  mobile: text.orNull,
  state: enumOf('event_state', EventState).as<'routed' | 'unrouted'>(),
  payload: text.withoutNulls,
  receivedAt: timestamp,
});

const messageDeliveriesStatement = statement<{
  accountId: string;
  eventIds: string[];
  webhookIds: readonly string[] | null;
}>(`SELECT ${logged.sql} FROM deliveries d ${logJoinsSql} WHERE d.event_id = ANY($eventIds::uuid[])
      AND d.account_id = $accountId AND ($webhookIds::uuid[] IS NULL OR d.webhook_id = ANY($webhookIds))
    ORDER BY d.id`).returns(logged.columns);

const messageAttemptsStatement = statement<{ deliveryIds: string[] }>(`SELECT delivery_id AS "deliveryId", number, kind,
      started_at AS "startedAt", duration_ms AS "durationMs", outcome, status_code AS "statusCode", advice
    FROM attempts WHERE delivery_id = ANY($deliveryIds::uuid[]) ORDER BY delivery_id, number`).returns({
  deliveryId: uuid,
  number: integer,
  kind: text.orNull,
  startedAt: timestamp,
  durationMs: integer,
  outcome: text,
  statusCode: integer.orNull,
  advice: text.orNull,
});

/** An event of a message. Rejected events are left out. */
type MessageEvent = Awaited<ReturnType<typeof messageEventsStatement.rows>>[number];

/** An attempt without its request and response. */
export type BriefAttempt = Awaited<ReturnType<typeof messageAttemptsStatement.rows>>[number];

/**
 * What happened to one message: its oldest 200 events, their deliveries, and the deliveries' attempts. Events and
 * deliveries are sorted oldest first, and so are the attempts of each delivery.
 */
export type MessageTimeline = {
  events: MessageEvent[];
  deliveries: LoggedDelivery[];
  attempts: BriefAttempt[];
  /** The URL of the installation that has the other half of the account's history; null if the account never moved. */
  otherInstallation: string | null;
};

const otherInstallationStatement = statement<{ accountId: string }>(
  'SELECT other_installation AS "otherInstallation" FROM accounts WHERE id = $accountId',
).returns({ otherInstallation: text.orNull });

/**
 * The timeline of a message. With `webhookIds` it has only deliveries to these webhooks, and only events that have such
 * a delivery. Null when it would have no event, unless another installation has the other half of the account's
 * history.
 */
export async function findMessageTimeline(
  db: Database,
  accountId: string,
  messageId: string,
  webhookIds?: readonly string[],
): Promise<MessageTimeline | null> {
  const visible = { accountId, webhookIds: webhookIds ?? null };
  const events = await messageEventsStatement.rows(db.pool, { ...visible, messageId });
  const [{ otherInstallation = null } = {}] = await otherInstallationStatement.rows(db.pool, { accountId });
  if (events.length === 0 && otherInstallation === null) return null;
  const eventIds = events.map(({ id }) => id);
  const deliveries = await messageDeliveriesStatement.rows(db.pool, { ...visible, eventIds });
  const deliveryIds = deliveries.map(({ id }) => id);
  const attempts = await messageAttemptsStatement.rows(db.pool, { deliveryIds });
  return { events, deliveries, attempts, otherInstallation };
}

/** A row of `deliveries` with its rows of `attempts`, oldest first. */
export type DeliveryWithAttempts = Delivery & { attempts: Attempt[] };

/**
 * The newest deliveries of one account or of all, at most `limit`, newest first and with their attempts, for operators.
 * Each other field of the filter, if present, restricts the list.
 */
export async function listNewestDeliveries(
  db: Database,
  filter: { accountId?: string; webhookId?: string; eventId?: string; state?: Delivery['state']; limit: number },
): Promise<DeliveryWithAttempts[]> {
  const { limit, ...where } = filter;
  const include = { attempts: { orderBy: { number: 'asc' as const } } };
  return (await db.prisma()).delivery.findMany({ where, orderBy: { id: 'desc' }, take: limit, include });
}

/**
 * The number of waiting deliveries. `isCapped`: there are more than `count`. `retries`: how many of the counted ones
 * have had an attempt.
 */
export type WaitingCount = { count: number; isCapped: boolean; retries: number };

const maxWaiting = 10_000;

// Uses the index `deliveries_claim_idx` for each webhook.
const countStatement = statement<{ accountId: string; webhookIds: readonly string[] | null }>(`
  SELECT count(*)::int AS count, (count(*) FILTER (WHERE attempt_count > 0))::int AS retries FROM (
    SELECT d.attempt_count FROM webhooks w CROSS JOIN LATERAL (
        SELECT attempt_count FROM deliveries WHERE webhook_id = w.id AND ${waitingSql}
          LIMIT ${maxWaiting + 1}) d
      WHERE w.account_id = $accountId AND ($webhookIds::uuid[] IS NULL OR w.id = ANY($webhookIds))
      LIMIT ${maxWaiting + 1}) found`).returns({ count: integer, retries: integer });

/**
 * Counts the deliveries of the account's webhooks, or of these `webhookIds`, that wait without a lease, up to 10,000.
 */
export async function countWaiting(
  db: Database,
  accountId: string,
  { webhookIds = null }: { webhookIds?: readonly string[] | null | undefined },
): Promise<WaitingCount> {
  const row = await countStatement.row(db.pool, { accountId, webhookIds });
  const { count, retries } = row ?? { count: 0, retries: 0 };
  return { count: Math.min(count, maxWaiting), isCapped: count > maxWaiting, retries: Math.min(retries, maxWaiting) };
}
