import { types } from 'node:util';
import { OperatorError } from '@ringback/runtime';
import { listMigrations, readApplied } from './migrate.js';
import type { Database } from './open.js';

const noTables = 'the database has no tables of Ringback; run `ringback migrate` first';

/**
 * Throws an OperatorError if the database lacks migrations of this release. Returns a warning if it has migrations of a
 * newer release, and undefined otherwise: processes also work with the schema of the release that follows theirs.
 */
export async function checkSchema({ pool }: Database): Promise<string | undefined> {
  const applied = await readApplied(pool).catch((error: unknown) =>
    Promise.reject(isTableMissing(error) ? new OperatorError(noTables) : error),
  );
  const known = listMigrations();
  const missing = known.filter((name) => !applied.has(name));
  if (missing.length > 0) throw new OperatorError(lacks(missing, known));
  const newest = [...applied]
    .filter((name) => !known.includes(name))
    .sort()
    .at(-1);
  return newest && `a newer release migrated the database (${newest}): upgrade this one`;
}

const lacks = (missing: string[], known: string[]) =>
  `the database lacks ${missing.length} of ${known.length} migrations, first ${missing[0]}; run \`ringback migrate\` first`;

const isTableMissing = (error: unknown) => types.isNativeError(error) && 'code' in error && error.code === '42P01';
