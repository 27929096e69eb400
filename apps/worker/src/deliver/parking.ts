import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from '@ringback/callbacks';
import { claimParked, type Database, listParkedWebhooks } from '@ringback/database';
import type { Queues } from '@ringback/queue';
import { errorFields, type Logger } from '@ringback/runtime';
import type { JobEnd } from '../jobs/job-end.js';
import type { DeliverOptions } from './deliver.js';
import type { Lanes } from './lanes.js';

export type ParkingDeps = {
  db: Database;
  queues: Pick<Queues, 'enqueueDeliveries'>;
  log: Logger;
  lanes: Lanes;
  /** Those whose deliveries this worker makes. */
  channels: Channel[];
  /** How long a fetched delivery is this worker's alone; longer than a call takes. */
  leaseMs: number;
  /** Makes the attempt of a delivery that was fetched. */
  deliver(deliveryId: string, options: DeliverOptions): Promise<JobEnd>;
};

export type Parking = {
  /** Says that a delivery of the webhook was parked, so that it is fetched as soon as there is room. */
  note(webhookId: string, accountId: string): void;
  /** Stops fetching, and resolves when what was fetched is done. */
  close(): Promise<void>;
};

const everyMs = 250;
const breathMs = 10;
const sweepEveryMs = 2_000;
// What was parked less than a moment ago can't be fetched yet.
const forgetAfterMs = 1_000;
const mostAtOnce = 50;
const mostWebhooks = 10_000;

/**
 * Fetches parked deliveries when their webhooks have room for more calls, and makes their attempts without a job. A
 * waiting delivery costs its queue one fetch and one removal, however long it waits; one whose attempt failed gets a job
 * again. Now and then it looks for what other workers parked.
 */
export function openParking(deps: ParkingDeps): Parking {
  type Known = { accountId: string; notedAt: number };
  const known = new Map<string, Known>();
  // How many were fetched of a webhook whose lane has not answered yet.
  const entering = new Map<string, number>();
  const running = new Set<Promise<void>>();
  let closed = false;
  let sweptAt = -Infinity;
  let wake = () => {};
  const note = (webhookId: string, accountId: string) =>
    void known.set(webhookId, { accountId, notedAt: performance.now() });

  const round = async () => {
    if (performance.now() - sweptAt > sweepEveryMs) {
      sweptAt = performance.now();
      for (const { webhookId, accountId } of await listParkedWebhooks(deps.db, { limit: mostWebhooks })) {
        if (!known.has(webhookId)) note(webhookId, accountId);
      }
    }
    for (const [webhookId, { accountId, notedAt }] of known) {
      if (closed) return;
      const room = deps.lanes.room(webhookId, accountId) - (entering.get(webhookId) ?? 0);
      const limit = Math.min(room, mostAtOnce);
      if (limit <= 0 || (await fetchSome(webhookId, limit))) continue;
      if (performance.now() - notedAt > forgetAfterMs) known.delete(webhookId);
    }
  };

  /** Answers whether there were as many as there was room for, so that there may be more. */
  const fetchSome = async (webhookId: string, limit: number): Promise<boolean> => {
    const claimed = await claimParked(deps.db, webhookId, { channels: deps.channels, limit, leaseMs: deps.leaseMs });
    for (const delivery of claimed) {
      const run = make(deps, delivery, countEntering(entering, webhookId)).finally(() => {
        running.delete(run);
        wake();
      });
      running.add(run);
    }
    return claimed.length === limit;
  };

  const loop = (async () => {
    while (!closed) {
      await round().catch((error: unknown) => deps.log.error('parking.failed', errorFields(error)));
      await sleep(breathMs);
      await Promise.race([sleep(everyMs), new Promise<void>((resolve) => (wake = resolve))]);
    }
  })();

  return {
    note,
    async close() {
      closed = true;
      await loop;
      await Promise.allSettled(running);
    },
  };
}

/** Counts one more, until the returned function is called. */
function countEntering(entering: Map<string, number>, webhookId: string): () => void {
  entering.set(webhookId, (entering.get(webhookId) ?? 0) + 1);
  let counted = true;
  return () => {
    if (!counted) return;
    counted = false;
    const left = (entering.get(webhookId) ?? 1) - 1;
    if (left > 0) entering.set(webhookId, left);
    else entering.delete(webhookId);
  };
}

type Fetched = { id: string; channel: Channel };

/** Makes one attempt of a fetched delivery. When that fails for a reason of ours, it is fetched again after its lease. */
async function make(
  { deliver, queues, log }: ParkingDeps,
  { id, channel }: Fetched,
  onAnswer: () => void,
): Promise<void> {
  try {
    const end = await deliver(id, { fetched: true, onAnswer });
    if (end.type === 'again') await queues.enqueueDeliveries([{ id, channel, dueInMs: end.waitMs, attempts: 1 }]);
  } catch (error) {
    log.error('job.trouble', { delivery_id: id, ...errorFields(error) });
  } finally {
    onAnswer();
  }
}
