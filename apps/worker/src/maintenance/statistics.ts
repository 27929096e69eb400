import { type Database, foldStatistics, runExclusively } from '@ringback/ledger';
import type { MaintenanceService } from './maintenance-service.js';

/**
 * Moves the rows of `statistic_entries` into the counts of `statistics`. Queries read both tables, so a longer interval
 * only makes queries read more rows.
 */
export function createStatisticsService({ db }: { db: Database }): MaintenanceService {
  const foldAll = async (stopping: AbortSignal) => {
    let hasMore = true;
    while (hasMore && !stopping.aborted) hasMore = await foldStatistics(db);
  };
  return {
    name: 'statistics',
    intervalMs: 5_000,
    run: (stopping) => runExclusively(db, 'statistics', () => foldAll(stopping)),
  };
}
