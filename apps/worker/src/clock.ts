import { clockAheadMs, type Database } from '@ringback/database';
import { errorFields, type Fail, type Logger, OperatorError } from '@ringback/runtime';

const mostMs = 5_000;
const usualEveryMs = 30_000;

/**
 * Throws a OperatorError when this machine's clock is more than 5 s off the database's: delayed jobs wait by the worker's
 * clock, so that retries would come early or late.
 */
export async function checkClock(db: Database): Promise<void> {
  const aheadMs = await clockAheadMs(db);
  if (Math.abs(aheadMs) <= mostMs) return;
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  throw new OperatorError(
    `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's; set it right`,
  );
}

type Watching = { log: Logger; fail: Fail; everyMs?: number };

/** Checks the clock regularly and ends the process when it is off, until the returned function is called. */
export function watchClock(db: Database, { log, fail, everyMs = usualEveryMs }: Watching): () => void {
  const check = () =>
    checkClock(db).catch((error: unknown) => {
      log.error('clock.check', errorFields(error));
      // A database that is away is no clock that is off.
      if (error instanceof OperatorError) fail(error);
    });
  const timer = setInterval(() => void check(), everyMs);
  return () => clearInterval(timer);
}
