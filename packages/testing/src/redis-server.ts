import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, type Guard, stopWithParent } from '@ringback/embedded';
import { createTemporaryFolder } from './temporary-folder.js';

/** A redis-server on 127.0.0.1 for tests. It keeps its port and its data across restarts. */
export type RedisServer = {
  url: string;
  port: number;
  /** The process id; undefined while the server is stopped. */
  pid(): number | undefined;
  /** Sends a command and resolves with its one-line or bulk reply. Rejects when there is no reply within 10 s. */
  command(words: string): Promise<string>;
  /** Starts the server. Resolves when it replies to PING, also if only to ask for a password. */
  start(): Promise<void>;
  /** Kills the process with SIGKILL. Resolves when it has ended. */
  kill(): Promise<void>;
  /** Suspends the process. Its connections stay open but get no replies, as if the machine hung. */
  freeze(): void;
  thaw(): void;
  /** Kills the server and removes its data. */
  remove(): Promise<void>;
};

type Running = { child: ChildProcess; guard: Guard; ended: Promise<Error> };

/** Settings with which each write is on disk before Redis confirms it. */
const durable = { save: '', appendonly: 'yes', appendfsync: 'always', 'maxmemory-policy': 'noeviction' };

/** Whether redis-server is in PATH. */
export const hasRedis = (): boolean => spawnSync('redis-server', ['--version']).status === 0;

/** Starts a redis-server with settings for redis.conf, or a sentinel with the lines of its configuration file. */
export async function startRedis(settings: Record<string, string> = {}, sentinel?: string[]): Promise<RedisServer> {
  const redis = await prepareRedis(settings, sentinel);
  await redis.start();
  return redis;
}

/** Prepares a redis-server without starting it. A started server stops when this process ends for any reason. */
export async function prepareRedis(settings: Record<string, string> = {}, sentinel?: string[]): Promise<RedisServer> {
  const folder = createTemporaryFolder('ringback-redis');
  const port = await findFreePort();
  const allSettings = { ...durable, bind: '127.0.0.1', ...settings, dir: folder, port: String(port) };
  const args = Object.entries(allSettings).flatMap(([name, value]) => [`--${name}`, value]);
  if (sentinel) {
    // A sentinel saves its state in its configuration file.
    const file = join(folder, 'sentinel.conf');
    writeFileSync(file, sentinel.join('\n'));
    args.unshift(file, '--sentinel');
  }
  let running: Running | undefined;
  const kill = async () => {
    // This process must not end before `kill` has resolved.
    running?.child.ref();
    running?.child.kill('SIGKILL');
    await running?.ended;
    running?.guard.cancel();
    running = undefined;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pid: () => running?.child.pid,
    command: (words) => sendCommand(port, words),
    async start() {
      running = runServer(args, folder);
      const failure = await Promise.race([waitForPong(port), running.ended]);
      if (failure === undefined) return;
      await kill();
      throw failure;
    },
    kill,
    freeze: () => void running?.child.kill('SIGSTOP'),
    thaw: () => void running?.child.kill('SIGCONT'),
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function runServer(args: string[], folder: string): Running {
  const child = spawn('redis-server', args, { detached: true, stdio: 'ignore' });
  child.unref();
  const guard = stopWithParent(child.pid ?? 0, [{ signal: 'SIGKILL', withinMs: 2_000 }], folder);
  const ended = new Promise<Error>((resolve) => {
    child.once('error', (error) => resolve(new Error(`redis-server cannot be run: ${error.message}`)));
    child.once('exit', (code, signal) => resolve(new Error(`redis-server ended with ${code ?? signal}`)));
  });
  return { child, guard, ended };
}

async function waitForPong(port: number): Promise<Error | undefined> {
  // Redis loads its data before it replies to PING.
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(10)) {
    if (/^(\+PONG|-NOAUTH)/.test(await sendCommand(port, 'PING').catch(() => ''))) return undefined;
  }
  return new Error('redis-server did not reply within 60 s');
}

function sendCommand(port: number, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(`${words}\r\n`));
    const end = (settle: () => void) => {
      socket.destroy();
      settle();
    };
    socket.setTimeout(10_000, () => end(() => reject(new Error('redis-server does not reply'))));
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
      const reply = parseReply(text);
      if (reply !== undefined) end(() => resolve(reply));
    });
    socket.once('error', (error) => end(() => reject(error)));
  });
}

/** Parses a one-line or bulk reply. Undefined while the reply is incomplete. */
function parseReply(text: string): string | undefined {
  const lineEnd = text.indexOf('\r\n');
  if (lineEnd === -1) return undefined;
  const bulkBytes = /^\$(\d+)$/.exec(text.slice(0, lineEnd))?.[1];
  if (bulkBytes === undefined) return text.slice(0, lineEnd);
  const from = lineEnd + 2;
  return text.length < from + Number(bulkBytes) ? undefined : text.slice(from, from + Number(bulkBytes));
}

/** The files of a key and its self-signed certificate. */
export type TlsFiles = { key: string; cert: string };

/** Chooses a port for TLS and returns the redis-server settings that add TLS on it. */
export async function prepareTls({ key, cert }: TlsFiles): Promise<{ port: number; settings: Record<string, string> }> {
  const port = await findFreePort();
  const files = { 'tls-key-file': key, 'tls-cert-file': cert, 'tls-ca-cert-file': cert };
  return { port, settings: { ...files, 'tls-port': String(port), 'tls-auth-clients': 'no' } };
}
