import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { findRoot, OperatorError, SessionClient, sessionConfig } from '@ringback/process';
import { findLockHolder, lockKeys } from './connection/lock.js';
import type { Database } from './connection/database.js';
import { continueOutcomePositions } from './deliveries/outcome-positions.js';
import { createPartitions } from './partitions.js';
import { text } from './sql/columns.js';
import { type Client, statement } from './sql/statement.js';

// Migrations are recorded as `prisma migrate deploy` does, so both can be used on the same database.
const createTableSql = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0)`;

const recordStatement = statement<{ id: string; checksum: string; name: string }>(
  `INSERT INTO "_prisma_migrations" (id, checksum, finished_at, migration_name, applied_steps_count)
    VALUES ($id, $checksum, now(), $name, 1)`,
);

// These partitions are enough until a worker creates partitions for the configured retention.
const initialPartitions = { retentionDays: 30, aheadDays: 2 };

export type MigrateOptions = {
  /** The schema of Ringback's tables, which is created if it is missing; `public` when absent. */
  schema?: string;
  onWait?: (pid: number) => void;
};

/**
 * Applies the missing migrations of `prisma/migrations`, each in a transaction, creates the first partitions, and lets
 * outcomes continue after a restoration. Returns the names of the migrations. Several processes may call it at once:
 * one works, and the others call `onWait` with the process id of the session that holds the lock. Throws an
 * OperatorError if another schema has Ringback's tables.
 */
export async function migrate(url: string, { schema = 'public', onWait }: MigrateOptions = {}): Promise<string[]> {
  const client = new SessionClient({ ...sessionConfig(url, schema), connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const holder = await findLockHolder(client, lockKeys.migrate);
    if (holder !== undefined) onWait?.(holder);
    await client.query('SELECT pg_advisory_lock($1)', [lockKeys.migrate]);
    await refuseOtherSchema(client, schema);
    await createSchema(client, schema);
    await client.query(createTableSql);
    const { missing } = await findMigrationGap(client);
    for (const name of missing) await applyMigration(client, name);
    await createPartitions(client, initialPartitions);
    await continueOutcomePositions(client);
    return missing;
  } finally {
    await client.end();
  }
}

const schemaStatement = statement<{ schema: string }>(
  'SELECT nspname::text AS name FROM pg_namespace WHERE nspname = $schema',
).returns({ name: text });

async function createSchema(client: pg.Client, schema: string): Promise<void> {
  // CREATE SCHEMA IF NOT EXISTS would need the right to create schemas even if there is one.
  if (await schemaStatement.row(client, { schema })) return;
  await client.query(`CREATE SCHEMA ${client.escapeIdentifier(schema)}`);
}

/** The URL of the folder that has a folder for each migration of this version. */
const findMigrationsFolder = () => new URL('prisma/migrations/', findRoot());

async function applyMigration(client: pg.Client, name: string): Promise<void> {
  const sql = readFileSync(new URL(`${name}/migration.sql`, findMigrationsFolder()), 'utf8');
  const checksum = createHash('sha256').update(sql).digest('hex');
  await client.query('BEGIN');
  try {
    await client.query(sql);
    await recordStatement.run(client, { id: randomUUID(), checksum, name });
    await client.query('COMMIT');
  } catch (error) {
    // A lost connection has rolled back already, and its error is the one to report.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** The difference between the migrations of this version and those of the database. */
type MigrationGap = {
  /** The migrations of this version that the database lacks, in their order. */
  missing: string[];
  /** The migrations of the database that this version does not have: a newer version applied them. */
  newer: string[];
};

const appliedStatement = statement(`SELECT migration_name::text AS name FROM "_prisma_migrations"
  WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`).returns({ name: text });

/** Compares the migrations of the database with those of this version. */
export async function findMigrationGap(client: Client): Promise<MigrationGap> {
  const applied = new Set((await appliedStatement.rows(client, {})).map(({ name }) => name));
  const entries = readdirSync(findMigrationsFolder(), { withFileTypes: true });
  const own = new Set(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name));
  return {
    missing: [...own].filter((name) => !applied.has(name)).sort(),
    newer: [...applied].filter((name) => !own.has(name)),
  };
}

// Other applications that use Prisma also have the first table.
const migratedSchemasStatement = statement(`SELECT nspname::text AS name FROM pg_namespace n
  WHERE has_schema_privilege(n.oid, 'USAGE') AND 2 = (SELECT count(*) FROM pg_class c
    WHERE c.relnamespace = n.oid AND c.relname IN ('_prisma_migrations', 'event_keys') AND c.relkind = 'r')
  ORDER BY 1`).returns({ name: text });

/** Throws an OperatorError if Ringback's tables are not in this schema but in another one. */
async function refuseOtherSchema(client: Client, schema: string): Promise<void> {
  const names = (await migratedSchemasStatement.rows(client, {})).map(({ name }) => name);
  const [other] = names;
  if (other === undefined || names.includes(schema)) return;
  throw new OperatorError(
    `the tables of Ringback are in the schema ${other}: set DATABASE_SCHEMA=${other} (it is ${schema})`,
  );
}

const noTables = 'the database has no tables of Ringback; run `ringback migrate` first';

const wrongSchema = (used: string, schema: string) =>
  `sessions use the schema ${used} instead of ${schema}: a connection pooler drops their settings; run ALTER ROLE ... SET search_path = ${schema} (docs/operate/deploy.md)`;

const isTableMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === '42P01';

const currentSchemaStatement = statement('SELECT current_schema()::text AS used').returns({ used: text.orNull });

/**
 * Throws an OperatorError if the database lacks migrations of this version, or if sessions use another schema. A newer
 * database is accepted.
 */
export async function requireMigrations({ pool, schema }: Database): Promise<void> {
  const used = (await currentSchemaStatement.row(pool, {}))?.used ?? schema;
  if (used !== schema) throw new OperatorError(wrongSchema(used, schema));
  const { missing } = await findMigrationGap(pool).catch(async (error: unknown) => {
    if (!isTableMissing(error)) throw error;
    await refuseOtherSchema(pool, schema);
    throw new OperatorError(noTables);
  });
  const [first] = missing;
  if (first === undefined) return;
  throw new OperatorError(
    `the database lacks ${missing.length} of the migrations of this version, from ${first} on; run \`ringback migrate\` first`,
  );
}
