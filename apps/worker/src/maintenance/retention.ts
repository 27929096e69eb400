import {
  type Database,
  deleteOldChanges,
  dropPartitions,
  deleteExpiredPortalSessions,
  deleteOldRequestWindows,
  deleteOldStatistics,
  createPartitions,
  runExclusively,
} from '@ringback/ledger';
import { errorFields, type Logger } from '@ringback/process';

// The change history is needed for longer than events.
const minChangesDays = 365;

/**
 * Creates the partitions of events, deliveries and attempts ahead of time. Drops partitions older than `retentionDays`,
 * except those with pending deliveries. Deletes entries of the change history that are older than `retentionDays` and
 * than a year, old statistics, and portal sessions and counts of requests a day after they expire. With a
 * `retentionDays` of 0, keeps all partitions, changes, and statistics by the hour and day. A duty that fails, for
 * example because a lock was not free in time, does not stop the others; the next run repeats it.
 */
export function createRetentionService(
  { db, log }: { db: Database; log: Logger },
  { retentionDays }: { retentionDays: number },
) {
  const keptChangesDays = retentionDays === 0 ? 0 : Math.max(retentionDays, minChangesDays);
  const duties: Record<string, () => Promise<string[] | number>> = {
    created: () => createPartitions(db.pool, { retentionDays }),
    dropped: () => dropPartitions(db, { retentionDays }),
    changes: () => deleteOldChanges(db, { keptDays: keptChangesDays }),
    sessions: () => deleteExpiredPortalSessions(db),
    request_windows: () => deleteOldRequestWindows(db),
    statistics: () => deleteOldStatistics(db, { retentionDays }),
  };
  const applyRetention = async (stopping: AbortSignal) => {
    const results: Record<string, string[] | number> = {};
    for (const [duty, run] of Object.entries(duties)) {
      if (stopping.aborted) return;
      try {
        results[duty] = await run();
      } catch (error) {
        log.error('retention.failed', { duty, ...errorFields(error) });
      }
    }
    const hasChanged = Object.values(results).some((result) => (Array.isArray(result) ? result.length : result) > 0);
    if (hasChanged) log.info('retention.completed', results);
  };
  const run = (stopping: AbortSignal) => runExclusively(db, 'partitions', () => applyRetention(stopping));
  return { name: 'retention', intervalMs: 600_000, run, runAtStart: run };
}
