import { readdirSync, readlinkSync } from 'node:fs';
import { readProcessUsage } from '@ringback/testing';

/** The CPU time of a process so far, and its current memory and sockets. */
export type Usage = { cpuMs: number; rssMb: number; sockets: number };

/** Reads the usage of a process. Throws if the process does not exist. */
export function usageOf(pid: number): Usage {
  const usage = readProcessUsage(pid);
  if (usage === undefined) throw new Error(`there is no process ${pid}`);
  const isSocket = (name: string) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:');
    } catch {
      return false;
    }
  };
  return {
    cpuMs: usage.cpuMs,
    rssMb: usage.rssBytes / 1_048_576,
    sockets: readdirSync(`/proc/${pid}/fd`).filter(isSocket).length,
  };
}
