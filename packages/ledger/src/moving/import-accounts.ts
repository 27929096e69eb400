import type { PortalTheme } from '@ringback/rules';
import { type AccountStatus, changedAccountFields, parseTheme } from '../accounts/accounts.js';
import { generateToken } from '../accounts/tokens.js';
import { boolean, text, uuid } from '../sql/columns.js';
import { defineRecords, statement } from '../sql/statement.js';
import {
  given,
  type ImportContext,
  type ImportResult,
  isSameRow,
  readSecret,
  recordImportedChanges,
  timeSql,
  withUpdateTime,
} from './import-batch.js';

export type ImportedAccount = {
  id: string;
  name: string;
  externalId?: string | null | undefined;
  status?: AccountStatus | undefined;
  theme?: PortalTheme | null | undefined;
  callbackToken?: string | undefined;
  createdAt?: string | undefined;
  updatedAt?: string | undefined;
};

const column = 'accounts.callback_token';

type Row = {
  id: string;
  name: string;
  externalId: string | null;
  isSuspended: boolean;
  /** JSON, so that rows can be compared. */
  theme: string | null;
  callbackToken: string;
  createdAt: string | null;
  updatedAt: string | null;
};

/** What is imported and exported of accounts: the columns of a SELECT, and their types. */
export const accountSql = `id, name, external_id AS "externalId", suspended_at IS NOT NULL AS "isSuspended",
      theme, callback_token AS "callbackToken", ${timeSql('created_at')} AS "createdAt", ${timeSql('updated_at')} AS "updatedAt"`;
export const accountColumns = {
  id: uuid,
  name: text,
  externalId: text.orNull,
  isSuspended: boolean,
  theme: text.orNull,
  callbackToken: text,
  createdAt: text.withoutNulls,
  updatedAt: text.withoutNulls,
};

// A deleted account is created again.
const existingStatement = statement<{ ids: string[] }>(
  `SELECT ${accountSql}
    FROM accounts WHERE id = ANY($ids::uuid[]) AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE`,
).returns(accountColumns);

const records = defineRecords<Row>({
  id: ['uuid', ({ id }) => id],
  name: ['text', ({ name }) => name],
  external_id: ['text', ({ externalId }) => externalId],
  is_suspended: ['boolean', ({ isSuspended }) => isSuspended],
  theme: ['text', ({ theme }) => theme],
  callback_token: ['text', ({ callbackToken }) => callbackToken],
  created_at: ['timestamptz', ({ createdAt }) => createdAt],
  updated_at: ['timestamptz', ({ updatedAt }) => updatedAt],
});
const storeStatement = statement<{ rows: string }>(
  `INSERT INTO accounts AS a (id, name, external_id, suspended_at, theme, callback_token, created_at, updated_at)
    SELECT id, name, external_id, CASE WHEN is_suspended THEN clock_timestamp() END, theme, callback_token,
      COALESCE(created_at, clock_timestamp()), COALESCE(updated_at, clock_timestamp()) FROM ${records.from('$rows')}
    ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, external_id = EXCLUDED.external_id,
      suspended_at = CASE WHEN EXCLUDED.suspended_at IS NOT NULL THEN COALESCE(a.suspended_at, EXCLUDED.suspended_at) END,
      theme = EXCLUDED.theme, callback_token = EXCLUDED.callback_token, created_at = EXCLUDED.created_at, updated_at = EXCLUDED.updated_at,
      deleted_at = NULL`,
);

// The tokens that ended with a deleted account do not come back with it, but by their own lines.
const deleteEndedTokensStatement = statement<{ ids: string[] }>(
  `DELETE FROM access_tokens t USING accounts a
    WHERE a.id = ANY($ids::uuid[]) AND t.account_id = a.id AND t.revoked_at = a.deleted_at`,
);

/** Imports accounts by their ids. A new account without a callback token gets a new one. */
export async function importAccounts(context: ImportContext, lines: ImportedAccount[]): Promise<ImportResult[]> {
  const { db, client } = context;
  const existing = await existingStatement.rows(client, { ids: lines.map(({ id }) => id) });
  const existingById = new Map(existing.map((row) => [row.id, row]));
  const rows: Row[] = [];
  const changes = [];
  const results: ImportResult[] = [];
  for (const line of lines) {
    const { id } = line;
    const before = existingById.get(id);
    const hasNewToken =
      line.callbackToken !== undefined &&
      (!before || line.callbackToken !== readSecret(db, before.callbackToken, { column, id }));
    const encrypt = (token: string) => db.secrets.encrypt(token, { column, id });
    const callbackToken =
      before && !hasNewToken ? before.callbackToken : encrypt(line.callbackToken ?? generateToken('callback'));
    const after = mergedRow({ ...line, callbackToken }, before);
    if (before && isSameRow(before, after)) {
      results.push({ state: 'unchanged' });
      continue;
    }
    rows.push(after);
    results.push({ state: before ? 'updated' : 'created' });
    const changed = changedAccountFields(before ? fieldsOf(before) : null, fieldsOf(after));
    if (!before) changes.push({ accountId: id, action: 'account.created' as const, objectId: id, changed });
    else if (changed.length > 0)
      changes.push({ accountId: id, action: 'account.updated' as const, objectId: id, changed });
  }
  if (rows.length > 0) {
    await deleteEndedTokensStatement.run(client, { ids: rows.map(({ id }) => id) });
    await storeStatement.run(client, { rows: records.encode(rows) });
  }
  await recordImportedChanges(context, changes);
  return results;
}

function mergedRow(line: ImportedAccount & { callbackToken: string }, before: Row | undefined): Row {
  const row: Row = {
    id: line.id,
    name: line.name,
    externalId: given(line.externalId, before?.externalId ?? null),
    isSuspended: line.status === undefined ? (before?.isSuspended ?? false) : line.status === 'suspended',
    theme: line.theme === undefined ? (before?.theme ?? null) : line.theme && JSON.stringify(line.theme),
    callbackToken: line.callbackToken,
    createdAt: line.createdAt ?? before?.createdAt ?? null,
    updatedAt: line.updatedAt ?? (before ? before.updatedAt : (line.createdAt ?? null)),
  };
  return withUpdateTime(row, before, line);
}

const fieldsOf = ({ name, externalId, isSuspended, theme }: Row) => ({
  name,
  externalId,
  status: isSuspended ? ('suspended' as const) : ('active' as const),
  theme: parseTheme(theme),
});
