import type { Channel } from '@ringback/callbacks';
import { type Database, findWebhook, hastenDelivery, resendDelivery } from '@ringback/database';
import { isQueueUnavailable, type Queues } from '@ringback/queue';

export type ResendDeps = { db: Database; queues: Pick<Queues, 'enqueueDeliveries' | 'dropJob'> };

type Which = { id: string; webhookId: string; channel: Channel; state: string };

/**
 * Has a delivery of the account sent again. A final one is called once more, at once; one that is pending gets its next
 * attempt within seconds. Answers why nothing was done, or null.
 */
export async function resend(
  { db, queues }: ResendDeps,
  accountId: string,
  delivery: Which,
): Promise<'inactive' | 'deleted' | null> {
  const { id, channel } = delivery;
  const webhook = await findWebhook(db, accountId, delivery.webhookId);
  if (!webhook?.active) return webhook ? 'inactive' : 'deleted';
  // A job that is left over would keep a new one out. One that a worker has in hand stays, and while the queue is away
  // nothing is known of jobs: then the delivery is parked, which needs none.
  const isFree = await queues.dropJob(delivery).catch(whenAway);
  const isPending = delivery.state === 'pending';
  const isParked = isPending ? await hastenDelivery(db, accountId, id) : !isFree;
  if (!isPending) await resendDelivery(db, accountId, id, { parked: isParked });
  // Also when somebody else was faster, whose job may be the one that was dropped: the row decides what a job does. One
  // that cannot be made now is made by the reconciler.
  if (isFree && !isParked) await queues.enqueueDeliveries([{ id, channel, dueInMs: 0 }]).catch(whenAway);
  return null;
}

function whenAway(error: unknown): false {
  if (!isQueueUnavailable(error)) throw error;
  return false;
}
