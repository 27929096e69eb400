import type { Channel, EventName } from '@ringback/callbacks';
import { type DeliveryFilter, searchFor } from './delivery-filter.js';
import type { Attempt } from './generated/client.js';
import type { Database } from './open.js';
import { cutPage, type LogPlaces, type PlaceInLog } from './log-page.js';
import { isPaused } from './task.js';
import { isUuid } from './uuid.js';

/** A delivery in the log, with fields of its event and of its newest attempt. */
export type LoggedDelivery = {
  id: string;
  webhookId: string;
  eventId: string;
  event: EventName;
  messageId: string | null;
  mobile: string | null;
  channel: Channel;
  state: 'pending' | 'delivered' | 'failed' | 'skipped';
  reason: string | null;
  attempts: number;
  /** Of the newest attempt; null when there is none. */
  outcome: string | null;
  statusCode: number | null;
  /** Null when it is final, and while its webhook is paused. */
  nextAttemptAt: Date | null;
  /** It is pending, and its webhook is paused. */
  paused: boolean;
  createdAt: Date;
  updatedAt: Date;
};

const columns = `d.id, d.webhook_id AS "webhookId", d.event_id AS "eventId", e.name AS event, e.message_id AS "messageId",
  e.mobile, d.channel, d.state, d.reason, d.attempts, a.outcome, a.status_code AS "statusCode",
  CASE WHEN NOT p.paused THEN COALESCE(d.due_at, d.next_attempt_at) END AS "nextAttemptAt", p.paused,
  d.created_at AS "createdAt", d.updated_at AS "updatedAt"`;
// LATERAL and OFFSET 0 make PostgreSQL join row by row, so that a page reads no more rows than it needs.
export const joins = `CROSS JOIN LATERAL (SELECT * FROM events WHERE id = d.event_id OFFSET 0) e
  LEFT JOIN LATERAL (SELECT * FROM attempts WHERE delivery_id = d.id AND number = d.attempts OFFSET 0) a ON true
  CROSS JOIN LATERAL (SELECT d.state = 'pending' AND EXISTS (
    SELECT 1 FROM webhooks w WHERE w.id = d.webhook_id AND ${isPaused}) AS paused) p`;

export type LogPage = { deliveries: LoggedDelivery[] } & LogPlaces;

// Maximum rows that are read for one page.
const maxExamined = 5_000;

type LogRequest = { filter: DeliveryFilter } & PlaceInLog;

/**
 * One page of the account's deliveries, newest first. If a filter has conditions without an index, a page ends after 5,000
 * rows, full or not, and the next one continues there. So the time of a page does not depend on the length of the log.
 */
export async function listDeliveryLog(
  db: Database,
  accountId: string,
  { filter, cursor, perPage }: LogRequest,
): Promise<LogPage> {
  const isOlder = cursor?.older ?? true;
  const { candidates, checks, values, candidateValues } = searchFor(accountId, filter, cursor);
  const direction = isOlder ? 'DESC' : 'ASC';
  const scan = `FROM deliveries d WHERE ${candidates} ORDER BY d.id ${direction}`;
  const { rows } = await db.pool.query<LoggedDelivery>(
    `SELECT ${columns} FROM (SELECT d.id ${scan} LIMIT ${maxExamined}) c
      CROSS JOIN LATERAL (SELECT * FROM deliveries WHERE id = c.id OFFSET 0) d ${joins}
      WHERE ${checks} ORDER BY c.id ${direction} LIMIT ${perPage + 1}`,
    values,
  );
  const lastExamined = async () => {
    const last = `SELECT d.id ${scan} OFFSET ${maxExamined - 1} LIMIT 1`;
    const { rows: found } = await db.pool.query<{ id: string }>(last, values.slice(0, candidateValues));
    return found[0]?.id;
  };
  const onward = rows.length > perPage ? undefined : await lastExamined();
  const { rows: deliveries, ...places } = cutPage(rows, { cursor, perPage }, onward);
  return { deliveries, ...places };
}

/** A delivery with all fields of its event, and its attempts. */
export type DeliveryDetail = LoggedDelivery & {
  identity: string | null;
  payload: string;
  receivedAt: Date;
  /** The newest 100, oldest first. */
  made: Attempt[];
};

const maxAttempts = 100;

/** A delivery of the account, or null: unknown, foreign and malformed ids look the same. */
export async function findDelivery(db: Database, accountId: string, id: string): Promise<DeliveryDetail | null> {
  if (!isUuid(id)) return null;
  const { rows } = await db.pool.query<Omit<DeliveryDetail, 'made'>>(
    `SELECT ${columns}, e.identity, e.payload, e.received_at AS "receivedAt" FROM deliveries d ${joins}
      WHERE d.id = $1 AND d.account_id = $2`,
    [id, accountId],
  );
  const [found] = rows;
  if (!found) return null;
  const newest = { where: { deliveryId: id }, orderBy: { number: 'desc' as const }, take: maxAttempts };
  const made = await db.prisma.attempt.findMany(newest);
  return { ...found, made: made.reverse() };
}

/** The account of a delivery, for operators. Null when no delivery has this id. */
export async function findDeliveryOwner(db: Database, id: string): Promise<string | null> {
  if (!isUuid(id)) return null;
  const { rows } = await db.pool.query<{ owner: string }>(`SELECT account_id AS owner FROM deliveries WHERE id = $1`, [
    id,
  ]);
  return rows[0]?.owner ?? null;
}

export type MessageEvent = {
  id: string;
  event: EventName;
  identity: string | null;
  mobile: string | null;
  state: 'routed' | 'unrouted';
  payload: string;
  receivedAt: Date;
};

export type BriefAttempt = Pick<
  Attempt,
  'deliveryId' | 'number' | 'kind' | 'startedAt' | 'durationMs' | 'outcome' | 'statusCode'
>;

/** What happened to one message: its first 200 events, their deliveries and the attempts of those, each oldest first. */
export type MessageTimeline = { events: MessageEvent[]; deliveries: LoggedDelivery[]; made: BriefAttempt[] };

const maxEvents = 200;

/** The timeline of a message of the account, or null when the account has no event of it. */
export async function findMessage(db: Database, accountId: string, messageId: string): Promise<MessageTimeline | null> {
  const { rows: events } = await db.pool.query<MessageEvent>(
    `SELECT e.id, e.name AS event, e.identity, e.mobile, e.state, e.payload, e.received_at AS "receivedAt" FROM events e
      WHERE e.account_id = $1 AND e.message_id = $2 AND e.state <> 'rejected' ORDER BY e.id LIMIT ${maxEvents}`,
    [accountId, messageId],
  );
  if (events.length === 0) return null;
  const { rows: deliveries } = await db.pool.query<LoggedDelivery>(
    `SELECT ${columns} FROM deliveries d ${joins} WHERE d.event_id = ANY($1::uuid[]) AND d.account_id = $2 ORDER BY d.id`,
    [events.map(({ id }) => id), accountId],
  );
  const { rows: made } = await db.pool.query<BriefAttempt>(
    `SELECT delivery_id AS "deliveryId", number, kind, started_at AS "startedAt", duration_ms AS "durationMs", outcome,
        status_code AS "statusCode"
      FROM attempts WHERE delivery_id = ANY($1::uuid[]) ORDER BY delivery_id, number`,
    [deliveries.map(({ id }) => id)],
  );
  return { events, deliveries, made };
}
