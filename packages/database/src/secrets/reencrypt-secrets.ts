import { runExclusively } from '../connection/lock.js';
import type { Database } from '../connection/open.js';
import { lowestId } from '../sql/uuid.js';
import { type SecretColumn, secretColumns, splitColumn } from './secret-columns.js';
import { UnreadableSecretError } from './secrets.js';

/**
 * `resealed`: the number of secrets now sealed (encrypted) with the first key. `left`: those still not sealed with it.
 * `unreadable`: those of `left` that no key opens.
 */
export type ResealCounts = { resealed: number; left: number; unreadable: number };

type Stored = { id: string; value: string };

const batchSize = 500;

const pageOf = (column: SecretColumn) => {
  const { table, name } = splitColumn(column);
  return `SELECT id, ${name} AS value FROM ${table} WHERE id > $1 AND NOT ${name} ^@ $2 ORDER BY id LIMIT ${batchSize}`;
};
// A value that was edited since it was read is left alone: the edit has sealed it.
const replace = (column: SecretColumn) => {
  const { table, name } = splitColumn(column);
  return `UPDATE ${table} t SET ${name} = i.resealed FROM unnest($1::uuid[], $2::text[], $3::text[]) AS i(id, old, resealed)
    WHERE t.id = i.id AND t.${name} = i.old`;
};
const countOf = (column: SecretColumn) => {
  const { table, name } = splitColumn(column);
  return `SELECT count(*)::int AS n FROM ${table} WHERE NOT ${name} ^@ $1`;
};

/**
 * Seals all secrets with the first key. Each batch has its own transaction, so after an interruption the next call
 * continues. Other processes may run at the same time. Returns null while another process is resealing. Throws a
 * SecretError without a key.
 */
export async function resealSecrets(db: Database): Promise<ResealCounts | null> {
  const { prefix } = db.secrets;
  if (prefix === null) throw new UnreadableSecretError('SECRETS_KEY is not set, so there is no key to seal with');
  const counts: ResealCounts = { resealed: 0, left: 0, unreadable: 0 };
  const ran = await runExclusively(db, 'reseal', async () => {
    for (const column of secretColumns) {
      const done = await resealColumn(db, column, prefix);
      const { rows } = await db.pool.query<{ n: number }>(countOf(column), [prefix]);
      counts.resealed += done.resealed;
      counts.unreadable += done.unreadable;
      counts.left += rows[0]?.n ?? 0;
    }
  });
  return ran ? counts : null;
}

async function resealColumn(
  db: Database,
  column: SecretColumn,
  prefix: string,
): Promise<{ resealed: number; unreadable: number }> {
  const counts = { resealed: 0, unreadable: 0 };
  for (let after = lowestId; ;) {
    const { rows } = await db.pool.query<Stored>(pageOf(column), [after, prefix]);
    const readable = rows.flatMap((row) => reseal(db, column, row) ?? []);
    const list = (name: 'id' | 'value' | 'resealed') => readable.map((row) => row[name]);
    const { rowCount } = await db.pool.query(replace(column), [list('id'), list('value'), list('resealed')]);
    counts.resealed += rowCount ?? 0;
    counts.unreadable += rows.length - readable.length;
    const last = rows.at(-1);
    if (!last || rows.length < batchSize) return counts;
    after = last.id;
  }
}

function reseal({ secrets }: Database, column: SecretColumn, { id, value }: Stored) {
  const location = { column, id };
  try {
    return { id, value, resealed: secrets.encrypt(secrets.decrypt(value, location), location) };
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null;
    throw error;
  }
}
