import type { Database } from '../connection/open.js';

/** The actions that the change history records. */
export const changeActions = [
  'account.created',
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

/** The type of the object that an action changes. Signing secrets and verifications have no id of their own. */
function objectTypeOf(action: ChangeAction): string {
  const [object = ''] = action.split('.');
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
  tx: Pick<Database['prisma'], 'change'>,
  db: Database,
  change: NewChange,
): Promise<void> {
  await tx.change.create({ data: newChangeRow(db, change) });
}
