import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What a process has taken so far, and holds now. */
export type Usage = { cpuMs: number; rssMb: number; sockets: number };

// Of Linux, on every machine on which this runs.
const tickMs = 10;

export function usageOf(pid: number): Usage {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const isSocket = (name: string) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:');
    } catch {
      return false;
    }
  };
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs,
    rssMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024,
    sockets: readdirSync(`/proc/${pid}/fd`).filter(isSocket).length,
  };
}
