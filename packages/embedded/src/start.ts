import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Binaries, findBinaries } from './binaries.js';
import {
  createCluster,
  databaseName,
  prepareFolder,
  readOrCreateConnection,
  saveConnection,
  spawnAs,
  userName,
} from './cluster.js';
import { findFreePort } from './free-port.js';
import { type Guard, stopWithParent, type StopSequence } from './stop-with-parent.js';
import { stopOrphan, stopPostmaster, waitForReady } from './postmaster.js';
import { chooseLaunchUser, type LaunchUser } from './choose-launch-user.js';

export type EmbeddedOptions = {
  /** The folder for `data`, `connection.json` and `postgres.log`. */
  folder: string;
  /** Settings of postgresql.conf, which override the defaults below. */
  settings?: Record<string, string>;
  /** How the server is stopped when this process ends without `stop`. */
  orphanStopSequence?: StopSequence;
  /** Removes the folder after `stop`, or after this process has ended without `stop`. */
  temporary?: boolean;
  /** The programs of a PostgreSQL to start instead of the embedded one. */
  binaries?: Binaries | undefined;
};

export type EmbeddedPostgres = {
  /** `postgresql://postgres:password@127.0.0.1:port/ringback`; the user is a superuser. */
  url: string;
  /** Resolves when the server has ended for any reason. */
  ended: Promise<void>;
  /** Stops the server. If it takes longer than `withinMs`, the shutdown is immediate and the next start recovers. */
  stop(withinMs?: number): Promise<void>;
};

const defaults = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  search_path: 'public',
  max_connections: '200',
  log_checkpoints: 'off',
};
const gracefulStop: StopSequence = [
  { signal: 'SIGTERM', withinMs: 4_000 },
  { signal: 'SIGINT', withinMs: 5_000 },
  { signal: 'SIGQUIT', withinMs: 5_000 },
];

/**
 * Starts a PostgreSQL server with its data in a folder; the first start creates the cluster. The server listens on
 * 127.0.0.1 only and has a random password. A server that an earlier start left running in the folder is stopped first.
 * The server also stops when this process ends without `stop` (not on Windows).
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  await prepareFolder(options.folder);
  const folder = realpathSync(options.folder);
  const { settings = {}, temporary = false } = options;
  const data = join(folder, 'data');
  const binaries = options.binaries ?? (await findBinaries());
  const launchUser = chooseLaunchUser(data, [binaries.postgres, folder]);
  const { password, port: lastPort } = await readOrCreateConnection(folder);
  if (existsSync(data)) await stopOrphan(data);
  else await createCluster(folder, { binaries, launchUser, password, sync: settings.fsync !== 'off', temporary });
  const started = await startServer(binaries, launchUser, { ...options, folder }, lastPort);
  if (started.port !== lastPort) await saveConnection(folder, { password, port: started.port });
  const url = `postgresql://${userName}:${password}@127.0.0.1:${started.port}/${databaseName}`;
  return { url, ...createControls(started, temporary ? folder : undefined) };
}

const maxTries = 20;

type Started = { child: ChildProcess; guard: Guard; port: number };

async function startServer(
  binaries: Binaries,
  launchUser: LaunchUser,
  options: EmbeddedOptions,
  lastPort?: number,
): Promise<Started> {
  const log = join(options.folder, 'postgres.log');
  if (sizeOf(log) > 10_000_000) renameSync(log, `${log}.old`);
  for (let tries = 1, preferred = lastPort; ; tries++, preferred = undefined) {
    const port = await findFreePort(preferred);
    const logStart = sizeOf(log);
    const { child, guard } = startOnce(binaries, launchUser, options, port);
    if ((await waitForReady(join(options.folder, 'data'), child)) === 'ready') return { child, guard, port };
    guard.cancel();
    const output = readFileSync(log).subarray(logStart).toString();
    // Another process has taken the port, or some processes of the previous server are still running.
    if (tries >= maxTries || !/TCP\/IP socket|shared memory block|lock file/.test(output))
      throw new Error(describeFailure(output, log));
    await sleep(200);
  }
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function startOnce(
  binaries: Binaries,
  launchUser: LaunchUser,
  options: EmbeddedOptions,
  port: number,
): Omit<Started, 'port'> {
  const { folder, settings, orphanStopSequence = gracefulStop, temporary = false } = options;
  const args = Object.entries({ ...defaults, ...settings, port }).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const log = openSync(join(folder, 'postgres.log'), 'a', 0o600);
  const child = spawnAs(launchUser, binaries.postgres, ['-D', join(folder, 'data'), ...args], ['ignore', log, log]);
  closeSync(log);
  return { child, guard: stopWithParent(child.pid ?? 0, orphanStopSequence, temporary ? folder : '') };
}

function describeFailure(output: string, log: string): string {
  const lines = output.split('\n');
  const line = lines.find((text) => /FATAL|PANIC|error|denied/i.test(text)) ?? lines[0] ?? '';
  return `the embedded PostgreSQL did not start: ${line.replace(/^.*?(FATAL|PANIC): */, '')} (see ${log})`;
}

function createControls({ child, guard }: Started, temporaryFolder?: string): Omit<EmbeddedPostgres, 'url'> {
  const ended = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    child.once('exit', () => resolve());
  });
  // The server must not keep this process alive.
  child.unref();
  const stop = async (withinMs = 5_000) => {
    await stopPostmaster(child, withinMs);
    guard.cancel();
    if (temporaryFolder) rmSync(temporaryFolder, { recursive: true, force: true, maxRetries: 3 });
  };
  if (!temporaryFolder) void ended.then(guard.cancel);
  return { ended, stop };
}
