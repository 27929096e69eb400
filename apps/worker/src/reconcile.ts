import { type Database, findOverdueDeliveries } from '@ringback/database';
import type { Queues } from '@ringback/queue';
import { errorFields, type Logger } from '@ringback/runtime';

const everyMs = 30_000;
const overdueMs = 60_000;
const batch = 1_000;

/**
 * Queues deliveries again that should have been made a minute ago: their jobs may be lost with the queue. One that
 * still has its job keeps it, so any number of workers may do this at once. Answers with how many were looked at.
 */
export async function reconcile({ db, queues }: { db: Database; queues: Queues }): Promise<number> {
  const overdue = await findOverdueDeliveries(db, { overdueMs, limit: batch });
  await queues.enqueueDeliveries(overdue.map((delivery) => ({ ...delivery, dueInMs: 0 })));
  return overdue.length;
}

/** Reconciles regularly until the returned function is called. */
export function startReconciling(deps: { db: Database; queues: Queues; log: Logger }): () => void {
  const once = async () => {
    try {
      const found = await reconcile(deps);
      if (found > 0) deps.log.info('reconcile.overdue', { found });
    } catch (error) {
      deps.log.error('reconcile.failed', errorFields(error));
    }
  };
  const timer = setInterval(() => void once(), everyMs);
  return () => clearInterval(timer);
}
