import { runAlone } from './lock.js';
import type { Database } from './open.js';
import { SecretError, type SecretLocation } from './secrets.js';

/**
 * `resealed`: the number of secrets now sealed (encrypted) with the first key. `left`: those still not sealed with it.
 * `unreadable`: those of `left` that no key opens.
 */
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

const splitColumn = (column: Column) => {
  const [table = '', name = ''] = column.split('.');
  return { table, name };
};
const pageOf = (column: Column) => {
  const { table, name } = splitColumn(column);
  return `SELECT id, ${name} AS value FROM ${table} WHERE id > $1 AND NOT ${name} ^@ $2 ORDER BY id LIMIT ${batchSize}`;
};
// A value that was edited since it was read is left alone: the edit has sealed it.
const replace = (column: Column) => {
  const { table, name } = splitColumn(column);
  return `UPDATE ${table} t SET ${name} = i.resealed FROM unnest($1::uuid[], $2::text[], $3::text[]) AS i(id, old, resealed)
    WHERE t.id = i.id AND t.${name} = i.old`;
};
const countOf = (column: Column) => {
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
  .map((column) => ({ column, ...splitColumn(column) }))
  .map(({ column, table, name }) => `SELECT '${column}' AS "column", id, ${name} AS value FROM ${table}`)
  .join(' UNION ALL ');
const sealedWithUnknownKey = `SELECT "column", id, value FROM (${stored}) s
  WHERE value ^@ 'v1:' AND NOT value ^@ ANY($1::text[]) AND value ~ '^v1:[A-Za-z0-9_-]{1,32}:[A-Za-z0-9_-]{38,}$' LIMIT 1`;
const samples = `SELECT "column", id, value FROM (${stored}) s WHERE value ^@ $1 LIMIT 5`;

/**
 * Throws a SecretError when there are sealed secrets and the configured keys open none of a sample: five for each key.
 * Such a process would store new secrets unencrypted, or could not call any receiver. Single secrets that no key opens are
 * accepted; the API shows them as unreadable.
 */
export async function checkSecrets(db: Database): Promise<void> {
  const prefixes = db.secrets.keyIds.map((id) => `v1:${id}:`);
  const { rows: sealed } = await db.pool.query<SecretLocation & { value: string }>(sealedWithUnknownKey, [prefixes]);
  for (const prefix of prefixes) {
    const { rows: some } = await db.pool.query<SecretLocation & { value: string }>(samples, [prefix]);
    if (some.some(({ value, ...location }) => canOpen(db, value, location))) return;
    sealed.push(...some);
  }
  for (const { value, ...location } of sealed) db.secrets.open(value, location);
}

function canOpen({ secrets }: Database, value: string, location: SecretLocation): boolean {
  try {
    secrets.open(value, location);
    return true;
  } catch {
    return false;
  }
}
