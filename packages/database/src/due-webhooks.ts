import { isClaimable, type WebhookChannel } from './claims.js';
import type { Database } from './open.js';
import { statement } from './statement.js';
import { isPaused } from './task.js';

/** How far a scan of what becomes due has come. */
export type DuePosition = { at: string; id: string };

/** `position`: where the next scan goes on. `nextDueInMs`: when something more becomes due; null when nothing will. */
export type DueScan = { due: WebhookChannel[]; position: DuePosition; nextDueInMs: number | null; complete: boolean };

const maxScanned = 5_000;
// A transaction that takes this long may commit deliveries that became due before the last scan.
const overlap = `interval '3 seconds'`;
const noId = '00000000-0000-0000-0000-000000000000';

const isCallable = (id: string) => `NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.id = ${id} AND ${isPaused})`;

const scan = statement(
  'scan_due',
  `WITH found AS MATERIALIZED (
    SELECT webhook_id, channel, account_id, due_at, id FROM deliveries
      WHERE (due_at, id) > ($1::timestamptz, $2::uuid) AND due_at <= now() AND ${isClaimable}
      ORDER BY due_at, id LIMIT ${maxScanned}
  ), last AS (
    SELECT due_at, id FROM found ORDER BY due_at DESC, id DESC LIMIT 1
  ), next AS (
    SELECT due_at FROM deliveries WHERE due_at > now() AND ${isClaimable} ORDER BY due_at LIMIT 1
  ), whole AS (
    SELECT count(*) < ${maxScanned} AS complete FROM found
  )
  SELECT (SELECT COALESCE(json_agg(json_build_object('webhookId', webhook_id, 'channel', channel, 'accountId', account_id)), '[]')
      FROM (SELECT DISTINCT webhook_id, channel, account_id FROM found) f WHERE ${isCallable('f.webhook_id')}) AS due,
    complete,
    CASE WHEN complete THEN GREATEST($1::timestamptz, now() - ${overlap}) ELSE (SELECT due_at FROM last) END::text AS at,
    CASE WHEN complete THEN '${noId}' ELSE (SELECT id FROM last) END AS id,
    (SELECT CEIL(EXTRACT(EPOCH FROM due_at - now()) * 1000) FROM next)::float8 AS "nextDueInMs"
  FROM whole`,
);

type ScanRow = Pick<DueScan, 'due' | 'nextDueInMs' | 'complete'> & DuePosition;

/**
 * The webhooks, those paused left out, with deliveries that became due since a position, found among 5,000 deliveries at most; `complete` is false
 * when there are more. A scan costs what became due lately, however long the backlog is: `deliveries_due_idx` serves it.
 * Without a position it begins a moment ago.
 */
export async function scanDue(db: Database, position: DuePosition | null): Promise<DueScan> {
  const { at, id } = position ?? { at: null, id: noId };
  const from = at ?? (await startOfScan(db));
  const { rows } = await db.pool.query<ScanRow>(scan([from, id]));
  const [row] = rows;
  if (!row) throw new Error('a scan of what is due answered nothing');
  const { due, nextDueInMs, complete } = row;
  return { due, nextDueInMs, complete, position: { at: row.at, id: row.id } };
}

async function startOfScan({ pool }: Database): Promise<string> {
  const { rows } = await pool.query<{ at: string }>(`SELECT (now() - ${overlap})::text AS at`);
  return rows[0]?.at ?? '-infinity';
}

const list = statement(
  'list_due_webhooks',
  `WITH RECURSIVE heads AS (
    (SELECT webhook_id, channel, account_id, due_at FROM deliveries
      WHERE ${isClaimable} AND (webhook_id, channel) > ($1::uuid, $2) ORDER BY webhook_id, channel, due_at LIMIT 1)
    UNION ALL
    SELECT n.* FROM heads h CROSS JOIN LATERAL (
      SELECT webhook_id, channel, account_id, due_at FROM deliveries
        WHERE ${isClaimable} AND (webhook_id, channel) > (h.webhook_id, h.channel)
        ORDER BY webhook_id, channel, due_at LIMIT 1) n
  )
  SELECT webhook_id AS "webhookId", channel, account_id AS "accountId", 
      due_at <= now() AND ${isCallable('webhook_id')} AS due
    FROM heads LIMIT $3`,
);

/**
 * The webhooks that have due deliveries, in the order of their ids, at most `limit` looked at after `after`; `next` is
 * where to go on, null behind the last. One step of `deliveries_claim_idx` for each webhook, however many deliveries wait.
 */
export async function listDueWebhooks(
  db: Database,
  { limit, after }: { limit: number; after: Pick<WebhookChannel, 'webhookId' | 'channel'> | null },
): Promise<{ due: WebhookChannel[]; next: WebhookChannel | null }> {
  const { rows } = await db.pool.query<WebhookChannel & { due: boolean }>(
    list([after?.webhookId ?? noId, after?.channel ?? '', limit]),
  );
  const due = rows.filter((row) => row.due);
  return { due, next: rows.length < limit ? null : (rows.at(-1) ?? null) };
}
