import {
  type Database,
  findPendingVerifications,
  type PendingVerifications,
  type VerificationCursor,
  runExclusively,
} from '@ringback/ledger';
import type { Queues } from '@ringback/queue';
import type { Logger } from '@ringback/process';

export type VerificationRepairDeps = {
  db: Database;
  queues: Pick<Queues, 'enqueueVerification' | 'isMarkerMissing' | 'writeMarker'>;
  log: Logger;
};

// If a pending verification has been due for this long, its job may be lost.
const overdueMs = 15_000;
const pageSize = 1_000;
const maxPagesPerRun = 20;

/**
 * Enqueues verifications whose jobs may be lost: all pending ones on a new queue engine or after it lost its data,
 * otherwise those that have been due for 15 s, the most overdue 20,000 in a run. An existing job is not added again,
 * because the job's id contains the verification's id. `run` resolves with false when another worker is already
 * repairing.
 */
export function createVerificationRepairService({ db, queues, log }: VerificationRepairDeps) {
  const enqueuePending = async (stopping: AbortSignal, options: { overdueMs: number; maxPages: number }) => {
    let pendingCount = 0;
    let position: VerificationCursor = null;
    for (let page = 0; page < options.maxPages && !stopping.aborted; page++) {
      const next: PendingVerifications = await findPendingVerifications(db, position, { ...options, limit: pageSize });
      for (const id of next.ids) await queues.enqueueVerification(id);
      pendingCount += next.ids.length;
      position = next.position;
      if (position === null) break;
    }
    // This count includes the verifications whose jobs exist.
    if (pendingCount > 0) log.info('verification.enqueued', { found: pendingCount });
  };
  const repair = async (stopping: AbortSignal) => {
    if (!(await queues.isMarkerMissing())) return enqueuePending(stopping, { overdueMs, maxPages: maxPagesPerRun });
    await enqueuePending(stopping, { overdueMs: -Infinity, maxPages: Infinity });
    // Without the marker, the next run starts again, on this worker or another.
    if (!stopping.aborted) await queues.writeMarker();
  };
  return {
    name: 'verification_repair',
    intervalMs: 10_000,
    run: (stopping: AbortSignal) => runExclusively(db, 'verificationRepair', () => repair(stopping)),
  };
}
