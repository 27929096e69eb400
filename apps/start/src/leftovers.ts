import { setTimeout as sleep } from 'node:timers/promises';
import { readPrivate, writePrivate } from './private-file.js';
import { identifyProcess } from './process-identity.js';

/** The processes that a launcher has started, kept in a file so that the next one knows what a kill -9 left running. */
export function recordChildren(path: string): (name: string, pid: number | undefined) => void {
  const running = new Map<string, [number, string | undefined]>();
  return (name, pid) => {
    if (pid === undefined) running.delete(name);
    else running.set(name, [pid, identifyProcess(pid)]);
    writePrivate(path, [...running.values()]);
  };
}

/** Waits for the recorded processes that still run; they stop by themselves without their launcher. Then kills them. */
export async function endLeftovers(path: string, withinMs: number): Promise<void> {
  const recorded: unknown = readPrivate(path);
  const alive = () =>
    (Array.isArray(recorded) ? recorded : []).flatMap(([pid, identity]: unknown[]) =>
      typeof pid === 'number' && pid > 1 && identifyProcess(pid) === identity ? [pid] : [],
    );
  const deadline = Date.now() + withinMs;
  while (alive().length > 0 && Date.now() < deadline) await sleep(50);
  for (const pid of alive()) kill(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
