import type pg from 'pg';
import { buildDeliverySearch, logJoinsSql } from '../deliveries/delivery-filter.js';
import type { Database } from '../connection/open.js';
import { lockReplaySql, type RunningReplay, toRunningReplay } from './replays.js';
import { resendAssignmentsSql } from './resend.js';
import { inTransaction } from '../connection/transaction.js';

/** The ids of running replays. Uses the index `replays_running_key`. */
export async function listRunningReplays(db: Database): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>(`SELECT id FROM replays WHERE state = 'running' ORDER BY id`);
  return rows.map(({ id }) => id);
}

/**
 * `replayed`: how many deliveries became pending in the step. `finalState`: how the replay ended; null while it runs.
 */
export type ReplayStep = { replayed: number; finalState: 'done' | 'cancelled' | null };

const noStep: ReplayStep = { replayed: 0, finalState: null };

/**
 * Advances a running replay. At most as many deliveries as the rate allows for the time since the last step become
 * pending, each for one attempt. They are committed together with the id that was reached, so a crash neither
 * omits nor repeats a delivery. If the webhook is inactive or deleted, the replay is cancelled instead. Null when
 * another worker has locked the replay, or when the replay has ended.
 */
export async function stepReplay(db: Database, id: string): Promise<ReplayStep | null> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<Parameters<typeof toRunningReplay>[0]>(lockReplaySql, [id]);
    return rows[0] ? advance(client, toRunningReplay(rows[0])) : null;
  });
}

const maxElapsedMs = 2_000;
// The lowest value of the limit of due deliveries.
const minDueLimit = 100;
// The maximum number of rows that one statement examines, and the maximum number of such statements in a step.
const windowSize = 5_000;
const maxWindows = 10;

async function advance(client: pg.PoolClient, replay: RunningReplay): Promise<ReplayStep> {
  if (!replay.isWebhookActive)
    return endReplay(client, replay, { state: 'cancelled', reason: 'webhook inactive or deleted' });
  const budget = await readBudget(client, replay);
  if (budget <= 0) return noStep;
  let matches: Matches = { ids: [], lastExaminedId: replay.lastExaminedId, isEnd: false };
  for (let windows = 0; windows < maxWindows && !matches.isEnd && matches.ids.length < budget; windows++) {
    const more = await findNext(client, replay, {
      lastExaminedId: matches.lastExaminedId,
      limit: budget - matches.ids.length,
    });
    matches = { ...more, ids: [...matches.ids, ...more.ids] };
  }
  const { rowCount } = await client.query(
    `UPDATE deliveries SET ${resendAssignmentsSql} WHERE id = ANY($1::uuid[]) AND state <> 'pending'`,
    [matches.ids],
  );
  const replayed = rowCount ?? 0;
  await client.query(
    `UPDATE replays SET last_examined_id = $2, replayed = replayed + $3, stepped_at = clock_timestamp(),
      updated_at = clock_timestamp() WHERE id = $1`,
    [replay.id, matches.lastExaminedId, replayed],
  );
  if (matches.isEnd) await endReplay(client, replay, { state: 'done', reason: null });
  return { replayed, finalState: matches.isEnd ? 'done' : null };
}

/**
 * How many deliveries may become pending: as many as the rate allows, until the webhook has max(100, 2 × rate)
 * deliveries that are due and not leased.
 */
async function readBudget(client: pg.PoolClient, { webhookId, rate, elapsedMs }: RunningReplay): Promise<number> {
  const byRate = Math.floor((rate * Math.min(elapsedMs, maxElapsedMs)) / 1_000);
  if (byRate <= 0) return 0;
  const maxDue = Math.max(minDueLimit, 2 * rate);
  const { rows } = await client.query<{ due: number }>(
    `SELECT count(*)::int AS due FROM (
      SELECT 1 FROM deliveries WHERE webhook_id = $1 AND due_at <= now() AND lease_expires_at IS NULL LIMIT $2) w`,
    [webhookId, maxDue],
  );
  return Math.min(byRate, maxDue - (rows[0]?.due ?? 0));
}

/**
 * Matching deliveries, and the id up to which rows were examined. `isEnd`: it is known that no row follows it.
 */
type Matches = { ids: string[]; lastExaminedId: string; isEnd: boolean };

/** The next matching deliveries, oldest first: at most `limit`, among the 5,000 rows after `lastExaminedId`. */
async function findNext(
  client: pg.PoolClient,
  { accountId, webhookId, filter, createdAt }: RunningReplay,
  { lastExaminedId, limit }: { lastExaminedId: string; limit: number },
): Promise<Matches> {
  // Deliveries that are created after the replay are not included.
  const until = filter.until && filter.until < createdAt ? filter.until : createdAt;
  const filterUpToStart = { ...filter, webhookId, until };
  const { indexedConditions, otherConditions, values } = buildDeliverySearch(accountId, filterUpToStart, {
    id: lastExaminedId,
    towardsOlder: false,
  });
  const { rows } = await client.query<{ ids: string[]; examined: number; last: string | null }>(
    `WITH c AS MATERIALIZED (SELECT d.id FROM deliveries d WHERE ${indexedConditions} ORDER BY d.id LIMIT ${windowSize})
      SELECT ARRAY(SELECT d.id FROM c JOIN deliveries d ON d.id = c.id ${logJoinsSql}
          WHERE ${otherConditions} AND d.state <> 'pending' ORDER BY d.id LIMIT ${limit})::text[] AS ids,
        (SELECT count(*)::int FROM c) AS examined, (SELECT id FROM c ORDER BY id DESC LIMIT 1) AS last`,
    values,
  );
  const { ids, examined, last } = rows[0] ?? { ids: [], examined: 0, last: null };
  const lastMatch = ids.at(-1);
  if (ids.length === limit && lastMatch !== undefined) return { ids, lastExaminedId: lastMatch, isEnd: false };
  return { ids, lastExaminedId: last ?? lastExaminedId, isEnd: examined < windowSize };
}

async function endReplay(
  client: pg.PoolClient,
  { id }: RunningReplay,
  { state, reason }: { state: 'done' | 'cancelled'; reason: string | null },
): Promise<ReplayStep> {
  await client.query(
    `UPDATE replays SET state = $2, reason = $3, finished_at = clock_timestamp(), updated_at = clock_timestamp()
      WHERE id = $1`,
    [id, state, reason],
  );
  return { replayed: 0, finalState: state };
}
