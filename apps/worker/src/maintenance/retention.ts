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

// Changes are needed for longer than events.
const minChangesDays = 365;

/**
 * Creates the partitions of events, deliveries and attempts ahead of time, and drops partitions older than
 * `retentionDays`. Deletes recorded changes that are older than both this and a year, old statistics, and portal
 * sessions a day after they expire. With 0 days, only statistics by the minute and portal sessions are deleted.
 */
export function createRetention(
  { db, log }: { db: Database; log: Logger },
  { retentionDays }: { retentionDays: number },
): MaintenanceService {
  const applyRetention = async (stopping: AbortSignal) => {
    const keptDays = retentionDays === 0 ? 0 : Math.max(retentionDays, minChangesDays);
    const made = await createPartitions(db.pool, { retentionDays });
    const dropped = stopping.aborted ? [] : await dropPartitions(db, { retentionDays });
    const changes = stopping.aborted ? 0 : await deleteOldChanges(db, { keptDays });
    const sessions = stopping.aborted ? 0 : await deleteExpiredPortalSessions(db);
    const statistics = stopping.aborted ? 0 : await deleteOldStatistics(db, { retentionDays });
    const count = made.length + dropped.length + changes + sessions + statistics;
    if (count > 0) log.info('retention.completed', { made, dropped, changes, sessions, statistics });
  };
  const run = (stopping: AbortSignal) => runExclusively(db, 'partitions', () => applyRetention(stopping));
  return { name: 'retention', intervalMs: 3_600_000, run, runAtStart: run };
}
