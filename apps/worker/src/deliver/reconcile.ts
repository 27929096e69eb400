import {
  type Database,
  findPendingDeliveries,
  findPendingVerifications,
  type Pending,
  type PendingPage,
  type Position,
  runAlone,
} from '@ringback/database';
import { deliveryQueues, type Queues } from '@ringback/queue';
import { errorFields, type Logger } from '@ringback/runtime';
import { regularly } from '../regularly.js';

export type ReconcileDeps = { db: Database; queues: Queues; log: Logger };

const everyMs = 10_000;
/** What has been due for so long should have been tried: its job may be lost. In a backlog jobs are late, not lost. */
const calm = { overdueMs: 15_000, repairEveryMs: everyMs };
const backlog = { overdueMs: 60_000, repairEveryMs: 30_000 };
const backlogOf = 1_000;
// So many that are overdue are hardly lost: most of what falls due at once is not made ready yet.
const backlogLastsMs = 60_000;
const pageSize = 1_000;
const pagesPerRound = 20;

type Walk = {
  find(after: Position, what: { overdueMs: number; limit: number }): Promise<PendingPage>;
  queue(pending: Pending[]): Promise<void>;
};

export type Reconciler = {
  /** One round; false when another worker is at it. */
  reconcile(): Promise<boolean>;
};

/**
 * Gives a job again to whatever is pending in the ledger and may have lost it. When the engine has lost everything, that
 * is all that is pending, each with the time at which it is due; otherwise what has been due for 15 s, or for a minute
 * while many jobs wait for a worker. A job that stands is never doubled, for its id is made of the delivery's. A round
 * looks at so many and the next goes on from there, so that a long backlog hides nothing.
 */
export function openReconciler({ db, queues, log }: ReconcileDeps): Reconciler {
  const walks: Walk[] = [
    {
      find: (after, what) => findPendingDeliveries(db, after, what),
      queue: (pending) => queues.enqueueDeliveries(pending),
    },
    {
      find: (after, what) => findPendingVerifications(db, after, what),
      async queue(pending) {
        for (const { id } of pending) await queues.enqueueVerification(id);
      },
    },
  ];
  const positions = new Map<Walk, Position>();

  const restore = async () => {
    let found = 0;
    for (const walk of walks) found += (await advance(walk, null, { overdueMs: -Infinity, pages: Infinity })).found;
    await queues.markKept();
    if (found > 0) log.warn('reconcile.restored', { found });
  };
  let repairedAt = -Infinity;
  let manyAt = -Infinity;
  const repair = async () => {
    const isBacklog = performance.now() - manyAt < backlogLastsMs || (await countWaiting(queues)) > backlogOf;
    const { overdueMs, repairEveryMs } = isBacklog ? backlog : calm;
    // A timer may come a little early.
    if (performance.now() - repairedAt < repairEveryMs * 0.9) return;
    repairedAt = performance.now();
    for (const walk of walks) {
      const from = positions.get(walk) ?? null;
      const { found, position } = await advance(walk, from, { overdueMs, pages: pagesPerRound });
      positions.set(walk, position);
      if (found > 0) log.info('reconcile.overdue', { found });
      if (found > backlogOf) manyAt = performance.now();
    }
  };
  return { reconcile: () => runAlone(db, 'reconcile', async () => ((await queues.wasLost()) ? restore() : repair())) };
}

async function countWaiting(queues: Queues): Promise<number> {
  const depths = await queues.depths();
  const counts = Object.values(deliveryQueues).map((name) => depths[name]);
  return counts.reduce((sum, { waiting = 0, prioritized = 0 }) => sum + waiting + prioritized, 0);
}

async function advance(
  { find, queue }: Walk,
  from: Position,
  { overdueMs: overdue, pages }: { overdueMs: number; pages: number },
): Promise<{ found: number; position: Position }> {
  let position = from;
  let found = 0;
  for (let page = 0; page < pages; page++) {
    const next = await find(position, { overdueMs: overdue, limit: pageSize });
    if (next.pending.length > 0) await queue(next.pending);
    found += next.pending.length;
    position = next.position;
    if (position === null) break;
  }
  return { found, position };
}

/** Reconciles regularly, from the start on, until the returned function is called. */
export function startReconciling(deps: ReconcileDeps): () => Promise<void> {
  const { reconcile } = openReconciler(deps);
  const complain = (error: unknown) => deps.log.error('reconcile.failed', errorFields(error));
  return regularly(everyMs, () => reconcile().catch(complain));
}
