import type { Channel } from '@ringback/rules';
import type { Database } from '../connection/database.js';
import { lowestId } from '../sql/ids.js';
import { onHoldSql } from '../webhooks/pauses.js';
import { boolean, float, json, text, uuid } from '../sql/columns.js';
import { preparedStatement, statement } from '../sql/statement.js';

// A delivery waits until it is due, and is then leased to one worker, which makes an attempt. The types, in this order:
//
//   DueKey         a webhook and channel, whose deliveries wait together
//   Due            a delivery that is due, or all of a DueKey
//   ClaimRequest   asks for the most overdue deliveries of a DueKey (claims.ts)
//   KnownDelivery  asks for one delivery by its id (claims.ts)
//   LeaseRequest   asks for deliveries of events that are being stored (events/store-events.ts)
//   DeliveryTask   a leased delivery, with its event and webhook (delivery-tasks.ts)
//   Lease          identifies a lease, to renew or end it (leases.ts)
//   LeaseResult    what is left to do after a lease (delivery-tasks.ts)

/** A webhook with its account, and a channel. Claims concern the deliveries of one webhook and channel. */
export type DueKey = { webhookId: string; channel: Channel; accountId: string };

/**
 * A delivery that is due. Without an `id`: the due deliveries of a webhook and channel, of which the first became due
 * at `dueAt`. Times are text as PostgreSQL writes it, with microseconds, so that they also sort as text.
 */
export type Due = DueKey & { dueAt: string; id: string | null };

/** The columns of a `Due`, from rows of `deliveries`. */
export const dueColumns = { webhookId: uuid, channel: text.as<Channel>(), accountId: uuid, dueAt: text, id: uuid };
export const dueColumnsSql = `webhook_id AS "webhookId", channel, account_id AS "accountId", due_at::text AS "dueAt", id`;

/** Before any time: the first due delivery of a webhook is not known. */
export const unknownDueAt = '-infinity';

/** The earlier of two times. */
export function earlierDueAt(a: string, b: string): string {
  if (a === unknownDueAt || b === unknownDueAt) return unknownDueAt;
  return a < b ? a : b;
}

/**
 * The delivery waits, due or not yet due, and has no lease. This is the condition of `deliveries_claim_idx`, for what
 * is searched by webhook.
 */
export const waitingSql = `due_at IS NOT NULL AND leased_at IS NULL`;

/**
 * The same rows, for what is searched by time: the condition of `deliveries_due_idx`. Written differently on purpose,
 * so that the planner can use only the index that has the wanted order.
 */
export const waitingByTimeSql = `state = 'pending' AND lease_expires_at IS NULL`;

/** The position that a scan of due deliveries has reached. */
export type DueCursor = { at: string; id: string };

/**
 * `due`: the due deliveries. `position`: where the next scan starts. `nextDueInMs`: the time until the next delivery
 * becomes due; null if none will. `isComplete`: false if the scan stopped at its limit.
 */
export type DueScan = { due: Due[]; position: DueCursor; nextDueInMs: number | null; isComplete: boolean };

const maxScanned = 5_000;
// A worker leases at most this many deliveries of a webhook at once.
const maxIdsPerWebhook = 50;
// Scans overlap, because a transaction that takes up to 3 s may commit deliveries that became due before the last scan.
const overlapSql = `interval '3 seconds'`;

// OFFSET 0: reads each webhook by its id. Otherwise the planner may read all webhooks to leave out those on hold.
const notOnHoldSql = (id: string) =>
  `NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.id = ${id} AND ${onHoldSql} OFFSET 0)`;

type FoundWebhook = DueKey & { dueAt: string; count: number; ids: string[] };

/**
 * Finds at most 5,000 deliveries that became due after a position, earliest first, and leaves out those of webhooks
 * on hold. `deliveries_due_idx` holds all the columns, so the table is not read. It returns a row for each webhook and
 * channel with the ids of its first 50 deliveries: thousands may be due.
 */
const scanStatement = preparedStatement<DueCursor>(
  'scan_due',
  `WITH found AS MATERIALIZED (
    SELECT webhook_id, channel, account_id, due_at, id FROM deliveries
      WHERE (due_at, id) > ($at::timestamptz, $id::uuid) AND due_at <= now() AND ${waitingByTimeSql}
      ORDER BY due_at, id LIMIT ${maxScanned}
  ), last AS (
    SELECT due_at, id FROM found ORDER BY due_at DESC, id DESC LIMIT 1
  ), next AS (
    SELECT due_at FROM deliveries WHERE due_at > now() AND ${waitingByTimeSql} ORDER BY due_at LIMIT 1
  ), progress AS (
    SELECT count(*) < ${maxScanned} AS complete FROM found
  )
  SELECT (SELECT COALESCE(json_agg(f), '[]') FROM (
      SELECT webhook_id AS "webhookId", channel, account_id AS "accountId", min(due_at)::text AS "dueAt", count(*)::int AS count,
          (array_agg(id ORDER BY due_at, id))[1:${maxIdsPerWebhook}] AS ids
        FROM found GROUP BY 1, 2, 3) f WHERE ${notOnHoldSql('f."webhookId"')}) AS found,
    complete AS "isComplete",
    CASE WHEN complete THEN GREATEST($at::timestamptz, now() - ${overlapSql}) ELSE (SELECT due_at FROM last) END::text AS at,
    CASE WHEN complete THEN '${lowestId}' ELSE (SELECT id FROM last) END AS id,
    (SELECT CEIL(EXTRACT(EPOCH FROM due_at - now()) * 1000) FROM next)::float8 AS "nextDueInMs"
  FROM progress`,
).returns({
  found: json<FoundWebhook[]>(),
  isComplete: boolean,
  at: text,
  id: uuid,
  nextDueInMs: float.orNull,
});

/**
 * Finds the deliveries that became due since a position; without a position, in the last 3 s. Leaves out those of
 * webhooks on hold. It reads only these deliveries, at most 5,000, so its cost depends neither on the backlog nor on
 * what was delivered before.
 */
export async function scanDue(db: Database, position: DueCursor | null): Promise<DueScan> {
  const { at, id } = position ?? { at: null, id: lowestId };
  const from = at ?? (await readStart(db));
  const row = await scanStatement.row(db.pool, { at: from, id });
  if (!row) throw new Error('the scan of due deliveries returned no row');
  const { found, nextDueInMs, isComplete } = row;
  return { due: found.flatMap(toDue), nextDueInMs, isComplete, position: { at: row.at, id: row.id } };
}

/** The deliveries of a webhook that a scan has found. Those beyond the ids are left to a search. */
function toDue({ count, ids, ...webhook }: FoundWebhook): Due[] {
  const due: Due[] = ids.map((id) => ({ ...webhook, id }));
  return count > ids.length ? [...due, { ...webhook, id: null }] : due;
}

const startStatement = statement(`SELECT (now() - ${overlapSql})::text AS at`).returns({ at: text });

const readStart = async ({ pool }: Database): Promise<string> =>
  (await startStatement.row(pool, {}))?.at ?? '-infinity';

type ListParameters = { afterWebhookId: string; afterChannel: string; limit: number };

const afterPositionSql = '(webhook_id, channel) > ($afterWebhookId::uuid, $afterChannel)';

/**
 * Returns the webhooks and channels after a position that have waiting deliveries, with the earliest of these. `isDue`:
 * whether it is due, and the webhook is not on hold.
 */
const listStatement = preparedStatement<ListParameters>(
  'list_due_webhooks',
  `WITH RECURSIVE ${earliestDueCte({ startCondition: afterPositionSql, withIds: true })}
  SELECT ${dueColumnsSql},
      due_at <= now() AND ${notOnHoldSql('webhook_id')} AS "isDue"
    FROM first_deliveries LIMIT $limit`,
).returns({ ...dueColumns, isDue: boolean });

/**
 * Lists webhooks with due deliveries, except webhooks on hold, ordered by id and channel. It examines up to `limit`
 * webhooks and channels after the position `after`, with one index probe each, however many deliveries wait. `next` is
 * the position for the next call, and null after the last webhook.
 */
export async function listDueWebhooks(
  db: Database,
  { limit, after }: { limit: number; after: Pick<DueKey, 'webhookId' | 'channel'> | null },
): Promise<{ due: Due[]; next: DueKey | null }> {
  const position = { afterWebhookId: after?.webhookId ?? lowestId, afterChannel: after?.channel ?? '' };
  const rows = await listStatement.rows(db.pool, { ...position, limit });
  const due = rows.filter(({ isDue }) => isDue).map(({ isDue: _, ...first }) => ({ ...first, id: null }));
  return { due, next: rows.length < limit ? null : (rows.at(-1) ?? null) };
}

// Uses the index `deliveries_claim_idx` for each webhook and channel.
const ofAccountStatement = statement<{ accountId: string }>(
  `SELECT d.webhook_id AS "webhookId", d.channel, d.account_id AS "accountId", d.due_at::text AS "dueAt" FROM webhooks w
    CROSS JOIN unnest('{sms,rcs}'::text[]) AS c(channel)
    CROSS JOIN LATERAL (SELECT webhook_id, channel, account_id, due_at FROM deliveries
      WHERE webhook_id = w.id AND channel = c.channel AND due_at <= now() AND ${waitingSql} ORDER BY due_at LIMIT 1) d
    WHERE w.account_id = $accountId`,
).returns({ webhookId: uuid, channel: text.as<Channel>(), accountId: uuid, dueAt: text });

/** The account's webhooks and channels that have due deliveries. */
export async function listDueOfAccount(db: Database, accountId: string): Promise<Due[]> {
  return (await ofAccountStatement.rows(db.pool, { accountId })).map((first) => ({ ...first, id: null }));
}

/**
 * The CTE `first_deliveries` for `WITH RECURSIVE`: for each webhook and channel with waiting deliveries, the one that
 * is due first. It takes one probe of `deliveries_claim_idx` for each webhook and channel, however many deliveries
 * wait. `startCondition` selects the webhooks and channels from which the CTE starts. `withIds` adds the ids of the
 * delivery and of its account, which are not in the index.
 */
function earliestDueCte({ startCondition = 'true', withIds = false } = {}): string {
  const columnsSql = `webhook_id, channel, due_at${withIds ? ', account_id, id' : ''}`;
  const firstSql = (condition: string) => `SELECT ${columnsSql} FROM deliveries
      WHERE ${waitingSql} AND ${condition} ORDER BY webhook_id, channel, due_at LIMIT 1`;
  return `first_deliveries AS (
    (${firstSql(startCondition)})
    UNION ALL
    SELECT n.* FROM first_deliveries p
      CROSS JOIN LATERAL (${firstSql('(webhook_id, channel) > (p.webhook_id, p.channel)')}) n
  )`;
}

/**
 * The seconds for which the most overdue delivery of each channel, and the most overdue verification, have been due.
 */
type Lag = Record<Channel, number> & { verifications: number };

// The statement runs at each scrape of the metrics, and takes one index probe for each webhook and channel.
const maxProbes = 10_000;
const secondsSinceSql = (time: string) => `COALESCE(EXTRACT(EPOCH FROM clock_timestamp() - ${time}), 0)::float8`;

/** Uses the indexes `deliveries_claim_idx` and `verifications_pending_idx`. */
const lagStatement = statement(`WITH RECURSIVE ${earliestDueCte()}, due AS MATERIALIZED (
    SELECT f.channel, f.due_at FROM (SELECT * FROM first_deliveries LIMIT ${maxProbes}) f JOIN webhooks w ON w.id = f.webhook_id
      WHERE f.due_at < now() AND NOT ${onHoldSql}
  ), verification AS (
    SELECT next_attempt_at FROM verifications
      WHERE state = 'pending' AND next_attempt_at < clock_timestamp() ORDER BY next_attempt_at, id LIMIT 1
  )
  SELECT (SELECT ${secondsSinceSql('min(due_at)')} FROM due WHERE channel = 'sms') AS sms,
    (SELECT ${secondsSinceSql('min(due_at)')} FROM due WHERE channel = 'rcs') AS rcs,
    (SELECT ${secondsSinceSql('min(next_attempt_at)')} FROM verification) AS verifications`).returns({
  sms: float,
  rcs: float,
  verifications: float,
});

/**
 * Measures the lag, which is 0 if nothing is due. It examines at most 10,000 pairs of a webhook and a channel with
 * waiting deliveries, one delivery of each, and leaves out webhooks on hold and leased deliveries.
 */
export async function measureLag(db: Database): Promise<Lag> {
  return (await lagStatement.row(db.pool, {})) ?? { sms: 0, rcs: 0, verifications: 0 };
}
