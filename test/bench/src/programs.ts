import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { homeOfPrograms } from '@ringback/testing';

const ownRoot = fileURLToPath(new URL('../../../', import.meta.url));

/** The flags of Node.js for every measured process, as in `npm start`. */
export const flags = ['--max-semi-space-size=32', '--heap-growing-percent=70'];

export type Program = { child: ChildProcess; baseUrl: string };

/** Starts a worker or an API process. Resolves when it is ready. */
export async function startProgram(
  app: 'worker' | 'api',
  {
    env,
    profile,
    root = homeOfPrograms(ownRoot),
  }: { env: Record<string, string>; profile?: string | undefined; root?: string },
): Promise<Program> {
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const child = spawn(process.execPath, [...profiling, ...flags, `${root}/apps/${app}/dist/main.js`], {
    env: { ...process.env, UV_THREADPOOL_SIZE: '512', RES_OPTIONS: 'timeout:1 attempts:2 ndots:1', ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { baseUrl = '' } = await nextMessage<{ type: string; baseUrl?: string }>(child, 'ready');
  return { child, baseUrl };
}

const maxStopMs = 15_000;

/** Stops a program with SIGTERM, and with SIGKILL if it does not end in time. */
export async function endProgram({ child }: Program): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), maxStopMs);
  await ended;
  clearTimeout(timer);
}

/** Resolves with the next message of a type from a process. Rejects if the process ends first. */
export function nextMessage<T extends { type: string }>(child: ChildProcess, type: T['type']): Promise<T> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: T) => {
      if (message.type !== type) return;
      stopListening();
      resolve(message);
    };
    const onExit = (code: number | null) => {
      stopListening();
      reject(new Error(`a process of the benchmark ended with ${String(code)} before it sent "${type}"`));
    };
    const stopListening = () => child.off('message', onMessage).off('exit', onExit);
    child.on('message', onMessage).once('exit', onExit);
  });
}
