import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, type Guard, guardProcess } from '@ringback/embedded';
import { awaitState } from './await-state.js';

/** A redis-server of a story's own, with its data on the disk, that can be killed and started again on its port. */
export type RedisServer = {
  url: string;
  /** Sends one command and resolves with the first line of the answer; rejects when there is none within a second. */
  command(words: string): Promise<string>;
  start(): Promise<void>;
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Stops its process in its tracks: connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
};

/** Whether this machine has a redis-server. */
export const hasRedis = (): boolean => spawnSync('redis-server', ['--version']).status === 0;

/** Starts it. What it has answered for is on the disk (appendfsync always). */
export async function openRedisServer(): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ringback-faults-redis-'));
  const port = await findFreePort();
  const kept = { appendonly: 'yes', appendfsync: 'always', save: '', 'maxmemory-policy': 'noeviction' };
  const settings = { port, bind: '127.0.0.1', dir: folder, ...kept };
  const args = Object.entries(settings).flatMap(([key, value]) => [`--${key}`, String(value)]);
  let running: { child: ChildProcess; guard: Guard; ended: Promise<unknown> } | undefined;
  const command = (words: string) => ask(port, words);
  const start = async () => {
    const child = spawn('redis-server', args, { detached: true, stdio: 'ignore' });
    const guard = guardProcess(child.pid ?? 0, [{ signal: 'SIGKILL', withinMs: 1_000 }], folder);
    running = { child, guard, ended: once(child, 'exit') };
    await awaitState(
      'redis-server answers',
      () =>
        command('PING').then(
          (answer) => answer === '+PONG',
          () => false,
        ),
      { everyMs: 10 },
    );
  };
  const kill = async () => {
    running?.child.kill('SIGKILL');
    await running?.ended;
    running?.guard.release();
    running = undefined;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    command,
    start,
    kill,
    freeze: () => void running?.child.kill('SIGSTOP'),
    thaw: () => void running?.child.kill('SIGCONT'),
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function ask(port: number, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${words}\r\n`));
    const end = (act: () => void) => {
      socket.destroy();
      act();
    };
    socket.setTimeout(1_000, () => end(() => reject(new Error('redis-server does not answer'))));
    socket.once('data', (data) => end(() => resolve(data.toString().split('\r\n')[0] ?? '')));
    socket.once('error', (error) => end(() => reject(error)));
  });
}
