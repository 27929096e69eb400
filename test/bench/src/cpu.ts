import { readdirSync, readFileSync } from 'node:fs';

// Linux counts CPU time in hundredths of a second.
const tickUs = 10_000;

/** `peakBytes` is the most memory that was resident since the process began. */
export type Usage = { cpuUs: number; peakBytes: number };

/** CPU time so far and peak memory of a process and of everything below it, from /proc; zeros where there is none. */
export function usageOf(pid: number | undefined): Usage {
  if (pid === undefined || process.platform !== 'linux') return { cpuUs: 0, peakBytes: 0 };
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const fields = statOf(Number(name));
    if (fields) parents.set(Number(name), Number(fields[1]));
  }
  const isBelow = (one: number): boolean => one === pid || (parents.has(one) && isBelow(parents.get(one) ?? 0));
  const all = [...parents.keys()].filter(isBelow).map(ownUsage);
  return {
    cpuUs: all.reduce((sum, { cpuUs }) => sum + cpuUs, 0),
    peakBytes: all.reduce((sum, { peakBytes }) => sum + peakBytes, 0),
  };
}

function ownUsage(pid: number): Usage {
  const fields = statOf(pid);
  if (!fields) return { cpuUs: 0, peakBytes: 0 };
  // Own time, and that of children that have ended.
  const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index] ?? 0), 0);
  return { cpuUs: ticks * tickUs, peakBytes: peakOf(pid) };
}

function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}

/** The fields of /proc/<pid>/stat after the name: state, parent, … */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
