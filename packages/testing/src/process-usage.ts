import { readFileSync } from 'node:fs';

/** What one process has taken so far, and holds now. `childrenCpuMs` is that of children which have ended. */
export type ProcessUsage = {
  cpuMs: number;
  childrenCpuMs: number;
  rssBytes: number;
  peakBytes: number;
  parent: number;
};

// Linux counts CPU time in hundredths of a second.
const tickMs = 10;

/** Reads it from /proc; undefined when there is no such process, or no /proc. */
export function readProcessUsage(pid: number): ProcessUsage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    // After the name, which may be anything: state, parent, …
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
