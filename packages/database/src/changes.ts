import type { Database } from './open.js';

/** The actions that the log of changes records. */
export const changeActions = [
  'account.created',
  'token.created',
  'token.revoked',
  'platform_token.created',
  'platform_token.revoked',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.restored',
  'webhook.released',
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
export type ChangeAction = (typeof changeActions)[number];

type Value = string | number | boolean | null;

/** A field that changed. A secret field has its name only. */
export type ChangedField = { field: string; before?: Value; after?: Value };

type NewChange = { accountId: string | null; action: ChangeAction; objectId: string; changed?: ChangedField[] };

/** The type of the object that an action changes. Signing secrets and verifications have no id of their own. */
function objectTypeOf(action: ChangeAction): string {
  const [kind = ''] = action.split('.');
  return kind === 'signing_secret' || kind === 'verification' ? 'webhook' : kind;
}

/** The row of the log for a change by this handle's actor, to be stored in the transaction of the change. */
export const changeRow = ({ actor }: Database, { action, changed = [], ...change }: NewChange) => ({
  ...change,
  actor,
  action,
  objectType: objectTypeOf(action),
  changed,
});

/**
 * The same within one statement, `WITH changed_rows AS (…)`: inserts a row into the log for each of `changed_rows`, which has an
 * `account_id` and an `id`. `actor` is a parameter, `changed` an expression of JSON.
 */
export const insertChange = (
  action: ChangeAction,
  { actor, changed = `'[]'` }: { actor: `$${string}`; changed?: string },
) => `INSERT INTO changes (account_id, actor, action, object_type, object_id, changed)
    SELECT account_id, ${actor}::text, '${action}', '${objectTypeOf(action)}', id::text, ${changed}::json FROM changed_rows`;

/** Stores the row of a change in the caller's transaction. */
export async function logChange(
  tx: Pick<Database['prisma'], 'change'>,
  db: Database,
  change: NewChange,
): Promise<void> {
  await tx.change.create({ data: changeRow(db, change) });
}
