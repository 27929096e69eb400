import type pg from 'pg';
import type { Database } from '../connection/database.js';
import type { ImportContext } from './import-batch.js';

/** The tables that an import reads and writes, with the indexes that it needs: others would take most of the time. */
const copiedTables = {
  accounts: ['PRIMARY KEY (id)', 'CONSTRAINT accounts_external_id_key UNIQUE (external_id)'],
  access_tokens: ['PRIMARY KEY (id)', 'UNIQUE (hash)'],
  webhooks: ['PRIMARY KEY (id)'],
  verifications: ['PRIMARY KEY (id)', 'UNIQUE (webhook_id, id)'],
  subscriptions: ['PRIMARY KEY (id)', 'UNIQUE (account_id, event, identity, webhook_id)', 'UNIQUE (webhook_id, id)'],
};
/** Those that it only adds to, and that may be large. */
const emptyTables = { events: [], event_keys: ['PRIMARY KEY (key)'], changes: [] };

/**
 * Gives a connection temporary tables in place of those that an import reads and writes, so that a dry run locks
 * nothing, holds up nobody, and stores nothing. PostgreSQL finds them before the tables of a schema. Close the
 * connection afterwards. Between its statements it has no open transaction, so use it with `beginDryRunSql`.
 */
export async function openDryRun(client: pg.PoolClient, { schema }: Pick<Database, 'schema'>): Promise<void> {
  const create = (table: string) =>
    `CREATE TEMPORARY TABLE ${table} (LIKE "${schema}".${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS);`;
  const copy = (table: string) => `INSERT INTO pg_temp.${table} SELECT * FROM "${schema}".${table};`;
  const index = ([table, keys]: [string, string[]]) =>
    keys.map((key) => `ALTER TABLE pg_temp.${table} ADD ${key};`).join('\n');
  const tables = { ...copiedTables, ...emptyTables };
  // Ids below 0 are none of another subscription.
  await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ;
    ${Object.keys(tables).map(create).join('\n')}
    ${Object.keys(copiedTables).map(copy).join('\n')}
    ${Object.entries(tables).map(index).join('\n')}
    CREATE TEMPORARY SEQUENCE subscriptions_id_seq MINVALUE -2147483648 MAXVALUE -1 START -2147483648
      OWNED BY pg_temp.subscriptions.id;
    COMMIT`);
}

/** Begins a transaction in which PostgreSQL refuses to write any table that is not temporary. */
export const beginDryRunSql = 'BEGIN READ ONLY';

/** Adds the keys that exist to the temporary table. */
export async function copyEventKeys({ client, db }: ImportContext, keys: string[]): Promise<void> {
  const sql = `INSERT INTO pg_temp.event_keys SELECT * FROM "${db.schema}".event_keys WHERE key = ANY($1::text[])
    ON CONFLICT (key) DO NOTHING`;
  await client.query(sql, [keys]);
}
