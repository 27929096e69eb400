import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nextMessage } from './message.js';

const ownRoot = fileURLToPath(new URL('../../../', import.meta.url));

/** Node's flags of every process that is measured: as `npm start` gives them. */
export const flags = ['--max-semi-space-size=32'];

export type Program = { child: ChildProcess; baseUrl: string };

/** Starts the worker or the API as a process of its own; resolves when it is up. */
export async function startProgram(
  app: 'worker' | 'api',
  { env, profile, root = ownRoot }: { env: Record<string, string>; profile?: string | undefined; root?: string },
): Promise<Program> {
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const child = spawn(process.execPath, [...profiling, ...flags, `${root}/apps/${app}/dist/main.js`], {
    env: { ...process.env, UV_THREADPOOL_SIZE: '512', RES_OPTIONS: 'timeout:1 attempts:2', ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { baseUrl = '' } = await nextMessage<{ type: string; baseUrl?: string }>(child, 'ready');
  return { child, baseUrl };
}

const endsWithinMs = 15_000;

/** Asks it to stop, and kills it when it does not. */
export async function endProgram({ child }: Program): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), endsWithinMs);
  await ended;
  clearTimeout(timer);
}
