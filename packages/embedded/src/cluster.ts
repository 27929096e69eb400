import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries, LaunchUser } from './binaries.js';
import { stopWithParent } from './stop-with-parent.js';

/**
 * What a client needs to connect to the server, besides the constant host, user and database, and the id of the process
 * that started it. `port` and `owner` are absent before the first start.
 */
export type ConnectionSettings = { password: string; port?: number; owner?: number };

export const databaseName = 'ringback';

/**
 * Differs from the name of the queues' schema: by default, PostgreSQL looks for tables in a schema named like the user
 * first.
 */
export const userName = 'postgres';

/** The environment of PostgreSQL's programs. PGDATA or a locale of this process would change their behaviour. */
const cleanEnv = { PATH: process.env.PATH ?? '', TZ: 'UTC', LC_ALL: 'C' };

/**
 * Reads the password, the last port and the last owner of the cluster in this folder. Creates and saves a password for
 * a new cluster.
 */
export async function readOrCreateConnection(folder: string): Promise<ConnectionSettings> {
  const text = await readFile(join(folder, 'connection.json'), 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text);
  if (existsSync(join(folder, 'data'))) {
    throw new Error(
      `${join(folder, 'connection.json')} is missing, and with it the password of the database in this folder`,
    );
  }
  const connection = { password: randomBytes(24).toString('base64url') };
  await saveConnection(folder, connection);
  return connection;
}

export async function saveConnection(folder: string, connection: ConnectionSettings): Promise<void> {
  const path = join(folder, 'connection.json');
  await writeFile(`${path}.new`, `${JSON.stringify(connection)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

export type ClusterOptions = {
  binaries: Binaries;
  launchUser: LaunchUser;
  password: string;
  /** Whether initdb waits until all files are written to disk. */
  sync: boolean;
  /** Whether the folder is removed when this process ends before the cluster is complete. */
  temporary: boolean;
};

/**
 * Creates the cluster in `folder/data` atomically: it is built in `folder/new-…`, which is then renamed. Removes builds
 * that were interrupted earlier.
 */
export async function createCluster(
  folder: string,
  { binaries, launchUser, password, sync, temporary }: ClusterOptions,
): Promise<void> {
  const interrupted = (await readdir(folder)).filter((name) => name.startsWith('new-'));
  await Promise.all(interrupted.map((name) => rm(join(folder, name), { recursive: true, force: true })));
  const newFolder = join(folder, `new-${randomBytes(4).toString('hex')}`);
  const passwordFile = `${newFolder}.password`;
  await mkdir(newFolder, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  const { owner } = launchUser;
  if (owner) await Promise.all([newFolder, passwordFile].map((path) => chown(path, owner.uid, owner.gid)));
  const options = [`--username=${userName}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8'];
  const locale = [...binaries.locale, '--no-instructions'];
  const context = { launchUser, folderToRemoveIfOrphaned: temporary ? folder : '' };
  await run(context, [binaries.initdb, ...options, ...locale, ...(sync ? [] : ['--no-sync']), '-D', newFolder]);
  await run(
    context,
    [binaries.postgres, '--single', '-D', newFolder, 'postgres'],
    `CREATE DATABASE ${databaseName};\n`,
  );
  await rm(passwordFile);
  await rename(newFolder, join(folder, 'data'));
}

/**
 * Creates the folder of the cluster. When root runs this, the user of PostgreSQL may enter the folder but not list it.
 */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (process.getuid?.() === 0) await chmod(folder, 0o711);
}

/** Starts one of PostgreSQL's programs in its own process group. */
export function spawnAs(
  launchUser: LaunchUser,
  file: string,
  args: string[],
  stdio: ['pipe' | 'ignore', 'pipe' | number, 'pipe' | number],
): ChildProcess {
  const [command = file, ...rest] = [...launchUser.prefix, file, ...args];
  const identity = launchUser.owner && launchUser.prefix.length === 0 ? launchUser.owner : {};
  return spawn(command, rest, { cwd: '/', env: cleanEnv, detached: true, stdio, ...identity });
}

type RunContext = { launchUser: LaunchUser; folderToRemoveIfOrphaned: string };

async function run(
  { launchUser, folderToRemoveIfOrphaned }: RunContext,
  [file = '', ...args]: string[],
  input = '',
): Promise<void> {
  const child = spawnAs(launchUser, file, args, ['pipe', 'pipe', 'pipe']);
  const guard = stopWithParent(child.pid ?? 0, [{ signal: 'SIGINT', withinMs: 2_000 }], folderToRemoveIfOrphaned);
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  child.stdin?.on('error', () => undefined).end(input);
  const code = await new Promise<number | string | null>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (status, signal) => resolve(status ?? signal));
  });
  guard.cancel();
  if (code === 0) return;
  throw new Error(
    `the embedded PostgreSQL cannot run here (${findErrorLines(output) || code}); set DATABASE_URL to use your own PostgreSQL`,
  );
}

const findErrorLines = (output: string) =>
  output
    .split('\n')
    .filter((line) => /error|fatal|panic|denied|refused|not found/i.test(line))
    .slice(0, 2)
    .join(' ')
    .trim();
