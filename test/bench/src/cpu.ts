import { readdirSync, readFileSync } from 'node:fs';
import { type ProcessUsage, readProcessUsage } from '@ringback/testing';

/** `peakBytes` is the maximum resident memory since the start of the process. */
export type Usage = { cpuUs: number; peakBytes: number };

/** The usage of all processes of this machine so far, by process id. Empty on systems without /proc. */
export type Processes = ReadonlyMap<number, ProcessUsage>;

/** Reads the usage of all processes. */
export function readProcesses(): Processes {
  const processes = new Map<number, ProcessUsage>();
  if (process.platform !== 'linux') return processes;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const usage = readProcessUsage(Number(name));
    if (usage) processes.set(Number(name), usage);
  }
  return processes;
}

/** The CPU time so far and the peak memory of a process and all its descendants. */
export function usageOf(processes: Processes, pid: number | undefined): Usage {
  const isInTree = (id = 0): boolean => id !== 0 && (id === pid || isInTree(processes.get(id)?.parent));
  const all = [...processes].filter(([id]) => isInTree(id)).map(([, usage]) => usage);
  return {
    cpuUs: all.reduce((sum, { cpuMs, childrenCpuMs }) => sum + cpuMs + childrenCpuMs, 0) * 1_000,
    peakBytes: all.reduce((sum, { peakBytes }) => sum + peakBytes, 0),
  };
}

/** The exact CPU time so far of a process that waits, in µs. NaN without /proc or without such a process. */
export function readExactCpuUs(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
  } catch {
    return Number.NaN;
  }
}
