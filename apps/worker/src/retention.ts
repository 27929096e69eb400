import { type Database, dropPartitions, makePartitions, runAlone } from '@ringback/database';
import { errorFields, type Logger } from '@ringback/runtime';

const everyMs = 3_600_000;

/**
 * Makes the ledger's partitions of the time to come and drops those that are older than the retention, from the start on
 * and every hour, in one worker at a time, until the returned function is called.
 */
export function startRetention(db: Database, { log, days }: { log: Logger; days: number }): () => Promise<void> {
  const keep = async () => {
    const made = await makePartitions(db.pool, { retentionDays: days });
    const dropped = await dropPartitions(db, { retentionDays: days });
    if (made.length + dropped.length > 0) log.info('retention.kept', { made, dropped });
  };
  const once = () =>
    runAlone(db, 'partitions', keep).catch((error: unknown) => log.error('retention.failed', errorFields(error)));
  let running: Promise<unknown> = once();
  const timer = setInterval(() => (running = once()), everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
