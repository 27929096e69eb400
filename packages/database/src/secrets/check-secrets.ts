import type pg from 'pg';
import { secretColumns, splitColumn } from './secret-columns.js';
import type { SecretLocation, Secrets } from './secrets.js';

// The fields of `Database` that are used. Its file imports this folder.
type SealedDatabase = { pool: pg.Pool; secrets: Secrets };

const stored = secretColumns
  .map((column) => ({ column, ...splitColumn(column) }))
  .map(({ column, table, name }) => `SELECT '${column}' AS "column", id, ${name} AS value FROM ${table}`)
  .join(' UNION ALL ');
const sealedWithUnknownKey = `SELECT "column", id, value FROM (${stored}) s
  WHERE value ^@ 'v1:' AND NOT value ^@ ANY($1::text[]) AND value ~ '^v1:[A-Za-z0-9_-]{1,32}:[A-Za-z0-9_-]{38,}$' LIMIT 1`;
const samples = `SELECT "column", id, value FROM (${stored}) s WHERE value ^@ $1 LIMIT 5`;

/**
 * Throws a SecretError when there are sealed secrets and the configured keys open none of a sample: five for each key.
 * Such a process would store new secrets unencrypted, or could not call any receiver. Single secrets that no key opens
 * are accepted; the API shows them as unreadable.
 */
export async function checkSecrets(db: SealedDatabase): Promise<void> {
  const prefixes = db.secrets.keyIds.map((id) => `v1:${id}:`);
  const { rows: sealed } = await db.pool.query<SecretLocation & { value: string }>(sealedWithUnknownKey, [prefixes]);
  for (const prefix of prefixes) {
    const { rows: some } = await db.pool.query<SecretLocation & { value: string }>(samples, [prefix]);
    if (some.some(({ value, ...location }) => canOpen(db, value, location))) return;
    sealed.push(...some);
  }
  for (const { value, ...location } of sealed) db.secrets.decrypt(value, location);
}

function canOpen({ secrets }: SealedDatabase, value: string, location: SecretLocation): boolean {
  try {
    secrets.decrypt(value, location);
    return true;
  } catch {
    return false;
  }
}
