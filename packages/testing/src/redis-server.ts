import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, type Guard, guardProcess } from '@ringback/embedded';
import { makeTemporaryFolder } from './temporary-folder.js';

/** A redis-server of a test's own on loopback, which keeps its port and its data when it is started again. */
export type RedisServer = {
  url: string;
  port: number;
  /** Undefined while it is not running. */
  pid(): number | undefined;
  /** Sends one command and resolves with its one-line or bulk answer; rejects when there is none within 10 s. */
  command(words: string): Promise<string>;
  /** Resolves when it answers. */
  start(): Promise<void>;
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Stops its process in its tracks: connections stay open and nothing answers, as of a machine that hangs. */
  freeze(): void;
  thaw(): void;
  /** Kills it and removes its data. */
  remove(): Promise<void>;
};

type Running = { child: ChildProcess; guard: Guard; ended: Promise<Error> };

/** What it has answered for is on the disk. */
const durable = { save: '', appendonly: 'yes', appendfsync: 'always', 'maxmemory-policy': 'noeviction' };

/** Whether there is a redis-server in PATH. */
export const hasRedis = (): boolean => spawnSync('redis-server', ['--version']).status === 0;

/** Starts one; `settings` as in redis.conf, and `sentinel` the lines of a sentinel's, which it is then. */
export async function startRedis(settings: Record<string, string> = {}, sentinel?: string[]): Promise<RedisServer> {
  const redis = await prepareRedis(settings, sentinel);
  await redis.start();
  return redis;
}

/** One that is not started yet. Whatever is started ends with this process, however that ends. */
export async function prepareRedis(settings: Record<string, string> = {}, sentinel?: string[]): Promise<RedisServer> {
  const folder = makeTemporaryFolder('ringback-redis');
  const port = await findFreePort();
  const all = { ...durable, bind: '127.0.0.1', ...settings, dir: folder, port: String(port) };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  if (sentinel) {
    // A sentinel writes what it learns into its file.
    const file = join(folder, 'sentinel.conf');
    writeFileSync(file, sentinel.join('\n'));
    args.unshift(file, '--sentinel');
  }
  let running: Running | undefined;
  const kill = async () => {
    // Whoever waits for its end must not end before.
    running?.child.ref();
    running?.child.kill('SIGKILL');
    await running?.ended;
    running?.guard.release();
    running = undefined;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pid: () => running?.child.pid,
    command: (words) => ask(port, words),
    async start() {
      running = run(args, folder);
      const failure = await Promise.race([awaitPong(port), running.ended]);
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

function run(args: string[], folder: string): Running {
  const child = spawn('redis-server', args, { detached: true, stdio: 'ignore' });
  child.unref();
  const guard = guardProcess(child.pid ?? 0, [{ signal: 'SIGKILL', withinMs: 2_000 }], folder);
  const ended = new Promise<Error>((resolve) => {
    child.once('error', (error) => resolve(new Error(`redis-server cannot be run: ${error.message}`)));
    child.once('exit', (code, signal) => resolve(new Error(`redis-server ended with ${code ?? signal}`)));
  });
  return { child, guard, ended };
}

async function awaitPong(port: number): Promise<Error | undefined> {
  // It reads all its data before it answers.
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(10)) {
    if (/^(\+PONG|-NOAUTH)/.test(await ask(port, 'PING').catch(() => ''))) return undefined;
  }
  return new Error('redis-server did not answer within 60 s');
}

function ask(port: number, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(`${words}\r\n`));
    const end = (act: () => void) => {
      socket.destroy();
      act();
    };
    socket.setTimeout(10_000, () => end(() => reject(new Error('redis-server does not answer'))));
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
      const answer = readAnswer(text);
      if (answer !== undefined) end(() => resolve(answer));
    });
    socket.once('error', (error) => end(() => reject(error)));
  });
}

/** Undefined while there is more to come. */
function readAnswer(text: string): string | undefined {
  const lineEnd = text.indexOf('\r\n');
  if (lineEnd === -1) return undefined;
  const bulkBytes = /^\$(\d+)$/.exec(text.slice(0, lineEnd))?.[1];
  if (bulkBytes === undefined) return text.slice(0, lineEnd);
  const from = lineEnd + 2;
  return text.length < from + Number(bulkBytes) ? undefined : text.slice(from, from + Number(bulkBytes));
}
