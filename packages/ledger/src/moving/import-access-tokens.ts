import { randomUUID } from 'node:crypto';
import { scopes as allScopes } from '../accounts/tokens.js';
import type { Scope } from '../generated/client.js';
import { arrayOf, text, uuid } from '../sql/columns.js';
import { defineRecords, statement } from '../sql/statement.js';
import {
  findUnknownOwners,
  type ImportContext,
  type ImportResult,
  overwriteSql,
  recordImportedChanges,
  refused,
  timeSql,
} from './import-batch.js';

export type ImportedAccessToken = {
  accountId: string;
  /** SHA-256 of the token, lower-case hex. Of a Sanctum token, of what follows `|`. */
  hash: string;
  id?: string | undefined;
  name?: string | undefined;
  scopes?: Scope[] | undefined;
  createdAt?: string | undefined;
  revokedAt?: string | undefined;
};

type Row = { id: string; accountId: string; hash: string; name: string | null; scopes: Scope[] } & {
  createdAt: string | null;
  revokedAt: string | null;
};

/** What is imported and exported of access_tokens: the columns of a SELECT, and their types. */
export const accessTokenSql = `id, account_id AS "accountId", hash, name, scopes::text[] AS scopes, ${timeSql('created_at')} AS "createdAt",
      ${timeSql('revoked_at')} AS "revokedAt"`;
export const accessTokenColumns = {
  id: uuid,
  accountId: uuid,
  hash: text,
  name: text.orNull,
  scopes: arrayOf(text).as<Scope[]>(),
  createdAt: text.withoutNulls,
  revokedAt: text.orNull,
};

const existingStatement = statement<{ hashes: string[] }>(
  `SELECT ${accessTokenSql}
    FROM access_tokens WHERE hash = ANY($hashes::text[]) ORDER BY id FOR NO KEY UPDATE`,
).returns(accessTokenColumns);

const records = defineRecords<Row>({
  id: ['uuid', ({ id }) => id],
  account_id: ['uuid', ({ accountId }) => accountId],
  hash: ['text', ({ hash }) => hash],
  name: ['text', ({ name }) => name],
  scopes: ['text[]', ({ scopes }) => scopes],
  created_at: ['timestamptz', ({ createdAt }) => createdAt],
  revoked_at: ['timestamptz', ({ revokedAt }) => revokedAt],
});
const storeStatement = statement<{ rows: string }>(
  `INSERT INTO access_tokens (id, account_id, hash, name, scopes, created_at, revoked_at)
    SELECT id, account_id, hash, name, scopes::scope[], COALESCE(created_at, clock_timestamp()), revoked_at
      FROM ${records.from('$rows')}
    ON CONFLICT (hash) DO UPDATE SET ${overwriteSql(['name', 'scopes', 'created_at', 'revoked_at'])}`,
);

/** Imports access tokens by their hashes. One that was revoked here stays revoked unless the line says when it was. */
export async function importAccessTokens(
  context: ImportContext,
  lines: ImportedAccessToken[],
): Promise<ImportResult[]> {
  const { client } = context;
  const unknownOwners = await findUnknownOwners(client, lines);
  const existing = await existingStatement.rows(client, { hashes: lines.map(({ hash }) => hash) });
  const existingByHash = new Map(existing.map((row) => [row.hash, row]));
  const rows: Row[] = [];
  const changes = [];
  const results: ImportResult[] = [];
  for (const [index, line] of lines.entries()) {
    const before = existingByHash.get(line.hash);
    const owner = unknownOwners[index];
    if (typeof owner === 'string') results.push(refused(owner));
    else if (before && before.accountId !== line.accountId)
      results.push(refused('the token is one of another account'));
    else {
      const row = mergedRow(line, before);
      const isSame = before !== undefined && isEqual(row, before);
      results.push({ state: isSame ? 'unchanged' : before ? 'updated' : 'created' });
      if (isSame) continue;
      rows.push(row);
      if (before) continue;
      const changed = [{ field: 'scopes', before: null, after: row.scopes.join(',') }];
      changes.push({ accountId: row.accountId, action: 'token.created' as const, objectId: row.id, changed });
    }
  }
  if (rows.length > 0) await storeStatement.run(client, { rows: records.encode(rows) });
  await recordImportedChanges(context, changes);
  return results;
}

function mergedRow(line: ImportedAccessToken, before: Row | undefined): Row {
  const requested = line.scopes ?? before?.scopes ?? allScopes;
  return {
    id: before?.id ?? line.id ?? randomUUID(),
    accountId: line.accountId,
    hash: line.hash,
    name: line.name ?? before?.name ?? null,
    scopes: allScopes.filter((scope) => requested.includes(scope)),
    createdAt: line.createdAt ?? before?.createdAt ?? null,
    revokedAt: line.revokedAt ?? before?.revokedAt ?? null,
  };
}

const isEqual = (row: Row, before: Row) =>
  row.name === before.name &&
  row.scopes.join() === before.scopes.join() &&
  row.createdAt === before.createdAt &&
  row.revokedAt === before.revokedAt;
