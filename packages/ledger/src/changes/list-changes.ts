import type { ChangeAction, ChangedField } from './record-change.js';
import { deleteInBatches, maxDeletedAtOnce } from '../sql/delete-in-batches.js';
import { cutPage, type AdjacentCursors, type CursorPageRequest } from '../sql/cursor-page.js';
import type { Actor, Database } from '../connection/open.js';
import { idAt } from '../sql/uuid.js';

/** An entry of the change history: who changed what, and when. */
export type Change = {
  id: string;
  /** Null for a change to the whole service, such as a new platform token. */
  accountId: string | null;
  at: Date;
  actor: Actor;
  action: ChangeAction;
  objectType: string;
  objectId: string;
  changed: ChangedField[];
};

/** Selects changes. An absent field matches all. */
export type ChangeFilter = {
  objectId?: string | undefined;
  action?: ChangeAction | undefined;
  /** At this time or later. */
  since?: Date | undefined;
  /** Before this time. */
  until?: Date | undefined;
};

const columnsSql = `id, account_id AS "accountId", at, actor, action, object_type AS "objectType",
  object_id AS "objectId", changed`;

type ChangeRequest = { filter: ChangeFilter; webhookIds?: readonly string[] | undefined } & CursorPageRequest;

/**
 * One page of the account's changes, newest first; with `webhookIds` only changes whose object is one of these
 * webhooks. Each filter has an index of `changes`.
 */
export async function listChanges(
  db: Database,
  accountId: string,
  { filter, webhookIds, cursor, perPage }: ChangeRequest,
): Promise<{ changes: Change[] } & AdjacentCursors> {
  const { objectId, action, since, until } = filter;
  const towardsOlder = cursor?.towardsOlder ?? true;
  const conditions: [string, unknown][] = [
    ['account_id =', accountId],
    ['object_id =', objectId],
    ['action =', action],
    [`object_type = 'webhook' AND object_id = ANY`, webhookIds],
    ['id >=', since && idAt(since)],
    ['id <', until && idAt(until)],
    [towardsOlder ? 'id <' : 'id >', cursor?.id],
  ];
  const usedConditions = conditions.filter(([, value]) => value !== undefined);
  const where = usedConditions.map(([condition], index) => `${condition} ($${index + 1})`).join(' AND ');
  const { rows } = await db.pool.query<Change>(
    `SELECT ${columnsSql} FROM changes WHERE ${where}
      ORDER BY id ${towardsOlder ? 'DESC' : 'ASC'} LIMIT ${perPage + 1}`,
    usedConditions.map(([, value]) => value),
  );
  const { rows: changes, ...cursors } = cutPage(rows, { cursor, perPage });
  return { changes, ...cursors };
}

/** The newest changes of one account, or of all accounts and the service, for operators. */
export async function listNewestChanges(
  db: Database,
  { accountId = null, limit }: { accountId?: string | null; limit: number },
): Promise<Change[]> {
  const { rows } = await db.pool.query<Change>(
    `SELECT ${columnsSql} FROM changes ${accountId === null ? '' : 'WHERE account_id = $2'} ORDER BY id DESC LIMIT $1`,
    accountId === null ? [limit] : [limit, accountId],
  );
  return rows;
}

const dayMs = 86_400_000;

/**
 * Deletes changes that are older than `keptDays` days, in statements of 10,000 rows; 0 keeps all. Returns the number of
 * deleted changes.
 */
export async function deleteOldChanges(
  db: Database,
  { keptDays, now = Date.now() }: { keptDays: number; now?: number },
): Promise<number> {
  if (keptDays === 0) return 0;
  const before = idAt(new Date(now - keptDays * dayMs));
  const deleteSql = `DELETE FROM changes WHERE id IN (SELECT id FROM changes WHERE id < $1 ORDER BY id LIMIT ${maxDeletedAtOnce})`;
  return deleteInBatches(db, deleteSql, [before]);
}
