import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Binaries, findBinaries } from './binaries.js';
import {
  createCluster,
  databaseName,
  prepareFolder,
  readConnection,
  saveConnection,
  spawnAs,
  userName,
} from './cluster.js';
import { findFreePort } from './free-port.js';
import { type Ending, type Guard, guardProcess } from './guard.js';
import { awaitReady, stopLeftover, stopPostmaster } from './postmaster.js';
import { chooseRunner, type Runner } from './runner.js';

export type EmbeddedOptions = {
  /** Everything of it is kept in here: `data`, `connection.json` and `postgres.log`. */
  folder: string;
  /** Settings of postgresql.conf, over the defaults below. */
  settings?: Record<string, string>;
  /** What happens when this process ends without `stop`. */
  orphanEnding?: Ending;
  /** Removes the folder at the end, `stop` or not. */
  temporary?: boolean;
  /** The programs of another PostgreSQL, which is run in place of the embedded one. */
  binaries?: Binaries | undefined;
};

export type EmbeddedPostgres = {
  /** `postgresql://postgres:password@127.0.0.1:port/ringback`; the user is a superuser. */
  url: string;
  /** Resolves when the server has ended, for whatever reason. */
  ended: Promise<void>;
  /** Ends the server; one that takes longer than `withinMs` is ended the hard way, and recovers at its next start. */
  stop(withinMs?: number): Promise<void>;
};

const defaults = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  search_path: 'public',
  max_connections: '200',
  log_checkpoints: 'off',
};
const gently: Ending = [
  { signal: 'SIGTERM', withinMs: 4_000 },
  { signal: 'SIGINT', withinMs: 5_000 },
  { signal: 'SIGQUIT', withinMs: 5_000 },
];

/**
 * Starts a PostgreSQL with its data in a folder, which is made at the first start. Reachable from this machine only,
 * with a random password. A server that a start before this one left behind in the folder is ended first. When this
 * process dies without `stop`, the server ends by itself.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  await prepareFolder(options.folder);
  const folder = realpathSync(options.folder);
  const { settings = {}, temporary = false } = options;
  const data = join(folder, 'data');
  const binaries = options.binaries ?? (await findBinaries());
  const runner = chooseRunner(data, [binaries.postgres, folder]);
  const { password, port: lastPort } = await readConnection(folder);
  if (existsSync(data)) await stopLeftover(data);
  else await createCluster(folder, { binaries, runner, password, sync: settings.fsync !== 'off', temporary });
  const started = await startServer(binaries, runner, { ...options, folder }, lastPort);
  if (started.port !== lastPort) await saveConnection(folder, { password, port: started.port });
  const url = `postgresql://${userName}:${password}@127.0.0.1:${started.port}/${databaseName}`;
  return { url, ...hold(started, temporary ? folder : undefined) };
}

type Started = { child: ChildProcess; guard: Guard; port: number };

async function startServer(
  binaries: Binaries,
  runner: Runner,
  options: EmbeddedOptions,
  lastPort?: number,
): Promise<Started> {
  const log = join(options.folder, 'postgres.log');
  if (sizeOf(log) > 10_000_000) renameSync(log, `${log}.old`);
  for (let attempt = 1, preferred = lastPort; ; attempt++, preferred = undefined) {
    const port = await findFreePort(preferred);
    const from = sizeOf(log);
    const { child, guard } = startOnce(binaries, runner, options, port);
    if ((await awaitReady(join(options.folder, 'data'), child)) === 'ready') return { child, guard, port };
    guard.release();
    const said = readFileSync(log).subarray(from).toString();
    // The port went to another process meanwhile, or the last server's children have not all ended yet.
    if (attempt > 20 || !/TCP\/IP socket|shared memory block|lock file/.test(said))
      throw new Error(complaint(said, log));
    await sleep(200);
  }
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function startOnce(binaries: Binaries, runner: Runner, options: EmbeddedOptions, port: number): Omit<Started, 'port'> {
  const { folder, settings, orphanEnding = gently, temporary = false } = options;
  const args = Object.entries({ ...defaults, ...settings, port }).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const log = openSync(join(folder, 'postgres.log'), 'a', 0o600);
  const child = spawnAs(runner, binaries.postgres, ['-D', join(folder, 'data'), ...args], ['ignore', log, log]);
  closeSync(log);
  return { child, guard: guardProcess(child.pid ?? 0, orphanEnding, temporary ? folder : '') };
}

function complaint(said: string, log: string): string {
  const line = said.split('\n').find((text) => /FATAL|PANIC|error|denied/i.test(text)) ?? said.split('\n')[0] ?? '';
  return `the embedded PostgreSQL did not start: ${line.replace(/^.*?(FATAL|PANIC): */, '')} (see ${log})`;
}

function hold({ child, guard }: Started, temporaryFolder?: string): Omit<EmbeddedPostgres, 'url'> {
  const ended = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    child.once('exit', () => resolve());
  });
  // A server that is held does not hold this process.
  child.unref();
  const stop = async (withinMs = 5_000) => {
    await stopPostmaster(child, withinMs);
    guard.release();
    if (temporaryFolder) rmSync(temporaryFolder, { recursive: true, force: true, maxRetries: 3 });
  };
  if (!temporaryFolder) void ended.then(guard.release);
  return { ended, stop };
}
