import { type Database, findPendingVerifications, type PendingPage, type Position, runAlone } from '@ringback/database';
import type { Queues } from '@ringback/queue';
import { errorFields, type Logger } from '@ringback/runtime';
import { regularly } from './regularly.js';

export type LostVerificationsDeps = {
  db: Database;
  queues: Pick<Queues, 'enqueueVerification' | 'hasLostData' | 'writeMarker'>;
  log: Logger;
};

const everyMs = 10_000;
/** A challenge that has been due for this long should have been tried: its job may be lost. */
const overdueMs = 15_000;
const pageSize = 1_000;
const pagesPerRound = 20;

/**
 * Gives a job again to each verification challenge that may have lost it. When the engine has lost everything, these are
 * all pending ones; otherwise those that have been due for 15 s. A job that stands is never doubled, for its id is made of
 * the challenge's. False when another worker is at it.
 */
export function createVerificationRepair({ db, queues, log }: LostVerificationsDeps): () => Promise<boolean> {
  const walk = async (overdue: number, pages: number) => {
    let found = 0;
    let position: Position = null;
    for (let page = 0; page < pages; page++) {
      const next: PendingPage = await findPendingVerifications(db, position, { overdueMs: overdue, limit: pageSize });
      for (const { id } of next.pending) await queues.enqueueVerification(id);
      found += next.pending.length;
      position = next.position;
      if (position === null) break;
    }
    if (found > 0) log.info('verification.requeued', { found });
  };
  const repair = async () => {
    if (!(await queues.hasLostData())) return walk(overdueMs, pagesPerRound);
    await walk(-Infinity, Infinity);
    await queues.writeMarker();
  };
  return () => runAlone(db, 'reconcile', repair);
}

/** Looks regularly, from the start on, until the returned function is called. */
export function startVerificationRepair(deps: LostVerificationsDeps): () => Promise<void> {
  const repair = createVerificationRepair(deps);
  const complain = (error: unknown) => deps.log.error('verification_repair.failed', errorFields(error));
  return regularly(everyMs, () => repair().catch(complain));
}
