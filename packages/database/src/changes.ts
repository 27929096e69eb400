import type { Database } from './open.js';

/** In whose name something is done: with an access token of an account, or by whoever runs the service. */
export type Actor = 'operator' | `token:${string}`;

/** Everything that leaves a line in the log of changes. */
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

/** A field that has another value now. Of one that nobody may see, the name is all that is kept. */
export type ChangedField = { field: string; before?: Value; after?: Value };

type NewChange = { accountId: string | null; action: ChangeAction; objectId: string; changed?: ChangedField[] };

/** The kind of thing that an action is done to: what has no id of its own is its webhook's. */
function objectTypeOf(action: ChangeAction): string {
  const [kind = ''] = action.split('.');
  return kind === 'signing_secret' || kind === 'verification' ? 'webhook' : kind;
}

/** The row of a change that is made with this handle, to be stored in the same transaction. */
export const changeRow = ({ actor }: Database, { action, changed = [], ...change }: NewChange) => ({
  ...change,
  actor,
  action,
  objectType: objectTypeOf(action),
  changed,
});

/**
 * The same for what is done in one statement, `WITH done AS (…)`: an insert of a line for each row of `done`, which has
 * an `account_id` and an `id`. `actor` is a placeholder, `changed` an expression of JSON.
 */
export const insertChange = (
  action: ChangeAction,
  { actor, changed = `'[]'` }: { actor: `$${number}`; changed?: string },
) => `INSERT INTO changes (account_id, actor, action, object_type, object_id, changed)
    SELECT account_id, ${actor}::text, '${action}', '${objectTypeOf(action)}', id::text, ${changed}::json FROM done`;
