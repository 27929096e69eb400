import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';

const most = 3;

/**
 * Watches the machine from now on. The returned function tells how many times longer things take than on a machine with
 * nothing else to do: because more processes want a core than there are cores, or because the host gives its cores to
 * others. From 1 to 3.
 */
export function watchMachine(): () => number {
  const before = readCores();
  return () => {
    const now = readCores();
    const [had, stolen] = [now.had - before.had, now.stolen - before.stolen];
    const wantedTimes = had > 0 ? (had + stolen) / had : 1;
    const longer = Math.max(1, (loadavg()[0] ?? 0) / availableParallelism(), wantedTimes);
    // The suite is part of the load: what is far too slow is so on any machine.
    return Math.min(most, longer);
  };
}

/** What all cores were given so far, and what they wanted and were not given, in the clock ticks of Linux. */
function readCores(): { had: number; stolen: number } {
  if (process.platform !== 'linux') return { had: 0, stolen: 0 };
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = readFileSync('/proc/stat', 'utf8')
    .split(/\s+/, 9)
    .map(Number);
  return { had: user + nice + system + irq + softIrq, stolen };
}
