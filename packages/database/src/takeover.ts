import type { WebhookChannel } from './claims.js';
import type { Database } from './open.js';

// The release before kept what waits in "next_attempt_at", "parked_at" and "leased". A delivery with a job in BullMQ has
// no "parked_at"; one that waits without a job has one in the past, one in a worker's hands one in the future, and one of a
// paused webhook has `infinity`.
const takeOver = (ids: string) => `WITH taken AS (
    UPDATE deliveries d SET due_at = GREATEST(d.next_attempt_at, d.created_at), next_attempt_at = NULL, parked_at = NULL,
        crash_count = CASE WHEN d.leased THEN 1 ELSE 0 END, leased = false, updated_at = clock_timestamp()
      FROM (${ids}) i WHERE d.id = i.id RETURNING d.webhook_id, d.channel, d.account_id
  )
  SELECT webhook_id AS "webhookId", channel, account_id AS "accountId", count(*)::int AS count FROM taken GROUP BY 1, 2, 3`;

const locked = `FOR UPDATE SKIP LOCKED`;
const maxTaken = 1_000;
const withJob = takeOver(`SELECT id FROM deliveries
  WHERE id = ANY($1::uuid[]) AND state = 'pending' AND due_at IS NULL AND parked_at IS NULL ${locked}`);
const parked = takeOver(`SELECT id FROM deliveries
  WHERE parked_at < 'infinity' AND parked_at < clock_timestamp() - interval '1 second' LIMIT ${maxTaken} ${locked}`);
const held = takeOver(`SELECT id FROM deliveries WHERE parked_at = 'infinity' LIMIT ${maxTaken} ${locked}`);
const jobless = takeOver(`SELECT id FROM deliveries
  WHERE state = 'pending' AND parked_at IS NULL AND next_attempt_at < now() - interval '1 minute' LIMIT ${maxTaken} ${locked}`);

export type TakenOver = WebhookChannel & { count: number };

/** Takes over the deliveries of these ids whose jobs the release before has left in BullMQ. */
export const takeOverJobs = (db: Database, ids: string[]) => query(db, withJob, [ids]);

/** Takes over what waits without a job: at most 1,000 that wait for room, and 1,000 of paused webhooks. */
export async function takeOverParked(db: Database): Promise<TakenOver[]> {
  return [...(await query(db, parked)), ...(await query(db, held))];
}

/** Takes over deliveries whose jobs are lost: at most 1,000 that have been due for a minute. Only where no job is left. */
export const takeOverJobless = (db: Database) => query(db, jobless);

async function query(db: Database, statement: string, values: unknown[] = []): Promise<TakenOver[]> {
  const { rows } = await db.pool.query<TakenOver>(statement, values);
  return rows;
}
