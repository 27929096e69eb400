import { readdirSync } from 'node:fs';
import { type ProcessUsage, readProcessUsage } from '@ringback/testing';

/** `peakBytes` is the most memory that was resident since the process began. */
export type Usage = { cpuUs: number; peakBytes: number };

/** What all processes of this machine have used so far, by their ids; empty where there is no /proc. */
export type Processes = ReadonlyMap<number, ProcessUsage>;

export function readProcesses(): Processes {
  const processes = new Map<number, ProcessUsage>();
  if (process.platform !== 'linux') return processes;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const one = readProcessUsage(Number(name));
    if (one) processes.set(Number(name), one);
  }
  return processes;
}

/** CPU time so far and peak memory of a process and of everything below it. */
export function usageOf(processes: Processes, pid: number | undefined): Usage {
  const isBelow = (one = 0): boolean => one !== 0 && (one === pid || isBelow(processes.get(one)?.parent));
  const all = [...processes].filter(([one]) => isBelow(one)).map(([, usage]) => usage);
  return {
    cpuUs: all.reduce((sum, { cpuMs, childrenCpuMs }) => sum + cpuMs + childrenCpuMs, 0) * 1_000,
    peakBytes: all.reduce((sum, { peakBytes }) => sum + peakBytes, 0),
  };
}
