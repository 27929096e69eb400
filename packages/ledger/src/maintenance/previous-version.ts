import { type WebhookChannel, webhookChannelColumnsSql } from '../deliveries/webhook-channel.js';
import type { Database } from '../connection/open.js';
import { isUuid } from '../sql/uuid.js';

// To take over a delivery is to give it a `due_at`, so that workers of this version claim it. The previous version
// keeps the state of pending deliveries in `next_attempt_at`, `parked_at` and `leased`. `parked_at` is null if the
// delivery has a job in BullMQ, in the past if it waits without a job, in the future while a worker attempts it, and
// `infinity` if its webhook is paused. The statements use the partial indexes of these columns.
const takeOverSql = (ids: string) => `WITH taken_over AS (
    UPDATE deliveries d SET due_at = GREATEST(d.next_attempt_at, d.created_at), next_attempt_at = NULL, parked_at = NULL,
        crash_count = CASE WHEN d.leased THEN 1 ELSE 0 END, leased = false, updated_at = clock_timestamp()
      FROM (${ids}) i WHERE d.id = i.id RETURNING d.webhook_id, d.channel, d.account_id
  )
  SELECT ${webhookChannelColumnsSql}, count(*)::int AS count FROM taken_over GROUP BY 1, 2, 3`;

const skipLockedSql = `FOR UPDATE SKIP LOCKED`;
const maxTakenOver = 1_000;
const withJobSql = takeOverSql(`SELECT id FROM deliveries
  WHERE id = ANY($1::uuid[]) AND state = 'pending' AND due_at IS NULL AND parked_at IS NULL ${skipLockedSql}`);
const withoutJobSql = takeOverSql(`SELECT id FROM deliveries
  WHERE parked_at < 'infinity' AND parked_at < clock_timestamp() - interval '1 second' LIMIT ${maxTakenOver} ${skipLockedSql}`);
const ofPausedWebhooksSql = takeOverSql(
  `SELECT id FROM deliveries WHERE parked_at = 'infinity' LIMIT ${maxTakenOver} ${skipLockedSql}`,
);
const withLostJobSql = takeOverSql(`SELECT id FROM deliveries
  WHERE state = 'pending' AND parked_at IS NULL AND next_attempt_at < now() - interval '1 minute' LIMIT ${maxTakenOver} ${skipLockedSql}`);

/** A webhook and channel, and how many of its deliveries were taken over. */
export type TakenOver = WebhookChannel & { count: number };

/** Takes over the deliveries with these ids, whose jobs the previous version left in BullMQ; leaves out final ones. */
export const takeOverJobs = (db: Database, ids: string[]) => takeOver(db, withJobSql, [ids.filter(isUuid)]);

/** Takes over deliveries that wait without a job: at most 1,000, and another 1,000 of paused webhooks. */
export async function takeOverWithoutJob(db: Database): Promise<TakenOver[]> {
  return [...(await takeOver(db, withoutJobSql)), ...(await takeOver(db, ofPausedWebhooksSql))];
}

/**
 * Takes over at most 1,000 deliveries that have been due for a minute and have not been taken over with their jobs.
 * Call it only when BullMQ has no delivery jobs left: these jobs are lost then.
 */
export const takeOverWithLostJob = (db: Database) => takeOver(db, withLostJobSql);

async function takeOver(db: Database, statement: string, values: unknown[] = []): Promise<TakenOver[]> {
  const { rows } = await db.pool.query<TakenOver>(statement, values);
  return rows;
}
