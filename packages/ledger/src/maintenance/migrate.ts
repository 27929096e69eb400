import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { SessionClient, sessionConfig } from '@ringback/process';
import { findLockHolder, lockKeys } from '../connection/lock.js';
import { findMigrationGap, findMigrationsFolder, requireOneSchema } from './migration-gap.js';
import { createPartitions } from './partitions.js';

// These partitions are enough until a worker creates partitions for the configured retention.
const initialPartitions = { retentionDays: 30, aheadDays: 2 };

const createTableSql = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0)`;

const insertSql = `INSERT INTO "_prisma_migrations" (id, checksum, finished_at, migration_name, applied_steps_count)
  VALUES ($1, $2, now(), $3, 1)`;

export type MigrateOptions = {
  /** The schema of Ringback's tables, which is created if it is missing; `public` when absent. */
  schema?: string;
  onWait?: (pid: number) => void;
};

/**
 * Applies the missing migrations of `prisma/migrations`, each in a transaction, and creates the first partitions. It
 * records migrations as `prisma migrate deploy` does, so both can be used on the same database. Processes may call it
 * concurrently: one applies the migrations, and the others wait for it. If another process holds the lock at the start,
 * `onWait` is called with the process id of its PostgreSQL session. Returns the names of the migrations that this call
 * applied. Throws an OperatorError if another schema has Ringback's tables.
 */
export async function migrate(url: string, { schema = 'public', onWait }: MigrateOptions = {}): Promise<string[]> {
  const client = new SessionClient({ ...sessionConfig(url, schema), connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const holder = await findLockHolder(client, lockKeys.migrate);
    if (holder !== undefined) onWait?.(holder);
    await client.query('SELECT pg_advisory_lock($1)', [lockKeys.migrate]);
    await requireOneSchema(client, schema);
    await createSchema(client, schema);
    await client.query(createTableSql);
    const { missing } = await findMigrationGap(client);
    for (const name of missing) await applyMigration(client, name);
    await createPartitions(client, initialPartitions);
    return missing;
  } finally {
    await client.end();
  }
}

async function createSchema(client: pg.Client, schema: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  // CREATE SCHEMA IF NOT EXISTS would need the right to create schemas even if there is one.
  if (rowCount === 0) await client.query(`CREATE SCHEMA ${client.escapeIdentifier(schema)}`);
}

async function applyMigration(client: pg.Client, name: string): Promise<void> {
  const sql = readFileSync(new URL(`${name}/migration.sql`, findMigrationsFolder()), 'utf8');
  const checksum = createHash('sha256').update(sql).digest('hex');
  await client.query('BEGIN');
  try {
    await client.query(sql);
    await client.query(insertSql, [randomUUID(), checksum, name]);
    await client.query('COMMIT');
  } catch (error) {
    // A lost connection has rolled back already, and its error is the one to report.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
