import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const readLines = (dataFolder: string) => {
  try {
    return readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8')
      .split('\n')
      .map((line) => line.trim());
  } catch {
    return [];
  }
};

/** Resolves when the server takes connections, or says why it ended instead. */
export async function awaitReady(dataFolder: string, child: ChildProcess): Promise<'ready' | 'ended'> {
  let failed = false;
  child.on('error', () => (failed = true));
  while (!failed && child.exitCode === null && child.signalCode === null) {
    const [pid, , , , , , , status] = readLines(dataFolder);
    if (pid === String(child.pid) && status === 'ready') return 'ready';
    await sleep(10);
  }
  return 'ended';
}

/** Ends the server of a start that could not end it itself, if it still runs, and forgets it. */
export async function stopLeftover(dataFolder: string): Promise<void> {
  const pid = Number(readLines(dataFolder)[0]);
  if (!(pid > 1)) return;
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!servesFrom(pid, dataFolder)) break;
    process.kill(pid, signal);
    await until(() => !servesFrom(pid, dataFolder), 5_000);
  }
  // PostgreSQL itself would refuse to start when the id has gone to another process meanwhile.
  rmSync(join(dataFolder, 'postmaster.pid'), { force: true });
}

/** Whether the process is a server of this data folder, and not one that got its id later. */
function servesFrom(pid: number, dataFolder: string): boolean {
  if (!isAlive(pid)) return false;
  if (!existsSync('/proc/self/cwd')) return true;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataFolder);
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Ends the server: fast at first, within `withinMs`; then at once, which makes the next start recover. */
export async function stopPostmaster(child: ChildProcess, withinMs: number): Promise<void> {
  for (const [signal, patienceMs] of [
    ['SIGINT', withinMs],
    ['SIGQUIT', 500],
    ['SIGKILL', 2_000],
  ] as const) {
    if (hasEnded(child)) return;
    child.kill(signal);
    await until(() => hasEnded(child), patienceMs);
  }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function until(condition: () => boolean, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!condition() && Date.now() < deadline) await sleep(10);
}
