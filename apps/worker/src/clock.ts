import { clockAheadMs, type Database } from '@ringback/ledger';
import { errorFields, type Fail, type Logger, OperatorError } from '@ringback/process';
import { type PeriodicTask, runEvery } from './run-every.js';

const maxOffsetMs = 5_000;
const defaultIntervalMs = 30_000;

/**
 * Throws an OperatorError when this machine's clock differs from the database's by more than 5 s, twice in a row,
 * because a clock may be set while it is compared. BullMQ times delayed jobs by this machine's clock, and signatures
 * and attempts carry the time of this machine.
 */
export async function checkClock(db: Database): Promise<void> {
  let aheadMs = 0;
  for (let comparisons = 0; comparisons < 2; comparisons++) {
    aheadMs = await clockAheadMs(db);
    if (Math.abs(aheadMs) <= maxOffsetMs) return;
  }
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  throw new OperatorError(
    `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's; correct it`,
  );
}

type WatchOptions = { log: Logger; fail: Fail; intervalMs?: number };

/** Checks the clock every `intervalMs`, and ends the process when `checkClock` finds a difference. */
export function watchClock(db: Database, { log, fail, intervalMs = defaultIntervalMs }: WatchOptions): PeriodicTask {
  const check = () =>
    checkClock(db).catch((error: unknown) => {
      log.error('clock.check_failed', errorFields(error));
      // An unavailable database says nothing about the clock.
      if (error instanceof OperatorError) fail(error);
    });
  return runEvery({ intervalMs, run: check });
}
