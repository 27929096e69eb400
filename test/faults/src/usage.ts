import { readdirSync, readlinkSync } from 'node:fs';
import { readProcessUsage } from '@ringback/testing';

/** What a process has taken so far, and holds now. */
export type Usage = { cpuMs: number; rssMb: number; sockets: number };

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
