import { readdirSync } from 'node:fs';
import type pg from 'pg';
import { findRoot, OperatorError } from '@ringback/runtime';
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
  const folders = readdirSync(findMigrationsFolder(), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const own = new Set(folders.map((entry) => entry.name));
  return {
    missing: [...own].filter((name) => !applied.has(name)).sort(),
    newer: [...applied].filter((name) => !own.has(name)),
  };
}

const noTables = 'the database has no tables of Ringback; run `ringback migrate` first';

const isTableMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === '42P01';

/** Throws an OperatorError if the database lacks migrations of this version. A newer database is accepted. */
export async function requireMigrations({ pool }: Database): Promise<void> {
  const { missing } = await findMigrationGap(pool).catch((error: unknown) =>
    Promise.reject(isTableMissing(error) ? new OperatorError(noTables) : error),
  );
  const [first] = missing;
  if (first === undefined) return;
  throw new OperatorError(
    `the database lacks ${missing.length} of the migrations of this version, from ${first} on; run \`ringback migrate\` first`,
  );
}
