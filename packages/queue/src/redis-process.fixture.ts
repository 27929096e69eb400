import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, guardProcess } from '@ringback/embedded';
import { until } from './until.fixture.js';

export type RedisProcess = {
  url: string;
  /** Starts it, on the port and with the data of the last time. */
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Stops it in its tracks, connections and all, as a machine that hangs. */
  freeze(): void;
  thaw(): void;
  remove(): Promise<void>;
};

/** A redis-server of the test's own, which keeps its data over a restart. Not started yet. */
export async function prepareRedis(settings: Record<string, string> = {}): Promise<RedisProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'ringback-queue-'));
  const port = await findFreePort();
  const all = { bind: '127.0.0.1', dir: folder, save: '', appendonly: 'yes', appendfsync: 'always', ...settings };
  const args = Object.entries({ ...all, port: String(port) }).flatMap(([name, value]) => [`--${name}`, value]);
  let server: { signal(name: NodeJS.Signals): void; ended: Promise<unknown>; release(): void } | undefined;
  const kill = async () => {
    server?.signal('SIGKILL');
    await server?.ended;
    server?.release();
    server = undefined;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const child = spawn('redis-server', args, { detached: true, stdio: 'ignore' });
      const { release } = guardProcess(child.pid ?? 0, [{ signal: 'SIGKILL', withinMs: 1_000 }], folder);
      server = { signal: (name) => void child.kill(name), ended: once(child, 'exit'), release };
      await until(() => answersPing(port), 'redis-server answers');
    },
    kill,
    freeze: () => server?.signal('SIGSTOP'),
    thaw: () => server?.signal('SIGCONT'),
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });
}
