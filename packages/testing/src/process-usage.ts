import { readFileSync } from 'node:fs';

/**
 * The CPU time and the memory of a process, and the id of its parent. `childrenCpuMs` is the CPU time of its children
 * that have ended.
 */
export type ProcessUsage = {
  cpuMs: number;
  childrenCpuMs: number;
  rssBytes: number;
  peakBytes: number;
  parent: number;
};

// Linux reports CPU time in hundredths of a second.
const tickMs = 10;

/** Reads the usage of a process from /proc. Undefined when the process or /proc does not exist. */
export function readProcessUsage(pid: number): ProcessUsage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    // The fields after the process name, which may contain spaces, start with the state and the parent.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const msOf = (...indexes: number[]) => indexes.reduce((sum, index) => sum + (fields[index] ?? 0), 0) * tickMs;
    const bytesOf = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1_024;
    return {
      cpuMs: msOf(11, 12),
      childrenCpuMs: msOf(13, 14),
      rssBytes: bytesOf('VmRSS'),
      peakBytes: bytesOf('VmHWM'),
      parent: fields[1] ?? 0,
    };
  } catch {
    return undefined;
  }
}
