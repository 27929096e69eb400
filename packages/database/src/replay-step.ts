import type pg from 'pg';
import { searchFor } from './delivery-filter.js';
import { joins } from './delivery-log.js';
import type { Database } from './open.js';
import { lockReplay, type ReplayInHand, toReplayInHand } from './replays.js';
import { resendColumns } from './resend.js';
import { inTransaction } from './transaction.js';

/** The replays that are to go on. */
export async function listRunningReplays(db: Database): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>(`SELECT id FROM replays WHERE state = 'running' ORDER BY id`);
  return rows.map(({ id }) => id);
}

export type ReplayStep = { replayed: number; ended: 'done' | 'cancelled' | null };

const nothing: ReplayStep = { replayed: 0, ended: null };

/**
 * Takes a running replay on: as many deliveries as its rate has room for since the last step become pending,
 * each for one attempt. They and the place that was reached are committed together, so that no delivery is left out or
 * made twice, whoever dies. Null when another worker is at it, or it has ended.
 */
export async function stepReplay(db: Database, id: string): Promise<ReplayStep | null> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<Parameters<typeof toReplayInHand>[0]>(lockReplay, [id]);
    return rows[0] ? advance(client, toReplayInHand(rows[0])) : null;
  });
}

const mostElapsedMs = 2_000;
const leastWaiting = 100;
const window = 5_000;
const mostWindows = 10;

async function advance(client: pg.PoolClient, replay: ReplayInHand): Promise<ReplayStep> {
  if (!replay.active) return end(client, replay, { ended: 'cancelled', reason: 'webhook inactive or deleted' });
  const budget = await roomFor(client, replay);
  if (budget <= 0) return nothing;
  let found: Looked = { ids: [], position: replay.position, isEnd: false };
  for (let looked = 0; looked < mostWindows && !found.isEnd && found.ids.length < budget; looked++) {
    const more = await look(client, replay, { position: found.position, limit: budget - found.ids.length });
    found = { ...more, ids: [...found.ids, ...more.ids] };
  }
  const { rowCount } = await client.query(
    `UPDATE deliveries SET ${resendColumns} WHERE id = ANY($1::uuid[]) AND state <> 'pending'`,
    [found.ids],
  );
  const replayed = rowCount ?? 0;
  await client.query(
    `UPDATE replays SET position = $2, replayed = replayed + $3, stepped_at = clock_timestamp(),
      updated_at = clock_timestamp() WHERE id = $1`,
    [replay.id, found.position, replayed],
  );
  if (found.isEnd) await end(client, replay, { ended: 'done', reason: null });
  return { replayed, ended: found.isEnd ? 'done' : null };
}

/** How many may be sent again now: by the rate, and so that no more than a little of it waits for the receiver. */
async function roomFor(client: pg.PoolClient, { webhookId, rate, elapsedMs }: ReplayInHand): Promise<number> {
  const byRate = Math.floor((rate * Math.min(elapsedMs, mostElapsedMs)) / 1_000);
  if (byRate <= 0) return 0;
  const most = Math.max(leastWaiting, 2 * rate);
  const { rows } = await client.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM (
      SELECT 1 FROM deliveries WHERE webhook_id = $1 AND due_at <= now() AND lease_expires_at IS NULL LIMIT $2) w`,
    [webhookId, most],
  );
  return Math.min(byRate, most - (rows[0]?.n ?? 0));
}

type Looked = { ids: string[]; position: string; isEnd: boolean };

/** The next deliveries after a position, the oldest first, among so many rows at most. */
async function look(
  client: pg.PoolClient,
  { accountId, webhookId, filter, createdAt }: ReplayInHand,
  { position, limit }: { position: string; limit: number },
): Promise<Looked> {
  const until = filter.until && filter.until < createdAt ? filter.until : createdAt;
  const wanted = { ...filter, webhookId, until };
  const { candidates, looks, values } = searchFor(accountId, wanted, { id: position, older: false });
  const { rows } = await client.query<{ ids: string[]; looked: number; last: string | null }>(
    `WITH c AS MATERIALIZED (SELECT d.id FROM deliveries d WHERE ${candidates} ORDER BY d.id LIMIT ${window})
      SELECT ARRAY(SELECT d.id FROM c JOIN deliveries d ON d.id = c.id ${joins} WHERE ${looks} AND d.state <> 'pending'
          ORDER BY d.id LIMIT ${limit})::text[] AS ids,
        (SELECT count(*)::int FROM c) AS looked, (SELECT id FROM c ORDER BY id DESC LIMIT 1) AS last`,
    values,
  );
  const { ids, looked, last } = rows[0] ?? { ids: [], looked: 0, last: null };
  const lastTaken = ids.at(-1);
  if (ids.length === limit && lastTaken !== undefined) return { ids, position: lastTaken, isEnd: false };
  return { ids, position: last ?? position, isEnd: looked < window };
}

async function end(
  client: pg.PoolClient,
  { id }: ReplayInHand,
  { ended, reason }: { ended: 'done' | 'cancelled'; reason: string | null },
): Promise<ReplayStep> {
  await client.query(
    `UPDATE replays SET state = $2, reason = $3, finished_at = clock_timestamp(), updated_at = clock_timestamp()
      WHERE id = $1`,
    [id, ended, reason],
  );
  return { replayed: 0, ended };
}
