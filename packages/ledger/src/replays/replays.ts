import { addedFieldSql, insertChangeSql } from '../changes.js';
import { type DeliveryFilter, buildDeliverySearch, logJoinsSql } from '../deliveries/delivery-filter.js';
import { cutPage, type AdjacentCursors, type CursorPageRequest } from '../sql/pages.js';
import type { Actor, Database } from '../connection/open.js';
import { unpreparedStatement } from '../sql/statement.js';
import { isUuid, lowestId } from '../sql/uuid.js';

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
const windowSize = 10_000;
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
          SELECT d.id FROM deliveries d WHERE ${indexedConditions} ORDER BY d.id LIMIT ${windowSize})
        SELECT (
            SELECT count(*)::int FROM c JOIN deliveries d ON d.id = c.id ${logJoinsSql} WHERE ${otherConditions}) AS matches,
          (SELECT count(*)::int FROM c) AS examined, (SELECT id FROM c ORDER BY id DESC LIMIT 1) AS last`,
      values,
    );
    const [row] = rows;
    count += row?.matches ?? 0;
    id = row && row.examined === windowSize ? row.last : null;
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
