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
import { integer, text, uuid } from '../sql/columns.js';
import { statement } from '../sql/statement.js';

type StoredSecret = SecretLocation & { value: string };

const storedSecretsSql = secretColumns
  .map((column) => ({ column, ...splitColumn(column) }))
  .map(({ column, table, name }) => `SELECT '${column}' AS "column", id, ${name} AS value FROM ${table}`)
  .join(' UNION ALL ');
const columns = { column: text.as<SecretColumn>(), id: uuid, value: text.withoutNulls };
const unknownKeyStatement = statement<{ prefixes: string[] }>(`SELECT "column", id, value FROM (${storedSecretsSql}) s
  WHERE value ^@ 'v1:' AND NOT value ^@ ANY($prefixes::text[]) AND value ~ '^v1:[A-Za-z0-9_-]{1,32}:[A-Za-z0-9_-]{38,}$' LIMIT 1`).returns(
  columns,
);
const samplesStatement = statement<{ prefix: string }>(
  `SELECT "column", id, value FROM (${storedSecretsSql}) s WHERE value ^@ $prefix LIMIT 5`,
).returns(columns);

/**
 * Throws an UnreadableSecretError if there are encrypted secrets and the configured keys decrypt none of a sample: up
 * to five secrets of each key. A process with such keys would store new secrets that the other processes cannot read,
 * or could send no callback. A single secret that no key decrypts is accepted, and the API shows it as unreadable.
 */
export async function requireReadableSecrets(db: Pick<Database, 'pool' | 'secrets'>): Promise<void> {
  const prefixes = db.secrets.keyIds.map((id) => `v1:${id}:`);
  const unreadable = await unknownKeyStatement.rows(db.pool, { prefixes });
  for (const prefix of prefixes) {
    const samples = await samplesStatement.rows(db.pool, { prefix });
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
type ReencryptionCounts = { encrypted: number; left: number; unreadable: number };

type Stored = { id: string; value: string };

const batchSize = 500;

const statementsOf = (column: SecretColumn) => {
  const { table, name } = splitColumn(column);
  return {
    column,
    page: statement<{ after: string; prefix: string }>(`SELECT id, ${name} AS value FROM ${table}
      WHERE id > $after AND NOT ${name} ^@ $prefix ORDER BY id LIMIT ${batchSize}`).returns({
      id: uuid,
      value: text.withoutNulls,
    }),
    // A value that was edited after it was read does not change: the edit has already encrypted it.
    replace: statement<{ ids: string[]; old: string[]; new: string[] }>(`UPDATE ${table} t SET ${name} = i.new
      FROM unnest($ids::uuid[], $old::text[], $new::text[]) AS i(id, old, new) WHERE t.id = i.id AND t.${name} = i.old`),
    countLeft: statement<{ prefix: string }>(
      `SELECT count(*)::int AS n FROM ${table} WHERE NOT ${name} ^@ $prefix`,
    ).returns({ n: integer }),
  };
};
const columnStatements = secretColumns.map(statementsOf);

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
    for (const statements of columnStatements) {
      const { encrypted, unreadable } = await reencryptColumn(db, statements, prefix);
      const left = await statements.countLeft.row(db.pool, { prefix });
      counts.encrypted += encrypted;
      counts.unreadable += unreadable;
      counts.left += left?.n ?? 0;
    }
  });
  return ran ? counts : null;
}

const noKey =
  'SECRETS_KEYS is not set, so there is no key to encrypt with; ' +
  'run the command with the SECRETS_KEYS of the API and the workers';

async function reencryptColumn(
  db: Database,
  { column, page, replace }: ReturnType<typeof statementsOf>,
  prefix: string,
): Promise<Omit<ReencryptionCounts, 'left'>> {
  const counts = { encrypted: 0, unreadable: 0 };
  for (let after = lowestId; ;) {
    const rows = await page.rows(db.pool, { after, prefix });
    const readable = rows.flatMap((row) => reencrypt(db, column, row) ?? []);
    const list = (name: 'id' | 'old' | 'new') => readable.map((row) => row[name]);
    counts.encrypted += await replace.run(db.pool, { ids: list('id'), old: list('old'), new: list('new') });
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
