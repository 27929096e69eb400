import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, guardProcess } from '@ringback/embedded';

export type RedisServer = { url: string; stop(): Promise<void> };

/** Starts the redis-server of PATH with nothing kept, or returns undefined when there is none. */
export async function startRedisServer(): Promise<RedisServer | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'ringback-redis-'));
  const port = await findFreePort();
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'no',
    'maxmemory-policy': 'noeviction',
  };
  const args = Object.entries(settings).flatMap(([key, value]) => [`--${key}`, String(value)]);
  const child = spawn('redis-server', args, { detached: true, stdio: 'ignore' });
  const guard = guardProcess(child.pid ?? 0, [{ signal: 'SIGKILL', withinMs: 2_000 }], folder);
  const ended = new Promise<Error | undefined>((resolve) => {
    child.once('error', resolve);
    child.once('exit', () => resolve(undefined));
  });
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    guard.release();
    rmSync(folder, { recursive: true, force: true });
  };
  const failed = ended.then((error) => error ?? new Error('redis-server ended'));
  const failure = await (child.pid === undefined ? failed : Promise.race([awaitPong(port), failed]));
  child.unref();
  if (failure === undefined) return { url: `redis://127.0.0.1:${port}`, stop };
  await stop();
  if ('code' in failure && failure.code === 'ENOENT') return undefined;
  throw failure;
}

async function awaitPong(port: number): Promise<Error | undefined> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(10)) {
    if (await answersPing(port)) return undefined;
  }
  return new Error('redis-server did not answer within 10 s');
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
