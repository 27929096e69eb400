import { OperatorError } from '@ringback/process';
import { lowestId } from '../sql/ids.js';
import type { Database } from './database.js';
import { runExclusively } from './lock.js';
import {
  type SecretColumn,
  secretColumns,
  type SecretLocation,
  splitColumn,
  UnreadableSecretError,
} from './secrets.js';

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

/**
 * Numbers of secrets. `encrypted`: now encrypted with the first key. `left`: still not encrypted with the first key.
 * `unreadable`: those of `left` that no key decrypts.
 */
export type ReencryptionCounts = { encrypted: number; left: number; unreadable: number };

type Stored = { id: string; value: string };

const batchSize = 500;

const pageSql = (column: SecretColumn) => {
  const { table, name } = splitColumn(column);
  return `SELECT id, ${name} AS value FROM ${table} WHERE id > $1 AND NOT ${name} ^@ $2 ORDER BY id LIMIT ${batchSize}`;
};
// A value that was edited after it was read does not change: the edit has already encrypted it.
const replaceSql = (column: SecretColumn) => {
  const { table, name } = splitColumn(column);
  return `UPDATE ${table} t SET ${name} = i.new FROM unnest($1::uuid[], $2::text[], $3::text[]) AS i(id, old, new)
    WHERE t.id = i.id AND t.${name} = i.old`;
};
const countLeftSql = (column: SecretColumn) => {
  const { table, name } = splitColumn(column);
  return `SELECT count(*)::int AS n FROM ${table} WHERE NOT ${name} ^@ $1`;
};

/**
 * Encrypts all secrets with the first key. Each batch has its own transaction, so after an interruption the next call
 * continues. The API and workers may run at the same time. Returns null while another process re-encrypts. Throws an
 * OperatorError without a key.
 */
export async function reencryptSecrets(db: Database): Promise<ReencryptionCounts | null> {
  const { firstKeyPrefix: prefix } = db.secrets;
  if (prefix === null) throw new OperatorError(noKey);
  const counts: ReencryptionCounts = { encrypted: 0, left: 0, unreadable: 0 };
  const ran = await runExclusively(db, 'secrets', async () => {
    for (const column of secretColumns) {
      const { encrypted, unreadable } = await reencryptColumn(db, column, prefix);
      const { rows } = await db.pool.query<{ n: number }>(countLeftSql(column), [prefix]);
      counts.encrypted += encrypted;
      counts.unreadable += unreadable;
      counts.left += rows[0]?.n ?? 0;
    }
  });
  return ran ? counts : null;
}

const noKey =
  'SECRETS_KEYS is not set, so there is no key to encrypt with; ' +
  'run the command with the SECRETS_KEYS of the API and the workers';

async function reencryptColumn(
  db: Database,
  column: SecretColumn,
  prefix: string,
): Promise<Omit<ReencryptionCounts, 'left'>> {
  const counts = { encrypted: 0, unreadable: 0 };
  for (let after = lowestId; ;) {
    const { rows } = await db.pool.query<Stored>(pageSql(column), [after, prefix]);
    const readable = rows.flatMap((row) => reencrypt(db, column, row) ?? []);
    const list = (name: 'id' | 'old' | 'new') => readable.map((row) => row[name]);
    const { rowCount } = await db.pool.query(replaceSql(column), [list('id'), list('old'), list('new')]);
    counts.encrypted += rowCount ?? 0;
    counts.unreadable += rows.length - readable.length;
    const last = rows.at(-1);
    if (!last || rows.length < batchSize) return counts;
    after = last.id;
  }
}

/** Null if no key decrypts the secret. */
function reencrypt({ secrets }: Database, column: SecretColumn, { id, value }: Stored) {
  const location = { column, id };
  try {
    return { id, old: value, new: secrets.encrypt(secrets.decrypt(value, location), location) };
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null;
    throw error;
  }
}
