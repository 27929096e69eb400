import {
  type Database,
  deleteOldChanges,
  dropPartitions,
  deleteExpiredPortalSessions,
  deleteOldStatistics,
  createPartitions,
  runExclusively,
} from '@ringback/database';
import type { Logger } from '@ringback/runtime';
import type { MaintenanceService } from './maintenance-service.js';

// The change history is needed for longer than events.
const minChangesDays = 365;

/**
 * Creates the partitions of events, deliveries and attempts ahead of time, and drops partitions older than
 * `retentionDays`. Deletes entries of the change history that are older than both this and a year, old statistics, and
 * portal sessions a day after they expire. 0 keeps everything, except statistics by the minute and portal sessions.
 */
export function createRetentionService(
  { db, log }: { db: Database; log: Logger },
  { retentionDays }: { retentionDays: number },
): MaintenanceService {
  // 0 keeps everything.
  const changesRetentionDays = retentionDays === 0 ? 0 : Math.max(retentionDays, minChangesDays);
  const applyRetention = async (stopping: AbortSignal) => {
    const createdPartitions = await createPartitions(db.pool, { retentionDays });
    const dropped = stopping.aborted ? [] : await dropPartitions(db, { retentionDays });
    const changes = stopping.aborted ? 0 : await deleteOldChanges(db, { keptDays: changesRetentionDays });
    const sessions = stopping.aborted ? 0 : await deleteExpiredPortalSessions(db);
    const statistics = stopping.aborted ? 0 : await deleteOldStatistics(db, { retentionDays });
    const count = createdPartitions.length + dropped.length + changes + sessions + statistics;
    if (count === 0) return;
    log.info('retention.completed', { created: createdPartitions, dropped, changes, sessions, statistics });
  };
  const run = (stopping: AbortSignal) => runExclusively(db, 'partitions', () => applyRetention(stopping));
  return { name: 'retention', intervalMs: 3_600_000, run, runAtStart: run };
}
