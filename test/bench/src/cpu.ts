import { readdirSync } from 'node:fs';
import { type ProcessUsage, readProcessUsage } from '@ringback/testing';

/** `peakBytes` is the most memory that was resident since the process began. */
export type Usage = { cpuUs: number; peakBytes: number };

/** CPU time so far and peak memory of a process and of everything below it; zeros where there is no /proc. */
export function usageOf(pid: number | undefined): Usage {
  if (pid === undefined || process.platform !== 'linux') return { cpuUs: 0, peakBytes: 0 };
  const processes = new Map<number, ProcessUsage>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const one = readProcessUsage(Number(name));
    if (one) processes.set(Number(name), one);
  }
  const isBelow = (one = 0): boolean => one === pid || (one !== 0 && isBelow(processes.get(one)?.parent));
  const all = [...processes].filter(([one]) => isBelow(one)).map(([, usage]) => usage);
  return {
    cpuUs: all.reduce((sum, { cpuMs, childrenCpuMs }) => sum + cpuMs + childrenCpuMs, 0) * 1_000,
    peakBytes: all.reduce((sum, { peakBytes }) => sum + peakBytes, 0),
  };
}
