import { type Database, findPendingVerifications, type PendingPage, type Position, runAlone } from '@ringback/database';
import type { Queues } from '@ringback/queue';
import type { Logger } from '@ringback/runtime';
import type { MaintenanceJob } from './maintenance-job.js';

export type VerificationRepairDeps = {
  db: Database;
  queues: Pick<Queues, 'enqueueVerification' | 'hasLostData' | 'writeMarker'>;
  log: Logger;
};

// When a challenge has been due for this long, its job may be lost.
const overdueMs = 15_000;
const pageSize = 1_000;
const maxPagesPerRun = 20;

/**
 * Enqueues verification challenges whose jobs may be lost: all pending ones after the queue engine lost its data, otherwise
 * those that have been due for 15 s. An existing job is not added again, because the job's id contains the challenge's id.
 * `run` resolves with false when another worker is already running it.
 */
export function createVerificationRepair({
  db,
  queues,
  log,
}: VerificationRepairDeps): MaintenanceJob & { run(): Promise<boolean> } {
  const enqueueOverdue = async (minOverdueMs: number, maxPages: number) => {
    let found = 0;
    let position: Position = null;
    for (let page = 0; page < maxPages; page++) {
      const options = { overdueMs: minOverdueMs, limit: pageSize };
      const next: PendingPage = await findPendingVerifications(db, position, options);
      for (const id of next.ids) await queues.enqueueVerification(id);
      found += next.ids.length;
      position = next.position;
      if (position === null) break;
    }
    if (found > 0) log.info('verification.requeued', { found });
  };
  const repair = async () => {
    if (!(await queues.hasLostData())) return enqueueOverdue(overdueMs, maxPagesPerRun);
    await enqueueOverdue(-Infinity, Infinity);
    await queues.writeMarker();
  };
  return { name: 'verification_repair', intervalMs: 10_000, run: () => runAlone(db, 'reconcile', repair) };
}
