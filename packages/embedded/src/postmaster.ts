import type { ChildProcess } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { servesFrom } from './serves-from.js';

/** Reads the lines of postmaster.pid: the first is the server's process id, the eighth its status. */
const readPidFile = (dataFolder: string) => {
  try {
    return readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8')
      .split('\n')
      .map((line) => line.trim());
  } catch {
    return [];
  }
};

/** Resolves with 'ready' when the server accepts connections, or with 'ended' when it ended before that. */
export async function waitForReady(dataFolder: string, child: ChildProcess): Promise<'ready' | 'ended'> {
  let failed = false;
  child.on('error', () => (failed = true));
  while (!failed && child.exitCode === null && child.signalCode === null) {
    const [pid, , , , , , , status] = readPidFile(dataFolder);
    if (pid === String(child.pid) && status === 'ready') return 'ready';
    await sleep(10);
  }
  return 'ended';
}

/** Stops a server that an earlier start left running in this folder, and removes its postmaster.pid. */
export async function stopOrphan(dataFolder: string): Promise<void> {
  const pid = Number(readPidFile(dataFolder)[0]);
  if (!(pid > 1)) return;
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!servesFrom(pid, dataFolder)) break;
    process.kill(pid, signal);
    await until(() => !servesFrom(pid, dataFolder), 5_000);
  }
  // PostgreSQL would refuse to start if another process has this id now.
  rmSync(join(dataFolder, 'postmaster.pid'), { force: true });
}

/**
 * Stops the server with a fast shutdown. If that takes longer than `withinMs`, the shutdown is immediate and the next
 * start recovers.
 */
export async function stopPostmaster(child: ChildProcess, withinMs: number): Promise<void> {
  for (const [signal, timeoutMs] of [
    ['SIGINT', withinMs],
    ['SIGQUIT', 500],
    ['SIGKILL', 2_000],
  ] as const) {
    if (hasEnded(child)) return;
    child.kill(signal);
    await until(() => hasEnded(child), timeoutMs);
  }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function until(condition: () => boolean, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!condition() && Date.now() < deadline) await sleep(10);
}
