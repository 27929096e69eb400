import type { Channel, EventName } from '@ringback/rules';
import type { Database } from '../connection/database.js';
import type { Attempt, Delivery } from '../generated/client.js';
import { isUuid } from '../sql/ids.js';
import { type AdjacentCursors, type CursorPageRequest, cutPage } from '../sql/pages.js';
import { unpreparedStatement } from '../sql/statement.js';
import { buildDeliverySearch, type DeliveryFilter, type DeliverySearch, logJoinsSql } from './delivery-search.js';
import { waitingSql } from './due.js';

/** A delivery in the log, with fields of its event and of its newest attempt. */
export type LoggedDelivery = {
  id: string;
  webhookId: string;
  eventId: string;
  eventName: EventName;
  messageId: string | null;
  mobile: string | null;
  channel: Channel;
  state: 'pending' | 'delivered' | 'failed' | 'skipped';
  reason: string | null;
  attemptCount: number;
  /** The newest attempt's outcome and status code; null without an attempt. */
  outcome: string | null;
  statusCode: number | null;
  /** Null when the state is final, and while the webhook is paused. */
  dueAt: Date | null;
  /** The delivery is pending and its webhook is paused. */
  isPaused: boolean;
  createdAt: Date;
  updatedAt: Date;
};

const columnsSql = `d.id, d.webhook_id AS "webhookId", d.event_id AS "eventId", e.name AS "eventName", e.message_id AS "messageId",
  e.mobile, d.channel, d.state, d.reason, d.attempt_count AS "attemptCount", a.outcome, a.status_code AS "statusCode",
  CASE WHEN NOT p.paused THEN d.due_at END AS "dueAt", p.paused AS "isPaused",
  d.created_at AS "createdAt", d.updated_at AS "updatedAt"`;

/** A page of the log, newest first. */
export type LogPage = { deliveries: LoggedDelivery[] } & AdjacentCursors;

// Maximum rows that the search for one page examines.
const maxExamined = 5_000;

type LogRequest = { filter: DeliveryFilter; webhookIds?: readonly string[] | undefined } & CursorPageRequest;

/**
 * One page of the account's deliveries, newest first; with `webhookIds` only those of these webhooks. If some
 * conditions of the filter have no index, a page ends after 5,000 examined rows, full or not, and the next page
 * continues there. So the time for a page does not depend on the length of the log, but with a message id or mobile
 * number it grows with the number of deliveries that have it.
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
  const { otherConditions, values, indexedValueCount } = search;
  const direction = towardsOlder ? 'DESC' : 'ASC';
  const scanSql = examinedIdsSql(search, direction);
  const { rows } = await db.pool.query<LoggedDelivery>(
    `SELECT ${columnsSql} FROM (${scanSql}) c
      CROSS JOIN LATERAL (SELECT * FROM deliveries WHERE id = c.id OFFSET 0) d ${logJoinsSql}
      WHERE ${otherConditions} ORDER BY c.id ${direction} LIMIT ${perPage + 1}`,
    values,
  );
  const readLastExamined = async () => {
    const lastSql = `SELECT c.id FROM (${scanSql}) c ORDER BY c.id ${direction} OFFSET ${maxExamined - 1} LIMIT 1`;
    const { rows: lastRows } = await db.pool.query<{ id: string }>(lastSql, values.slice(0, indexedValueCount));
    return lastRows[0]?.id;
  };
  const lastExamined = rows.length > perPage ? undefined : await readLastExamined();
  const { rows: deliveries, ...cursors } = cutPage(rows, { cursor, perPage }, lastExamined);
  return { deliveries, ...cursors };
}

/**
 * Selects the ids of the rows that a search examines: the first 5,000 that match its indexed conditions. With a list of
 * webhooks, it reads the rows of each webhook in the order of the index.
 */
function examinedIdsSql(
  { indexedConditions, webhookIdsPlaceholder }: DeliverySearch,
  direction: 'ASC' | 'DESC',
): string {
  const orderSql = `ORDER BY d.id ${direction} LIMIT ${maxExamined}`;
  const scanSql = `SELECT d.id FROM deliveries d WHERE ${indexedConditions} ${orderSql}`;
  return webhookIdsPlaceholder === null
    ? scanSql
    : `SELECT d.id FROM unnest(${webhookIdsPlaceholder}::uuid[]) w(id) CROSS JOIN LATERAL (${scanSql}) d ${orderSql}`;
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

/** A delivery of the account. Null for an id that is unknown, malformed, or of another account's delivery. */
export async function findDelivery(db: Database, accountId: string, id: string): Promise<DeliveryDetail | null> {
  if (!isUuid(id)) return null;
  const { rows } = await db.pool.query<Omit<DeliveryDetail, 'attempts'>>(
    `SELECT ${columnsSql}, e.identity, e.payload, e.received_at AS "receivedAt" FROM deliveries d ${logJoinsSql}
      WHERE d.id = $1 AND d.account_id = $2`,
    [id, accountId],
  );
  const [delivery] = rows;
  if (!delivery) return null;
  const newest = { where: { deliveryId: id }, orderBy: { number: 'desc' as const }, take: maxAttemptsShown };
  const attempts = await db.prisma.attempt.findMany(newest);
  return { ...delivery, attempts: attempts.reverse() };
}

/** The account of a delivery, for operators. Null when no delivery has this id. */
export async function findAccountOfDelivery(db: Database, id: string): Promise<string | null> {
  if (!isUuid(id)) return null;
  const findSql = 'SELECT account_id AS "accountId" FROM deliveries WHERE id = $1';
  const { rows } = await db.pool.query<{ accountId: string }>(findSql, [id]);
  return rows[0]?.accountId ?? null;
}

/** An event of a message. Rejected events are left out. */
export type MessageEvent = {
  id: string;
  name: EventName;
  identity: string | null;
  mobile: string | null;
  state: 'routed' | 'unrouted';
  payload: string;
  receivedAt: Date;
};

/** An attempt without its request and response. */
export type BriefAttempt = Pick<
  Attempt,
  'deliveryId' | 'number' | 'kind' | 'startedAt' | 'durationMs' | 'outcome' | 'statusCode'
>;

/**
 * What happened to one message: its oldest 200 events, their deliveries, and the deliveries' attempts. Events and
 * deliveries are sorted oldest first, and so are the attempts of each delivery.
 */
export type MessageTimeline = { events: MessageEvent[]; deliveries: LoggedDelivery[]; attempts: BriefAttempt[] };

const maxEvents = 200;

/**
 * The timeline of a message. With `webhookIds` it has only deliveries to these webhooks, and only events that have such
 * a delivery. Null when it would have no event.
 */
export async function findMessageTimeline(
  db: Database,
  accountId: string,
  messageId: string,
  webhookIds?: readonly string[],
): Promise<MessageTimeline | null> {
  const visibleWebhookIds = webhookIds ?? null;
  const { rows: events } = await db.pool.query<MessageEvent>(
    `SELECT e.id, e.name, e.identity, e.mobile, e.state, e.payload, e.received_at AS "receivedAt" FROM events e
      WHERE e.account_id = $1 AND e.message_id = $2 AND e.state <> 'rejected' AND ($3::uuid[] IS NULL
        OR EXISTS (SELECT FROM deliveries d WHERE d.event_id = e.id AND d.webhook_id = ANY($3)))
      ORDER BY e.id LIMIT ${maxEvents}`,
    [accountId, messageId, visibleWebhookIds],
  );
  if (events.length === 0) return null;
  const { rows: deliveries } = await db.pool.query<LoggedDelivery>(
    `SELECT ${columnsSql} FROM deliveries d ${logJoinsSql} WHERE d.event_id = ANY($1::uuid[]) AND d.account_id = $2
        AND ($3::uuid[] IS NULL OR d.webhook_id = ANY($3)) ORDER BY d.id`,
    [events.map(({ id }) => id), accountId, visibleWebhookIds],
  );
  const { rows: attempts } = await db.pool.query<BriefAttempt>(
    `SELECT delivery_id AS "deliveryId", number, kind, started_at AS "startedAt", duration_ms AS "durationMs", outcome,
        status_code AS "statusCode"
      FROM attempts WHERE delivery_id = ANY($1::uuid[]) ORDER BY delivery_id, number`,
    [deliveries.map(({ id }) => id)],
  );
  return { events, deliveries, attempts };
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
  return db.prisma.delivery.findMany({ where, orderBy: { id: 'desc' }, take: limit, include });
}

/**
 * The number of waiting deliveries. `isCapped`: there are more than `count`. `retries`: how many of the counted ones
 * have had an attempt.
 */
export type WaitingCount = { count: number; isCapped: boolean; retries: number };

const maxWaiting = 10_000;

// Uses the index `deliveries_claim_idx` for each webhook.
const countStatement = unpreparedStatement<{ accountId: string; webhookIds: readonly string[] | null }>(`
  SELECT count(*)::int AS count, (count(*) FILTER (WHERE attempt_count > 0))::int AS retries FROM (
    SELECT d.attempt_count FROM webhooks w CROSS JOIN LATERAL (
        SELECT attempt_count FROM deliveries WHERE webhook_id = w.id AND ${waitingSql}
          LIMIT ${maxWaiting + 1}) d
      WHERE w.account_id = $accountId AND ($webhookIds::uuid[] IS NULL OR w.id = ANY($webhookIds))
      LIMIT ${maxWaiting + 1}) found`);

/**
 * Counts the deliveries of the account's webhooks, or of these `webhookIds`, that wait without a lease, up to 10,000.
 */
export async function countWaiting(
  db: Database,
  accountId: string,
  { webhookIds = null }: { webhookIds?: readonly string[] | null | undefined },
): Promise<WaitingCount> {
  const { rows } = await db.pool.query<Omit<WaitingCount, 'isCapped'>>(countStatement({ accountId, webhookIds }));
  const { count, retries } = rows[0] ?? { count: 0, retries: 0 };
  return { count: Math.min(count, maxWaiting), isCapped: count > maxWaiting, retries: Math.min(retries, maxWaiting) };
}
