import { runAlone } from './lock.js';
import { isTableMissing, noTables } from './no-tables.js';
import type { Database } from './open.js';
import { SecretError, type SecretLocation } from './secrets.js';

/** `resealed`: sealed with the first key now. `left`: still not sealed with it. `unreadable`: those of `left` that no key opens. */
export type ResealCounts = { resealed: number; left: number; unreadable: number };

type Column = SecretLocation['column'];
type Stored = { id: string; value: string };

const columns = [
  'accounts.callback_token',
  'webhooks.secret',
  'webhooks.verification_code',
  'webhooks.signing_secret',
  'webhooks.previous_signing_secret',
] as const;
const batchSize = 500;

const split = (column: Column) => {
  const [table = '', name = ''] = column.split('.');
  return { table, name };
};
const pageOf = (column: Column) => {
  const { table, name } = split(column);
  return `SELECT id, ${name} AS value FROM ${table} WHERE id > $1 AND NOT ${name} ^@ $2 ORDER BY id LIMIT ${batchSize}`;
};
// A value that was edited since it was read has been sealed by the edit.
const replace = (column: Column) => {
  const { table, name } = split(column);
  return `UPDATE ${table} t SET ${name} = i.resealed FROM unnest($1::uuid[], $2::text[], $3::text[]) AS i(id, old, resealed)
    WHERE t.id = i.id AND t.${name} = i.old`;
};
const countOf = (column: Column) => {
  const { table, name } = split(column);
  return `SELECT count(*)::int AS n FROM ${table} WHERE NOT ${name} ^@ $1`;
};

/**
 * Seals all secrets with the first key, each batch in its own transaction: after an interruption, the next call continues.
 * Safe beside running processes. Null while another process does it. Throws a SecretError without a key.
 */
export async function resealSecrets(db: Database): Promise<ResealCounts | null> {
  const { prefix } = db.secrets;
  if (prefix === null) throw new SecretError('SECRETS_KEY is not set, so there is no key to seal with');
  const counts: ResealCounts = { resealed: 0, left: 0, unreadable: 0 };
  const ran = await runAlone(db, 'reseal', async () => {
    for (const column of columns) {
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
  column: Column,
  prefix: string,
): Promise<{ resealed: number; unreadable: number }> {
  const counts = { resealed: 0, unreadable: 0 };
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
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

function reseal({ secrets }: Database, column: Column, { id, value }: Stored) {
  const location = { column, id };
  try {
    return { id, value, resealed: secrets.seal(secrets.open(value, location), location) };
  } catch (error) {
    if (error instanceof SecretError) return null;
    throw error;
  }
}

const stored = columns
  .map((column) => ({ column, ...split(column) }))
  .map(({ column, table, name }) => `SELECT '${column}' AS "column", id, ${name} AS value FROM ${table}`)
  .join(' UNION ALL ');
const foreign = `SELECT "column", id, value FROM (${stored}) s
  WHERE value ^@ 'v1:' AND NOT value ^@ ANY($1::text[]) AND value ~ '^v1:[A-Za-z0-9_-]{1,32}:[A-Za-z0-9_-]{38,}$' LIMIT 1`;
const samples = `SELECT "column", id, value FROM (${stored}) s WHERE value ^@ $1 LIMIT 5`;

/**
 * Throws a SecretError when there are sealed secrets and no configured key opens any of them: this process would store
 * secrets unencrypted beside them, or could not call any receiver. Single secrets that no key opens are accepted, and shown
 * as unreadable. Throws a plain Error when there are no tables.
 */
export async function checkSecrets(db: Database): Promise<void> {
  const prefixes = db.secrets.keyIds.map((id) => `v1:${id}:`);
  const { rows: sealed } = await db.pool
    .query<SecretLocation & { value: string }>(foreign, [prefixes])
    .catch((error: unknown) => Promise.reject(isTableMissing(error) ? new Error(noTables) : error));
  for (const prefix of prefixes) {
    const { rows: some } = await db.pool.query<SecretLocation & { value: string }>(samples, [prefix]);
    if (some.some(({ value, ...location }) => failureOf(() => db.secrets.open(value, location)).length === 0)) return;
    sealed.push(...some);
  }
  for (const { value, ...location } of sealed) db.secrets.open(value, location);
}

function failureOf(act: () => unknown): unknown[] {
  try {
    act();
    return [];
  } catch (error) {
    return [error];
  }
}
