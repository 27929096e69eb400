import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive, OperatorError } from '@ringback/process';
import { type Binaries, chooseLaunchUser, findBinaries, type LaunchUser } from './binaries.js';
import {
  type ConnectionSettings,
  createCluster,
  databaseName,
  prepareFolder,
  readOrCreateConnection,
  saveConnection,
  spawnAs,
  userName,
} from './cluster.js';
import { type Guard, stopWithParent, type StopSequence } from './stop-with-parent.js';

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
 * 127.0.0.1 only and has a random password. The server of a process that was killed is stopped first; if its process
 * still runs, an OperatorError is thrown. The server also stops when this process ends without `stop` (not on Windows).
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  await prepareFolder(options.folder);
  const folder = realpathSync(options.folder);
  const { settings = {}, temporary = false } = options;
  const data = join(folder, 'data');
  const binaries = options.binaries ?? (await findBinaries());
  const launchUser = chooseLaunchUser(data, [binaries.postgres, folder]);
  const connection = await readOrCreateConnection(folder);
  const { password } = connection;
  if (!existsSync(data)) {
    await createCluster(folder, { binaries, launchUser, password, sync: settings.fsync !== 'off', temporary });
  }
  const started = await startServer(binaries, launchUser, { ...options, folder }, connection);
  await saveConnection(folder, { password, port: started.port, owner: process.pid });
  const url = `postgresql://${userName}:${password}@127.0.0.1:${started.port}/${databaseName}`;
  return { url, ...createControls(started, temporary ? folder : undefined) };
}

const maxTries = 20;

type Started = { child: ChildProcess; guard: Guard; port: number };

async function startServer(
  binaries: Binaries,
  launchUser: LaunchUser,
  options: EmbeddedOptions,
  { port: lastPort }: ConnectionSettings,
): Promise<Started> {
  const { folder } = options;
  const log = join(folder, 'postgres.log');
  if (sizeOf(log) > 10_000_000) renameSync(log, `${log}.old`);
  for (let tries = 1, preferred = lastPort; ; tries++, preferred = undefined) {
    await stopServerOfKilledProcess(folder);
    const port = await findFreePort(preferred);
    const logStart = sizeOf(log);
    const { child, guard } = startOnce(binaries, launchUser, options, port);
    if ((await waitForReady(join(folder, 'data'), child)) === 'ready') return { child, guard, port };
    guard.cancel();
    const output = readFileSync(log).subarray(logStart).toString();
    // Another process has taken the port or this folder, or some processes of the previous server are still running.
    if (tries >= maxTries || !/TCP\/IP socket|shared memory block|lock file/.test(output))
      throw new Error(describeFailure(output, log));
    await sleep(200);
  }
}

/**
 * Stops the server that runs in this folder, if the process that started it was killed. If that process still runs,
 * throws an OperatorError. A postmaster.pid without a server is removed, because PostgreSQL would refuse to start if
 * another process had its id now.
 */
async function stopServerOfKilledProcess(folder: string): Promise<void> {
  const pidFile = join(folder, 'data', 'postmaster.pid');
  const [pid = 0, , , port = 0] = readPidFile(pidFile).map(Number);
  // Its process must exist and its port must be open, because after a restart of the machine another process may have
  // either.
  const isRunning = async () => pid > 1 && isProcessAlive(pid) && (await acceptsConnections(port));
  if (await isRunning()) {
    const { owner } = await readOrCreateConnection(folder);
    if (owner !== undefined && owner !== process.pid && isProcessAlive(owner)) {
      throw new OperatorError(
        `Ringback already runs in this folder, as process ${owner}; stop it first (Ctrl-C, or kill ${owner})`,
      );
    }
  }
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!(await isRunning())) break;
    process.kill(pid, signal);
    await until(async () => !(await isRunning()), 5_000);
  }
  rmSync(pidFile, { force: true });
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

/**
 * Reads the lines of postmaster.pid. The first is the server's process id, the fourth its port, the eighth its status.
 */
function readPidFile(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.trim());
  } catch {
    return [];
  }
}

/** Resolves with 'ready' when the server accepts connections, or with 'ended' when it ended before that. */
async function waitForReady(dataFolder: string, child: ChildProcess): Promise<'ready' | 'ended'> {
  let failed = false;
  child.on('error', () => (failed = true));
  while (!failed && child.exitCode === null && child.signalCode === null) {
    const [pid, , , , , , , status] = readPidFile(join(dataFolder, 'postmaster.pid'));
    if (pid === String(child.pid) && status === 'ready') return 'ready';
    await sleep(10);
  }
  return 'ended';
}

async function stopPostmaster(child: ChildProcess, withinMs: number): Promise<void> {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  for (const [signal, timeoutMs] of [
    ['SIGINT', withinMs],
    ['SIGQUIT', 500],
    ['SIGKILL', 2_000],
  ] as const) {
    if (hasEnded()) return;
    child.kill(signal);
    await until(hasEnded, timeoutMs);
  }
}

async function until(condition: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition()) && Date.now() < deadline) await sleep(10);
}

async function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    if (!(port > 0)) return resolve(false);
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Finds a free TCP port on 127.0.0.1: the preferred one if it is free. */
export async function findFreePort(preferred = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => (preferred === 0 ? reject(error) : resolve(findFreePort())));
    server.listen({ port: preferred, host: '127.0.0.1' }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : preferred));
    });
  });
}
