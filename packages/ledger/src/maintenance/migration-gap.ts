import { readdirSync } from 'node:fs';
import pg from 'pg';
import { findRoot, OperatorError } from '@ringback/process';
import type { Database } from '../connection/open.js';

/** The difference between the migrations of this version and those of the database. */
export type MigrationGap = {
  /** The migrations of this version that the database lacks, in their order. */
  missing: string[];
  /** The migrations of the database that this version does not have: a newer version applied them. */
  newer: string[];
};

/** The URL of the folder that has a folder for each migration of this version. */
export const findMigrationsFolder = () => new URL('prisma/migrations/', findRoot());

/** Compares the migrations of the database with those of this version. */
export async function findMigrationGap(client: Pick<pg.Pool | pg.Client, 'query'>): Promise<MigrationGap> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT migration_name AS name FROM "_prisma_migrations" WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  const applied = new Set(rows.map((row) => row.name));
  const own = new Set(listOwnMigrations());
  return {
    missing: [...own].filter((name) => !applied.has(name)).sort(),
    newer: [...applied].filter((name) => !own.has(name)),
  };
}

function listOwnMigrations(): string[] {
  const entries = readdirSync(findMigrationsFolder(), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/**
 * Throws an OperatorError that says what to do if a schema other than this one has Ringback's tables. Sessions of
 * earlier versions used the schema that came first in the search path of the database user. Tables of other
 * applications that use Prisma do not count.
 */
export async function requireOneSchema(client: Pick<pg.Pool | pg.Client, 'query'>, schema: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(migratedSchemasSql);
  const names = rows.map(({ name }) => name);
  const isMigrated = names.includes(schema);
  for (const other of names.filter((name) => name !== schema)) {
    const table = `${pg.escapeIdentifier(other)}."_prisma_migrations"`;
    const isOursSql = `SELECT (NOT EXISTS (SELECT FROM ${table}) AND $2)
      OR EXISTS (SELECT FROM ${table} WHERE migration_name = ANY ($1)) AS "isOurs"`;
    const found = await client.query<{ isOurs: boolean }>(isOursSql, [listOwnMigrations(), isMigrated]);
    if (!found.rows[0]?.isOurs) continue;
    throw new OperatorError(
      isMigrated
        ? `the schemas ${schema} and ${other} both have tables of Ringback: if the table ${other}.accounts is empty or missing, run DROP TABLE ${other}._prisma_migrations, else set DATABASE_SCHEMA to the schema that you use (it is ${schema})`
        : `the tables of Ringback are in the schema ${other}: set DATABASE_SCHEMA=${other} (it is ${schema})`,
    );
  }
}

const migratedSchemasSql = `SELECT n.nspname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relname = '_prisma_migrations' AND c.relkind = 'r'
    AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
  ORDER BY 1`;

const noTables = 'the database has no tables of Ringback; run `ringback migrate` first';

const wrongSchema = (used: string, schema: string) =>
  `sessions use the schema ${used} instead of ${schema}: a connection pooler drops their settings; run ALTER ROLE ... SET search_path = ${schema} (docs/operate/deploy.md)`;

const isTableMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === '42P01';

/**
 * Throws an OperatorError if the database lacks migrations of this version, or if sessions use another schema. A newer
 * database is accepted.
 */
export async function requireMigrations({ pool, schema }: Database): Promise<void> {
  const { rows } = await pool.query<{ used: string | null }>('SELECT current_schema() AS used');
  const used = rows[0]?.used ?? schema;
  if (used !== schema) throw new OperatorError(wrongSchema(used, schema));
  const { missing } = await findMigrationGap(pool).catch(async (error: unknown) => {
    if (!isTableMissing(error)) throw error;
    await requireOneSchema(pool, schema);
    throw new OperatorError(noTables);
  });
  const [first] = missing;
  if (first === undefined) return;
  throw new OperatorError(
    `the database lacks ${missing.length} of the migrations of this version, from ${first} on; run \`ringback migrate\` first`,
  );
}
