import type { Database } from '../connection/open.js';
import { secretColumns, splitColumn } from './secret-columns.js';
import type { SecretLocation } from './secrets.js';

type StoredSecret = SecretLocation & { value: string };

const storedSecretsSql = secretColumns
  .map((column) => ({ column, ...splitColumn(column) }))
  .map(({ column, table, name }) => `SELECT '${column}' AS "column", id, ${name} AS value FROM ${table}`)
  .join(' UNION ALL ');
const encryptedWithUnknownKeySql = `SELECT "column", id, value FROM (${storedSecretsSql}) s
  WHERE value ^@ 'v1:' AND NOT value ^@ ANY($1::text[]) AND value ~ '^v1:[A-Za-z0-9_-]{1,32}:[A-Za-z0-9_-]{38,}$' LIMIT 1`;
const samplesSql = `SELECT "column", id, value FROM (${storedSecretsSql}) s WHERE value ^@ $1 LIMIT 5`;

/**
 * Throws an UnreadableSecretError if there are encrypted secrets and the configured keys decrypt none of a sample: up
 * to five secrets of each key. A process with such keys would store new secrets that the other processes cannot read,
 * or could send no callback. A single secret that no key decrypts is accepted, and the API shows it as unreadable.
 */
export async function requireReadableSecrets(db: Pick<Database, 'pool' | 'secrets'>): Promise<void> {
  const prefixes = db.secrets.keyIds.map((id) => `v1:${id}:`);
  const { rows: unreadable } = await db.pool.query<StoredSecret>(encryptedWithUnknownKeySql, [prefixes]);
  for (const prefix of prefixes) {
    const { rows: samples } = await db.pool.query<StoredSecret>(samplesSql, [prefix]);
    if (samples.some((sample) => canDecrypt(db, sample))) return;
    unreadable.push(...samples);
  }
  // No key decrypts these, so the first call throws.
  for (const { value, ...location } of unreadable) db.secrets.decrypt(value, location);
}

function canDecrypt({ secrets }: Pick<Database, 'secrets'>, { value, ...location }: StoredSecret): boolean {
  try {
    secrets.decrypt(value, location);
    return true;
  } catch {
    return false;
  }
}
