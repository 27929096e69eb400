import type pg from 'pg';
import { addedFieldSql, insertChangeSql } from '../changes.js';
import { type Actor, type Database, inTransaction } from '../connection/database.js';
import { isUuid, lowestId } from '../sql/ids.js';
import { type AdjacentCursors, type CursorPageRequest, cutPage } from '../sql/pages.js';
import { unpreparedStatement } from '../sql/statement.js';
import { buildDeliverySearch, type DeliveryFilter, logJoinsSql } from './delivery-search.js';
import { resendAssignmentsSql } from './resend.js';

/** A replay: resends the final deliveries of one webhook that match a filter, at a rate. */
export type Replay = {
  id: string;
  accountId: string;
  webhookId: string;
  filter: DeliveryFilter;
  state: 'running' | 'done' | 'cancelled';
  /** Why Ringback cancelled it; null if Ringback did not. */
  reason: string | null;
  /** Maximum deliveries per second. */
  rate: number;
  /** How many deliveries matched the filter at the start; null when there were too many to count in 1 s. */
  total: number | null;
  replayed: number;
  createdAt: Date;
  updatedAt: Date;
  finishedAt: Date | null;
};

type ReplayRow = Omit<Replay, 'filter'> & { filter: StoredFilter };
type StoredFilter = Omit<DeliveryFilter, 'since' | 'until'> & { since?: string; until?: string };

/** The columns of a `Replay`, from a row `r` of `replays`. */
const replayColumnsSql = `r.id, r.account_id AS "accountId", r.webhook_id AS "webhookId", r.filter, r.state, r.reason,
  r.rate, r.total, r.replayed, r.created_at AS "createdAt", r.updated_at AS "updatedAt", r.finished_at AS "finishedAt"`;

const timeOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

const toReplay = (row: ReplayRow): Replay => ({
  ...row,
  filter: { ...row.filter, since: timeOf(row.filter.since), until: timeOf(row.filter.until) },
});

// The maximum number of rows that one statement examines, and the time after which counting starts no other statement.
const countWindowSize = 10_000;
const countTimeoutMs = 1_000;

/**
 * Counts the deliveries of the account that match a filter, in statements of 10,000 rows. It starts no statement after
 * 1 s; `isComplete` is then false.
 */
export async function countDeliveries(
  db: Database,
  accountId: string,
  filter: DeliveryFilter,
): Promise<{ count: number; isComplete: boolean }> {
  const startedAt = performance.now();
  let count = 0;
  let id: string | null = lowestId;
  while (id !== null) {
    if (performance.now() - startedAt > countTimeoutMs) return { count, isComplete: false };
    const { indexedConditions, otherConditions, values } = buildDeliverySearch(accountId, filter, {
      id,
      towardsOlder: false,
    });
    const { rows } = await db.pool.query<{ matches: number; examined: number; last: string | null }>(
      `WITH c AS MATERIALIZED (
          SELECT d.id FROM deliveries d WHERE ${indexedConditions} ORDER BY d.id LIMIT ${countWindowSize})
        SELECT (
            SELECT count(*)::int FROM c JOIN deliveries d ON d.id = c.id ${logJoinsSql} WHERE ${otherConditions}) AS matches,
          (SELECT count(*)::int FROM c) AS examined, (SELECT id FROM c ORDER BY id DESC LIMIT 1) AS last`,
      values,
    );
    const [row] = rows;
    count += row?.matches ?? 0;
    id = row && row.examined === countWindowSize ? row.last : null;
  }
  return { count, isComplete: true };
}

const startedFieldsSql = `json_build_array(${addedFieldSql('webhook_id', 'webhook_id')}, ${addedFieldSql('rate', 'rate')})`;
type StartParameters = {
  accountId: string;
  webhookId: string;
  filter: string;
  rate: number;
  total: number | null;
  actor: Actor;
};

/**
 * Starts a replay, unless the webhook has a running one. The unique index `replays_running_key` prevents a second one.
 */
const startStatement = unpreparedStatement<StartParameters>(`WITH changed_rows AS (
    INSERT INTO replays (account_id, webhook_id, filter, rate, total)
      VALUES ($accountId, $webhookId, $filter, $rate, $total)
      ON CONFLICT (webhook_id) WHERE state = 'running' DO NOTHING RETURNING *
  ), log AS (${insertChangeSql('replay.started', { actor: '$actor', changed: startedFieldsSql })})
  SELECT ${replayColumnsSql} FROM changed_rows r`);

/** Counts the deliveries and stores a replay, which workers then run. Null when the webhook has a running replay. */
export async function startReplay(
  db: Database,
  accountId: string,
  { webhookId, filter, rate }: Pick<Replay, 'webhookId' | 'filter' | 'rate'>,
): Promise<Replay | null> {
  const { count, isComplete } = await countDeliveries(db, accountId, filter);
  const values = { accountId, webhookId, filter: JSON.stringify(filter), rate, total: isComplete ? count : null };
  const { rows } = await db.pool.query<ReplayRow>(startStatement({ ...values, actor: db.actor }));
  return rows[0] ? toReplay(rows[0]) : null;
}

/** The number of running replays of the account. */
export function countRunningReplays(db: Database, accountId: string): Promise<number> {
  return db.prisma.replay.count({ where: { accountId, state: 'running' } });
}

/** A replay of the account. Null for an id that is unknown, malformed, or of another account. */
export async function findReplay(db: Database, accountId: string, id: string): Promise<Replay | null> {
  if (!isUuid(id)) return null;
  const findSql = `SELECT ${replayColumnsSql} FROM replays r WHERE r.id = $1 AND r.account_id = $2`;
  const { rows } = await db.pool.query<ReplayRow>(findSql, [id, accountId]);
  return rows[0] ? toReplay(rows[0]) : null;
}

type ReplayRequest = { webhookId?: string | undefined; webhookIds?: readonly string[] | undefined } & CursorPageRequest;

/**
 * One page of the account's replays, newest first. `webhookId` and `webhookIds` restrict the list to these webhooks.
 */
export async function listReplays(
  db: Database,
  accountId: string,
  { webhookId, webhookIds, cursor, perPage }: ReplayRequest,
): Promise<{ replays: Replay[] } & AdjacentCursors> {
  const towardsOlder = cursor?.towardsOlder ?? true;
  const { rows } = await db.pool.query<ReplayRow>(
    `SELECT ${replayColumnsSql} FROM replays r WHERE r.account_id = $1 AND ($2::uuid IS NULL OR r.webhook_id = $2)
        AND ($3::uuid IS NULL OR r.id ${towardsOlder ? '<' : '>'} $3) AND ($4::uuid[] IS NULL OR r.webhook_id = ANY($4))
      ORDER BY r.id ${towardsOlder ? 'DESC' : 'ASC'} LIMIT ${perPage + 1}`,
    [accountId, webhookId ?? null, cursor?.id ?? null, webhookIds ?? null],
  );
  const { rows: page, ...cursors } = cutPage(rows, { cursor, perPage });
  return { replays: page.map(toReplay), ...cursors };
}

/** The account of a replay, for operators. Null when no replay has this id. */
export async function findAccountOfReplay(db: Database, id: string): Promise<string | null> {
  if (!isUuid(id)) return null;
  const replay = await db.prisma.replay.findUnique({ where: { id }, select: { accountId: true } });
  return replay?.accountId ?? null;
}

const cancelSql = `WITH changed_rows AS (
    UPDATE replays SET state = 'cancelled', finished_at = clock_timestamp(), updated_at = clock_timestamp()
      WHERE id = $1 AND account_id = $2 AND state = 'running' RETURNING *
  ) ${insertChangeSql('replay.cancelled', { actor: '$3' })}`;

/**
 * Cancels a running replay of the account. Deliveries that it made pending are still sent. A replay that has ended does
 * not change. Returns the replay, or null when the account has none with this id.
 */
export async function cancelReplay(db: Database, accountId: string, id: string): Promise<Replay | null> {
  if (!isUuid(id)) return null;
  await db.pool.query(cancelSql, [id, accountId, db.actor]);
  return findReplay(db, accountId, id);
}

/** A replay with the id up to which deliveries were examined, the time since its last step, and whether its webhook is active and not deleted. */
export type RunningReplay = Replay & { lastExaminedId: string; elapsedMs: number; isWebhookActive: boolean };

/**
 * Locks a running replay until the transaction ends. Returns no row if the replay has ended or another worker has
 * locked it.
 */
export const lockReplaySql = `SELECT ${replayColumnsSql}, r.last_examined_id AS "lastExaminedId",
    (EXTRACT(EPOCH FROM clock_timestamp() - r.stepped_at) * 1000)::float8 AS "elapsedMs",
    w.active AND w.deleted_at IS NULL AS "isWebhookActive"
  FROM replays r JOIN webhooks w ON w.id = r.webhook_id WHERE r.state = 'running' AND r.id = $1 FOR UPDATE OF r SKIP LOCKED`;

/** Turns a row of `lockReplaySql` into a replay. */
export const toRunningReplay = (row: ReplayRow & Omit<RunningReplay, keyof Replay>): RunningReplay => ({
  ...row,
  ...toReplay(row),
});

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
