import { dayMs } from '@ringback/process';
import type { Actor, Database } from './connection/database.js';
import type { Prisma } from './generated/client.js';
import { type AdjacentCursors, cutPage, type CursorPageRequest } from './sql/pages.js';
import { highestId, idAt, lowestId } from './sql/ids.js';
import { json, type RowOf, text, timestamp, uuid } from './sql/columns.js';
import { deleteInBatches, maxDeletedAtOnce, statement } from './sql/statement.js';

/** The actions that the change history records. */
export const changeActions = [
  'account.created',
  'account.updated',
  'account.deleted',
  'callback_token.rotated',
  'token.created',
  'token.revoked',
  'platform_token.created',
  'platform_token.revoked',
  'portal_session.created',
  'portal_session.ended',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.restored',
  'webhook.resumed',
  'webhook.tested',
  'signing_secret.shown',
  'signing_secret.rotated',
  'verification.started',
  'subscription.created',
  'subscription.deleted',
  'delivery.resent',
  'replay.started',
  'replay.cancelled',
] as const;

/** What was done, as `<object>.<verb>`. */
export type ChangeAction = (typeof changeActions)[number];

type Value = string | number | boolean | null;

/** A field that changed. Of a secret or a template, only the name is recorded. */
export type ChangedField = { field: string; before?: Value; after?: Value };

type NewChange = { accountId: string | null; action: ChangeAction; objectId: string; changed?: ChangedField[] };

/** The type of the object that an action changes. Signing secrets, verifications and callback tokens have no id. */
function objectTypeOf(action: ChangeAction): string {
  const [object = ''] = action.split('.');
  if (object === 'callback_token') return 'account';
  return object === 'signing_secret' || object === 'verification' ? 'webhook' : object;
}

/** The row of the change history for a change by the actor of `db`. Store it in the transaction of the change. */
export const newChangeRow = ({ actor }: Database, { action, changed = [], ...change }: NewChange) => ({
  ...change,
  actor,
  action,
  objectType: objectTypeOf(action),
  changed,
});

/**
 * An INSERT that records a change, for the statement that makes it. The INSERT expects the CTE `changed_rows` with the
 * columns `account_id` and `id`, and records one change for each of these rows. `actor` is the placeholder of the
 * actor, and `changed` an SQL expression for the JSON of the changed fields.
 */
export const insertChangeSql = (
  action: ChangeAction,
  { actor, changed = `'[]'` }: { actor: `$${string}`; changed?: string },
) => `INSERT INTO changes (account_id, actor, action, object_type, object_id, changed)
    SELECT account_id, ${actor}::text, '${action}', '${objectTypeOf(action)}', id::text, ${changed}::json FROM changed_rows`;

/** The JSON of a field that got its first value, for `insertChangeSql`. `value` is an SQL expression. */
export const addedFieldSql = (field: string, value: string) =>
  `json_build_object('field', '${field}', 'before', NULL, 'after', ${value})`;

/** Records a change in the caller's transaction. */
export async function recordChange(
  tx: Pick<Prisma.TransactionClient, 'change'>,
  db: Database,
  change: NewChange,
): Promise<void> {
  await tx.change.create({ data: newChangeRow(db, change) });
}

const changeColumns = {
  id: uuid,
  /** Null for a change to the whole service, such as a new platform token. */
  accountId: uuid.orNull,
  at: timestamp,
  actor: text.as<Actor>(),
  action: text.as<ChangeAction>(),
  objectType: text,
  objectId: text,
  changed: json<ChangedField[]>(),
};
const selectSql = `SELECT id, account_id AS "accountId", at, actor, action, object_type AS "objectType",
  object_id AS "objectId", changed FROM changes`;

/** An entry of the change history: who changed what, and when. */
export type Change = RowOf<typeof changeColumns>;

/** Selects changes. An absent field matches all. */
export type ChangeFilter = {
  objectId?: string | undefined;
  action?: ChangeAction | undefined;
  /** At this time or later. */
  since?: Date | undefined;
  /** Before this time. */
  until?: Date | undefined;
};

type ListParameters = {
  accountId: string;
  objectId: string | null;
  action: string | null;
  webhookIds: readonly string[] | null;
  sinceId: string;
  untilId: string;
  cursorId: string;
  limit: number;
};

// PostgreSQL plans the statement with its values, so a filter that is null costs nothing, and each other one has an
// index.
const listStatement = (afterCursorSql: string) =>
  statement<ListParameters>(`${selectSql} WHERE account_id = $accountId AND id >= $sinceId AND id < $untilId
    AND ($objectId::text IS NULL OR object_id = $objectId) AND ($action::text IS NULL OR action = $action)
    AND ($webhookIds::text[] IS NULL OR (object_type = 'webhook' AND object_id = ANY ($webhookIds)))
    AND ${afterCursorSql} LIMIT $limit`).returns(changeColumns);
const olderStatement = listStatement('id < $cursorId ORDER BY id DESC');
const newerStatement = listStatement('id > $cursorId ORDER BY id');

type ChangeRequest = { filter: ChangeFilter; webhookIds?: readonly string[] | undefined } & CursorPageRequest;

/**
 * One page of the account's changes, newest first; with `webhookIds` only changes whose object is one of these
 * webhooks.
 */
export async function listChanges(
  db: Database,
  accountId: string,
  { filter, webhookIds, cursor, perPage }: ChangeRequest,
): Promise<{ changes: Change[] } & AdjacentCursors> {
  const { objectId, action, since, until } = filter;
  const towardsOlder = cursor?.towardsOlder ?? true;
  const rows = await (towardsOlder ? olderStatement : newerStatement).rows(db.pool, {
    accountId,
    objectId: objectId ?? null,
    action: action ?? null,
    webhookIds: webhookIds ?? null,
    sinceId: since ? idAt(since) : lowestId,
    untilId: until ? idAt(until) : highestId,
    cursorId: cursor?.id ?? highestId,
    limit: perPage + 1,
  });
  const { rows: changes, ...cursors } = cutPage(rows, { cursor, perPage });
  return { changes, ...cursors };
}

const newestStatement = statement<{ accountId: string | null; limit: number }>(
  `${selectSql} WHERE $accountId::uuid IS NULL OR account_id = $accountId ORDER BY id DESC LIMIT $limit`,
).returns(changeColumns);

/** The newest changes of one account, or of all accounts and the service, for operators. */
export async function listNewestChanges(
  db: Database,
  { accountId = null, limit }: { accountId?: string | null; limit: number },
): Promise<Change[]> {
  return newestStatement.rows(db.pool, { accountId, limit });
}

const deleteStatement = statement<{ before: string }>(
  `DELETE FROM changes WHERE id IN (SELECT id FROM changes WHERE id < $before ORDER BY id LIMIT ${maxDeletedAtOnce})`,
);

/**
 * Deletes changes that are older than `keptDays` days, in statements of 10,000 rows; 0 keeps all. Returns the number of
 * deleted changes.
 */
export async function deleteOldChanges(
  db: Database,
  { keptDays, now = Date.now() }: { keptDays: number; now?: number },
): Promise<number> {
  if (keptDays === 0) return 0;
  return deleteInBatches(db, deleteStatement, { before: idAt(new Date(now - keptDays * dayMs)) });
}
