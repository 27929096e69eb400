/** The columns that hold secrets, each with its table. */
export const secretColumns = [
  'accounts.callback_token',
  'webhooks.secret',
  'webhooks.verification_code',
  'webhooks.signing_secret',
  'webhooks.previous_signing_secret',
] as const;

/** A column that holds secrets, as `table.column`. */
export type SecretColumn = (typeof secretColumns)[number];

/** The table and the name of a column. */
export function splitColumn(column: SecretColumn): { table: string; name: string } {
  const [table = '', name = ''] = column.split('.');
  return { table, name };
}
