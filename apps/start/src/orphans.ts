import { setTimeout as sleep } from 'node:timers/promises';
import { readPrivate, writePrivate } from './private-file.js';
import { identifyProcess } from './process-identity.js';

/**
 * Creates a function that records the running children in a file. If this launcher is killed, the next one finds them
 * there.
 */
export function createChildRecord(path: string): (name: string, pid: number | undefined) => void {
  const running = new Map<string, [number, string | undefined]>();
  return (name, pid) => {
    if (pid === undefined) running.delete(name);
    else running.set(name, [pid, identifyProcess(pid)]);
    writePrivate(path, [...running.values()]);
  };
}

/**
 * Waits for the recorded children to end, because the API and the worker stop by themselves when their launcher is
 * gone. Kills those that still run after `withinMs`.
 */
export async function stopOrphans(path: string, withinMs: number): Promise<void> {
  const recorded: unknown = readPrivate(path);
  const runningPids = () =>
    (Array.isArray(recorded) ? recorded : []).flatMap(([pid, identity]: unknown[]) =>
      typeof pid === 'number' && pid > 1 && identifyProcess(pid) === identity ? [pid] : [],
    );
  const deadline = Date.now() + withinMs;
  while (runningPids().length > 0 && Date.now() < deadline) await sleep(50);
  for (const pid of runningPids()) kill(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
