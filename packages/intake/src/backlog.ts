import { deliveryQueues, type Queues } from '@ringback/queue';
import { remember } from '@ringback/runtime';

/** Which accounts give so much work that their deliveries wait in the ledger, so that others' are not behind them. */
export type Backlog = {
  /** Their ids; none while the delivery queues are short. */
  heavy(): string[];
  /** Says how many jobs came of an account's events. */
  added(accountId: string, jobs: number): void;
};

export type BacklogSettings = {
  /** How many jobs wait in the delivery queues. */
  countWaiting(): Promise<number>;
  now?: () => number;
};

// Some tenths of a second's work.
const short = 200;
const countEveryMs = 250;
// What an account may have at once however long the queues are, and each second.
const burst = 50;
const perSecond = 20;
const mostRemembered = 10_000;

/**
 * Jobs are taken in the order in which they were made, so those of a flood would be a wall before everybody else's. While
 * the delivery queues are long, an account gets some jobs a second, and what is beyond that is parked: workers fetch it as
 * its webhooks have room. Counted now and then, and not waited for.
 */
export function openBacklog({ countWaiting, now = () => performance.now() }: BacklogSettings): Backlog {
  const buckets = new Map<string, { jobs: number; at: number }>();
  let waiting = 0;
  let countedAt = -Infinity;
  const count = () => {
    countedAt = now();
    const before = waiting;
    countWaiting().then(
      // What was added meanwhile may be among them, or not.
      (found) => (waiting += found - before),
      () => undefined,
    );
  };
  /** How much of its burst an account has left. */
  const left = ({ jobs, at }: { jobs: number; at: number }) =>
    Math.min(burst, jobs + ((now() - at) / 1_000) * perSecond);
  return {
    heavy() {
      if (now() - countedAt > countEveryMs) count();
      if (waiting <= short) return [];
      return [...buckets].filter(([, bucket]) => left(bucket) <= 0).map(([accountId]) => accountId);
    },
    added(accountId, jobs) {
      waiting += jobs;
      const bucket = buckets.get(accountId) ?? { jobs: burst, at: now() };
      remember(buckets, accountId, { jobs: Math.max(-burst, left(bucket) - jobs), at: now() }, mostRemembered);
    },
  };
}

/** How many jobs wait in all delivery queues. */
export async function countWaitingDeliveries(queues: Pick<Queues, 'shardsOf' | 'waiting'>): Promise<number> {
  const shards = await Promise.all(Object.values(deliveryQueues).map((name) => queues.shardsOf(name)));
  const counts = await Promise.all(shards.flat().map((shard) => queues.waiting(shard)));
  return counts.reduce((sum, one) => sum + one, 0);
}
