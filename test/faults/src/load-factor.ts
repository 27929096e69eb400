import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';

// The suite is part of the load: a time that is far too long is a problem on any machine.
const maxFactor = 3;

/**
 * Returns a function that measures the load factor of the machine, from 1 to 3: how much longer work takes than on an
 * idle machine. The factor is above 1 if, in the last minute, more processes wanted a core than there are cores, or if
 * the hypervisor has given cores to other machines since `watchLoadFactor` was called.
 */
export function watchLoadFactor(): () => number {
  const before = readCpuTimes();
  return () => {
    const now = readCpuTimes();
    const [used, stolen] = [now.used - before.used, now.stolen - before.stolen];
    const stealFactor = used > 0 ? (used + stolen) / used : 1;
    return Math.min(maxFactor, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism(), stealFactor));
  };
}

/** The CPU time of all cores so far, used by this machine and stolen by the hypervisor, in clock ticks of Linux. */
function readCpuTimes(): { used: number; stolen: number } {
  if (process.platform !== 'linux') return { used: 0, stolen: 0 };
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = readFileSync('/proc/stat', 'utf8')
    .split(/\s+/, 9)
    .map(Number);
  return { used: user + nice + system + irq + softIrq, stolen };
}
