import {
  type Database,
  deleteOldChanges,
  dropPartitions,
  deleteExpiredPortalSessions,
  deleteOldStatistics,
  createPartitions,
  runExclusively,
} from '@ringback/ledger';
import type { Logger } from '@ringback/process';

// The change history is needed for longer than events.
const minChangesDays = 365;

/**
 * Creates the partitions of events, deliveries and attempts ahead of time. Drops partitions older than `retentionDays`,
 * except those with pending deliveries. Deletes entries of the change history that are older than `retentionDays` and
 * than a year, old statistics, and portal sessions a day after they expire. With a `retentionDays` of 0, keeps all of
 * these except statistics by the minute and portal sessions.
 */
export function createRetentionService(
  { db, log }: { db: Database; log: Logger },
  { retentionDays }: { retentionDays: number },
) {
  const keptChangesDays = retentionDays === 0 ? 0 : Math.max(retentionDays, minChangesDays);
  const applyRetention = async (stopping: AbortSignal) => {
    const createdPartitions = await createPartitions(db.pool, { retentionDays });
    const droppedPartitions = stopping.aborted ? [] : await dropPartitions(db, { retentionDays });
    const deletedChanges = stopping.aborted ? 0 : await deleteOldChanges(db, { keptDays: keptChangesDays });
    const deletedSessions = stopping.aborted ? 0 : await deleteExpiredPortalSessions(db);
    const deletedStatistics = stopping.aborted ? 0 : await deleteOldStatistics(db, { retentionDays });
    const deletedCount = deletedChanges + deletedSessions + deletedStatistics;
    if (createdPartitions.length + droppedPartitions.length + deletedCount === 0) return;
    log.info('retention.completed', {
      created: createdPartitions,
      dropped: droppedPartitions,
      changes: deletedChanges,
      sessions: deletedSessions,
      statistics: deletedStatistics,
    });
  };
  const run = (stopping: AbortSignal) => runExclusively(db, 'partitions', () => applyRetention(stopping));
  return { name: 'retention', intervalMs: 3_600_000, run, runAtStart: run };
}
