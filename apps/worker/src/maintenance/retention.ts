import { type Database, dropChanges, dropPartitions, createPartitions, runAlone } from '@ringback/database';
import { errorFields, type Logger } from '@ringback/runtime';
import { regularly } from './regularly.js';

const everyMs = 3_600_000;
// Who did what is asked later than what was sent.
const leastChangesDays = 365;

/**
 * Makes the ledger's partitions of the time to come and drops those that are older than the retention, and the changes
 * that are older than it and than a year, from the start on and every hour, in one worker at a time, until the returned
 * function is called.
 */
export function startRetention(db: Database, { log, days }: { log: Logger; days: number }): () => Promise<void> {
  const keep = async () => {
    const made = await createPartitions(db.pool, { retentionDays: days });
    const dropped = await dropPartitions(db, { retentionDays: days });
    const changes = await dropChanges(db, { keptDays: days === 0 ? 0 : Math.max(days, leastChangesDays) });
    if (made.length + dropped.length + changes > 0) log.info('retention.kept', { made, dropped, changes });
  };
  const once = () =>
    runAlone(db, 'partitions', keep).catch((error: unknown) => log.error('retention.failed', errorFields(error)));
  return regularly(everyMs, once, once);
}
