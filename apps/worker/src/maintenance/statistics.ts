import { type Database, foldStatistics, runAlone } from '@ringback/database';
import type { MaintenanceJob } from './maintenance-job.js';

/**
 * Adds the entries of attempts to the statistics. Readers count entries that were not added yet, so the interval only decides
 * how many of them a reader finds.
 */
export function createStatisticsFolding({ db }: { db: Database }): MaintenanceJob {
  const foldAll = async (stopping: AbortSignal) => {
    let hasMore = true;
    while (hasMore && !stopping.aborted) hasMore = await foldStatistics(db);
  };
  return {
    name: 'statistics',
    intervalMs: 5_000,
    run: (stopping) => runAlone(db, 'statistics', () => foldAll(stopping)),
  };
}
