import type pg from 'pg';
import { addedFieldSql, insertChangeSql } from '../changes.js';
import { type Actor, type Database, inTransaction } from '../connection/database.js';
import { lockAccountStatement } from '../connection/lock.js';
import { highestId, isUuid, lowestId } from '../sql/ids.js';
import { type AdjacentCursors, type CursorPageRequest, cutPage } from '../sql/pages.js';
import {
  buildDeliverySearch,
  type DeliveryFilter,
  logJoinsSql,
  type SearchParameters,
  searchStatements,
} from './delivery-search.js';
import { waitingSql } from './due.js';
import { resendAssignmentsSql } from './resend.js';
import { arrayOf, boolean, float, integer, json, type RowOf, text, timestamp, uuid } from '../sql/columns.js';
import { statement } from '../sql/statement.js';

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

type StoredFilter = Omit<DeliveryFilter, 'since' | 'until'> & { since?: string; until?: string };

const replayColumns = {
  id: uuid,
  accountId: uuid,
  webhookId: uuid,
  filter: json<StoredFilter>(),
  state: text.as<Replay['state']>(),
  reason: text.orNull,
  rate: integer,
  total: integer.orNull,
  replayed: integer,
  createdAt: timestamp,
  updatedAt: timestamp,
  finishedAt: timestamp.orNull,
};
type ReplayRow = RowOf<typeof replayColumns>;

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

const countColumns = { matches: integer, examined: integer, last: uuid.orNull };
type CountRow = RowOf<typeof countColumns>;
const countStatementOf = searchStatements(({ examinedIdsSql, conditionsSql }) =>
  statement<SearchParameters>(`WITH c AS MATERIALIZED (${examinedIdsSql('ASC', countWindowSize)})
    SELECT (SELECT count(*)::int FROM c JOIN deliveries d ON d.id = c.id ${logJoinsSql} WHERE ${conditionsSql}) AS matches,
      (SELECT count(*)::int FROM c) AS examined, (SELECT id FROM c ORDER BY id DESC LIMIT 1) AS last`).returns(
    countColumns,
  ),
);

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
    const search = buildDeliverySearch(accountId, filter, { id, towardsOlder: false });
    const row: CountRow | undefined = await countStatementOf(search).row(db.pool, search.parameters);
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
const startStatement = statement<StartParameters>(`WITH changed_rows AS (
    INSERT INTO replays (account_id, webhook_id, filter, rate, total)
      VALUES ($accountId, $webhookId, $filter, $rate, $total)
      ON CONFLICT (webhook_id) WHERE state = 'running' DO NOTHING RETURNING *
  ), log AS (${insertChangeSql('replay.started', { actor: '$actor', changed: startedFieldsSql })})
  SELECT ${replayColumnsSql} FROM changed_rows r`).returns(replayColumns);

const countRunningStatement = statement<{ accountId: string }>(
  `SELECT count(*)::int AS count FROM replays WHERE account_id = $accountId AND state = 'running'`,
).returns({ count: integer });

/** The account has the maximum number of running replays. Nothing was stored. */
export class TooManyReplaysError extends Error {
  override readonly name = 'TooManyReplaysError';
}

/**
 * Counts the deliveries and stores a replay, which workers then run. Null when the webhook has a running replay. Throws
 * a TooManyReplaysError above `maxRunning` running ones of the account; concurrent requests do not exceed it.
 */
export async function startReplay(
  db: Database,
  accountId: string,
  { webhookId, filter, rate }: Pick<Replay, 'webhookId' | 'filter' | 'rate'>,
  { maxRunning = Infinity } = {},
): Promise<Replay | null> {
  const { count, isComplete } = await countDeliveries(db, accountId, filter);
  const values = { accountId, webhookId, filter: JSON.stringify(filter), rate, total: isComplete ? count : null };
  return inTransaction(db, async (client) => {
    await lockAccountStatement.run(client, { accountId });
    const running = await countRunningStatement.row(client, { accountId });
    if ((running?.count ?? 0) >= maxRunning) throw new TooManyReplaysError('too many running replays');
    const row = await startStatement.row(client, { ...values, actor: db.actor });
    return row ? toReplay(row) : null;
  });
}

const findStatement = statement<{ id: string; accountId: string }>(
  `SELECT ${replayColumnsSql} FROM replays r WHERE r.id = $id AND r.account_id = $accountId`,
).returns(replayColumns);

/** A replay of the account. Null for an id that is unknown, malformed, or of another account. */
export async function findReplay(db: Database, accountId: string, id: string): Promise<Replay | null> {
  if (!isUuid(id)) return null;
  const row = await findStatement.row(db.pool, { id, accountId });
  return row ? toReplay(row) : null;
}

type ListParameters = {
  accountId: string;
  webhookId: string | null;
  webhookIds: readonly string[] | null;
  cursorId: string;
  limit: number;
};
const listStatement = (afterCursorSql: string) =>
  statement<ListParameters>(`SELECT ${replayColumnsSql} FROM replays r WHERE r.account_id = $accountId
    AND ($webhookId::uuid IS NULL OR r.webhook_id = $webhookId)
    AND ($webhookIds::uuid[] IS NULL OR r.webhook_id = ANY($webhookIds)) AND ${afterCursorSql} LIMIT $limit`).returns(
    replayColumns,
  );
const olderStatement = listStatement('r.id < $cursorId ORDER BY r.id DESC');
const newerStatement = listStatement('r.id > $cursorId ORDER BY r.id');

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
  const rows = await (towardsOlder ? olderStatement : newerStatement).rows(db.pool, {
    accountId,
    webhookId: webhookId ?? null,
    webhookIds: webhookIds ?? null,
    cursorId: cursor?.id ?? highestId,
    limit: perPage + 1,
  });
  const { rows: page, ...cursors } = cutPage(rows, { cursor, perPage });
  return { replays: page.map(toReplay), ...cursors };
}

/** The account of a replay, for operators. Null when no replay has this id. */
export async function findAccountOfReplay(db: Database, id: string): Promise<string | null> {
  if (!isUuid(id)) return null;
  const replay = await (await db.prisma()).replay.findUnique({ where: { id }, select: { accountId: true } });
  return replay?.accountId ?? null;
}

const cancelStatement = statement<{ id: string; accountId: string; actor: Actor }>(`WITH changed_rows AS (
    UPDATE replays SET state = 'cancelled', finished_at = clock_timestamp(), updated_at = clock_timestamp()
      WHERE id = $id AND account_id = $accountId AND state = 'running' RETURNING *
  ) ${insertChangeSql('replay.cancelled', { actor: '$actor' })}`);

/**
 * Cancels a running replay of the account. Deliveries that it made pending are still sent. A replay that has ended does
 * not change. Returns the replay, or null when the account has none with this id.
 */
export async function cancelReplay(db: Database, accountId: string, id: string): Promise<Replay | null> {
  if (!isUuid(id)) return null;
  await cancelStatement.run(db.pool, { id, accountId, actor: db.actor });
  return findReplay(db, accountId, id);
}

/**
 * A replay with the id up to which deliveries were examined, the time since its last step, and whether its webhook is
 * active and not deleted.
 */
type RunningReplay = Replay & { lastExaminedId: string; elapsedMs: number; isWebhookActive: boolean };

/**
 * Locks a running replay until the transaction ends. Returns no row if the replay has ended or another worker has
 * locked it.
 */
const lockReplayStatement = statement<{
  id: string;
}>(`SELECT ${replayColumnsSql}, r.last_examined_id AS "lastExaminedId",
    (EXTRACT(EPOCH FROM clock_timestamp() - r.stepped_at) * 1000)::float8 AS "elapsedMs",
    w.active AND w.deleted_at IS NULL AS "isWebhookActive"
  FROM replays r JOIN webhooks w ON w.id = r.webhook_id WHERE r.state = 'running' AND r.id = $id FOR UPDATE OF r SKIP LOCKED`).returns(
  {
    ...replayColumns,
    lastExaminedId: uuid,
    elapsedMs: float,
    isWebhookActive: boolean,
  },
);

const toRunningReplay = (row: ReplayRow & Omit<RunningReplay, keyof Replay>): RunningReplay => ({
  ...row,
  ...toReplay(row),
});

const runningStatement = statement(`SELECT id FROM replays WHERE state = 'running' ORDER BY id`).returns({ id: uuid });

/** The ids of running replays. Uses the index `replays_running_key`. */
export async function listRunningReplays(db: Database): Promise<string[]> {
  return (await runningStatement.rows(db.pool, {})).map(({ id }) => id);
}

/**
 * `replayed`: how many deliveries became pending in the step. `finalState`: how the replay ended; null while it runs.
 */
type ReplayStep = { replayed: number; finalState: 'done' | 'cancelled' | null };

const noStep: ReplayStep = { replayed: 0, finalState: null };

/**
 * Advances a running replay. At most as many deliveries as the rate allows for the time since the last step become
 * pending, each for one attempt. They are committed together with the id that was reached, so a crash neither
 * omits nor repeats a delivery. If the webhook is inactive or deleted, the replay is cancelled instead. Null when
 * another worker has locked the replay, or when the replay has ended.
 */
export async function stepReplay(db: Database, id: string): Promise<ReplayStep | null> {
  return inTransaction(db, async (client) => {
    const row = await lockReplayStatement.row(client, { id });
    return row ? advance(client, toRunningReplay(row)) : null;
  });
}

const maxElapsedMs = 2_000;
// The lowest value of the limit of due deliveries.
const minDueLimit = 100;
// The maximum number of rows that one statement examines, and the maximum number of such statements in a step.
const windowSize = 5_000;
const maxWindows = 10;

const resendStatement = statement<{ ids: string[] }>(
  `UPDATE deliveries SET ${resendAssignmentsSql} WHERE id = ANY($ids::uuid[]) AND state <> 'pending'`,
);
const progressStatement = statement<{ id: string; lastExaminedId: string; replayed: number }>(
  `UPDATE replays SET last_examined_id = $lastExaminedId, replayed = replayed + $replayed, stepped_at = clock_timestamp(),
    updated_at = clock_timestamp() WHERE id = $id`,
);

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
  const replayed = await resendStatement.run(client, { ids: matches.ids });
  const { lastExaminedId } = matches;
  await progressStatement.run(client, { id: replay.id, lastExaminedId, replayed });
  if (matches.isEnd) await endReplay(client, replay, { state: 'done', reason: null });
  return { replayed, finalState: matches.isEnd ? 'done' : null };
}

const countDueStatement = statement<{ webhookId: string; maxDue: number }>(`SELECT count(*)::int AS due FROM (
  SELECT 1 FROM deliveries WHERE webhook_id = $webhookId AND due_at <= now() AND ${waitingSql} LIMIT $maxDue) w`).returns(
  { due: integer },
);

/**
 * How many deliveries may become pending: as many as the rate allows, until the webhook has max(100, 2 × rate)
 * deliveries that are due and not leased.
 */
async function readBudget(client: pg.PoolClient, { webhookId, rate, elapsedMs }: RunningReplay): Promise<number> {
  const byRate = Math.floor((rate * Math.min(elapsedMs, maxElapsedMs)) / 1_000);
  if (byRate <= 0) return 0;
  const maxDue = Math.max(minDueLimit, 2 * rate);
  const counted = await countDueStatement.row(client, { webhookId, maxDue });
  return Math.min(byRate, maxDue - (counted?.due ?? 0));
}

/**
 * Matching deliveries, and the id up to which rows were examined. `isEnd`: it is known that no row follows it.
 */
type Matches = { ids: string[]; lastExaminedId: string; isEnd: boolean };

const matchesStatementOf = searchStatements(({ examinedIdsSql, conditionsSql }) =>
  statement<SearchParameters & { limit: number }>(`WITH c AS MATERIALIZED (${examinedIdsSql('ASC', windowSize)})
    SELECT ARRAY(SELECT d.id FROM c JOIN deliveries d ON d.id = c.id ${logJoinsSql}
        WHERE ${conditionsSql} AND d.state <> 'pending' ORDER BY d.id LIMIT $limit)::text[] AS ids,
      (SELECT count(*)::int FROM c) AS examined, (SELECT id FROM c ORDER BY id DESC LIMIT 1) AS last`).returns({
    ids: arrayOf(text),
    examined: integer,
    last: uuid.orNull,
  }),
);

/** The next matching deliveries, oldest first: at most `limit`, among the 5,000 rows after `lastExaminedId`. */
async function findNext(
  client: pg.PoolClient,
  { accountId, webhookId, filter, createdAt }: RunningReplay,
  { lastExaminedId, limit }: { lastExaminedId: string; limit: number },
): Promise<Matches> {
  // Deliveries that are created after the replay are not included.
  const until = filter.until && filter.until < createdAt ? filter.until : createdAt;
  const filterUpToStart = { ...filter, webhookId, until };
  const search = buildDeliverySearch(accountId, filterUpToStart, { id: lastExaminedId, towardsOlder: false });
  const row = await matchesStatementOf(search).row(client, { ...search.parameters, limit });
  const { ids, examined, last } = row ?? { ids: [], examined: 0, last: null };
  const lastMatch = ids.at(-1);
  if (ids.length === limit && lastMatch !== undefined) return { ids, lastExaminedId: lastMatch, isEnd: false };
  return { ids, lastExaminedId: last ?? lastExaminedId, isEnd: examined < windowSize };
}

const endStatement = statement<{ id: string; state: 'done' | 'cancelled'; reason: string | null }>(
  `UPDATE replays SET state = $state, reason = $reason, finished_at = clock_timestamp(), updated_at = clock_timestamp()
    WHERE id = $id`,
);

async function endReplay(
  client: pg.PoolClient,
  { id }: RunningReplay,
  { state, reason }: { state: 'done' | 'cancelled'; reason: string | null },
): Promise<ReplayStep> {
  await endStatement.run(client, { id, state, reason });
  return { replayed: 0, finalState: state };
}
