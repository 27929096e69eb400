import type { Backend, QueueHandle } from './backend.js';
import type { CountHit } from './hits.js';
import { type IngressState, readIngressState, readObstacles } from './ingress-state.js';
import { countJobs, sumUp } from './job-counts.js';
import {
  deliveryJob,
  deliveryJobId,
  deliveryOfJob,
  eventJob,
  type QueuedDelivery,
  testCallJob,
  verificationJob,
  verificationOfJob,
} from './jobs.js';
import {
  type Channel,
  deliveryQueues,
  type IngressJob,
  ingressQueues,
  type QueueName,
  queueNames,
  type ShardName,
  testCallQueue,
  verificationQueue,
} from './names.js';
import { ignoreUnreadable, waitingSince } from './oldest-waiting.js';
import { openPostgresBackend } from './postgres-backend.js';
import { openRedisBackend } from './redis-backend.js';
import { channelOfShard, mostShards, shardOf, shardsOf } from './shards.js';

export type QueueSettings = {
  /** Absent or empty: BullMQ's own PostgreSQL backend in the database. */
  redisUrl?: string | undefined;
  databaseUrl: string;
  /** BullMQ's prefix on Redis, the schema on PostgreSQL. */
  prefix: string;
  /** How many shards each delivery queue is split into; 1 when absent. On PostgreSQL it is always 1. */
  shards?: number | undefined;
};

/** The producers' side of all queues. An engine that is away fails a call within about two seconds. */
export type Queues = {
  /**
   * Makes the job of each delivery, unless it has one; a job carries ids only. First attempts come before retries.
   * Repeating the call is harmless.
   */
  enqueueDeliveries(deliveries: QueuedDelivery[]): Promise<void>;
  enqueueVerification(verificationId: string): Promise<void>;
  enqueueTestCall(testCallId: string): Promise<void>;
  /**
   * Pushes events as a platform with a BullMQ client does, without any job options. An object as payload travels as
   * its JSON text, and a text stays as it is.
   */
  pushEvents(channel: Channel, jobs: { name: string; data: IngressJob }[]): Promise<void>;
  /**
   * The queues in the engine that hold the jobs of a queue: its shards, and those which another number of shards left
   * behind with jobs in them.
   */
  shardsOf(name: QueueName): Promise<ShardName[]>;
  /**
   * Makes the job of a delivery in the shard that it belongs to, when that is not the one where it was found. A
   * delivery is called from one shard only, so that two jobs of it never are at it at once.
   */
  moveHome(found: ShardName, delivery: { id: string; attempts: number }): Promise<'home' | 'moved'>;
  /** How many jobs each queue has in each state, over all its shards. */
  depths(): Promise<Record<QueueName, Record<string, number>>>;
  /** Takes the job of a delivery away, if it has one. False when it is in a worker's hands, and stays. */
  dropJob(delivery: { id: string; channel: Channel }): Promise<boolean>;
  /** Does something with a queue in the engine, once for each of its shards. */
  onShards<T>(name: QueueName, act: (queue: QueueHandle) => Promise<T>): Promise<T[]>;
  /** The deliveries that have a job, whatever its state. */
  queuedDeliveries(channel: Channel): Promise<Set<string>>;
  /** The verification challenges that have a job, whatever its state. */
  queuedVerifications(): Promise<Set<string>>;
  /** How an ingress queue stands. */
  ingressState(name: QueueName): Promise<IngressState>;
  /**
   * When an ingress job was pushed and when it was last taken, by the clocks of its pusher and of its worker; undefined
   * when it is gone, or cannot be read.
   */
  ingressTimes(name: QueueName, jobId: string): Promise<{ pushedAt: number; takenAt: number | undefined } | undefined>;
  /** How many jobs could be taken now; 0 while the queue is paused, or has a limit that a BullMQ client has set. */
  waiting(name: ShardName): Promise<number>;
  /** Since when the job that has waited longest could be taken, by its pusher's clock; null when none waits. */
  oldestWaiting(name: QueueName): Promise<Date | null>;
  /** A count of hits in windows that all processes share; undefined when the engine is no place for that. */
  openHitCounter(windowMs: number): CountHit | undefined;
  ping(): Promise<void>;
  /** Whether the engine, or a part of a cluster, lost everything since `markKept`, or that was never called. */
  wasLost(): Promise<boolean>;
  markKept(): Promise<void>;
  close(): Promise<void>;
};

/** The one place that chooses the engine. */
export function openBackend({ redisUrl, databaseUrl, prefix, shards = 1 }: QueueSettings): Backend {
  return redisUrl
    ? openRedisBackend({ redisUrl, prefix, shards })
    : openPostgresBackend({ databaseUrl, schema: prefix });
}

const live = ['waiting', 'active', 'delayed', 'prioritized'] as const;

// As many jobs as are added within the time that a command may take.
const mostAtOnce = 1_000;

async function addAll(queue: QueueHandle, jobs: Parameters<QueueHandle['addBulk']>[0]): Promise<void> {
  for (let start = 0; start < jobs.length; start += mostAtOnce) {
    await queue.addBulk(jobs.slice(start, start + mostAtOnce));
  }
}

export function openQueues(settings: QueueSettings & { onError: (error: Error) => void }): Queues {
  const backend = openBackend(settings);
  // All shards of PostgreSQL would be in the same database.
  const shards = settings.redisUrl ? (settings.shards ?? 1) : 1;
  const opened = new Map<ShardName, QueueHandle>();
  const queue = (name: ShardName) => {
    const handle = opened.get(name) ?? backend.openQueue(name, settings.onError);
    opened.set(name, handle);
    return handle;
  };
  const home = ({ channel, id }: { channel: Channel; id: string }) => shardOf(channel, id, shards);
  const enqueueDeliveries = async (deliveries: QueuedDelivery[]) => {
    const byShard = new Map<ShardName, ReturnType<typeof deliveryJob>[]>();
    for (const delivery of deliveries) {
      const jobs = byShard.get(home(delivery)) ?? [];
      byShard.set(home(delivery), jobs);
      jobs.push(deliveryJob(delivery));
    }
    await Promise.all([...byShard].map(([shard, jobs]) => addAll(queue(shard), jobs)));
  };
  const shardsWithJobs = async (name: QueueName) => {
    const own = shardsOf(name, shards);
    const others = shardsOf(name, mostShards).slice(own.length);
    const left = await Promise.all(others.map((shard) => backend.hasJobs(shard)));
    return [...own, ...others.filter((_, index) => left[index])];
  };
  return {
    enqueueDeliveries,
    enqueueVerification: async (id) => void (await queue(verificationQueue).addBulk([verificationJob(id)])),
    enqueueTestCall: async (id) => void (await queue(testCallQueue).addBulk([testCallJob(id)])),
    pushEvents: async (channel, jobs) => addAll(queue(ingressQueues[channel]), jobs.map(eventJob)),
    shardsOf: shardsWithJobs,
    async moveHome(found, delivery) {
      const channel = channelOfShard(found);
      if (channel === undefined || home({ channel, id: delivery.id }) === found) return 'home';
      await enqueueDeliveries([{ ...delivery, channel, dueInMs: 0 }]);
      return 'moved';
    },
    async depths() {
      const counts = queueNames.map(async (name) => {
        const all = await Promise.all((await shardsWithJobs(name)).map((shard) => countJobs(queue(shard))));
        return [name, sumUp(all)] as const;
      });
      return Object.fromEntries(await Promise.all(counts)) as Record<QueueName, Record<string, number>>;
    },
    async dropJob({ id, channel }) {
      const jobId = deliveryJobId(id);
      const isDropped = (await queue(home({ channel, id })).remove(jobId)) > 0;
      return isDropped || (await queue(home({ channel, id })).getJob(jobId)) === undefined;
    },
    onShards: async (name, act) => Promise.all((await shardsWithJobs(name)).map((shard) => act(queue(shard)))),
    async queuedDeliveries(channel) {
      const all = await shardsWithJobs(deliveryQueues[channel]);
      const ids = await Promise.all(all.map((shard) => queue(shard).getRanges([...live], 0, -1)));
      return new Set(ids.flat().map(deliveryOfJob));
    },
    async queuedVerifications() {
      const ids = await queue(verificationQueue).getRanges([...live], 0, -1);
      return new Set(ids.map(verificationOfJob));
    },
    ingressState: (name) => readIngressState(queue(name)),
    async ingressTimes(name, jobId) {
      const job = await queue(name).getJob(jobId).catch(ignoreUnreadable);
      return job && { pushedAt: job.timestamp, takenAt: job.processedOn };
    },
    async waiting(name) {
      if ((await readObstacles(queue(name))).length > 0) return 0;
      const { waiting = 0, prioritized = 0 } = await queue(name).getJobCounts('waiting', 'prioritized');
      return waiting + prioritized;
    },
    async oldestWaiting(name) {
      const times = await Promise.all((await shardsWithJobs(name)).map((shard) => waitingSince(queue(shard))));
      const oldest = Math.min(...times.flat());
      return Number.isFinite(oldest) ? new Date(oldest) : null;
    },
    openHitCounter: (windowMs) => backend.openHitCounter?.(windowMs, settings.onError),
    ping: () => backend.check(),
    wasLost: () => backend.lostMark(),
    markKept: () => backend.keepMark(),
    async close() {
      await Promise.allSettled([...opened.values()].map((handle) => handle.close()));
      await backend.close();
    },
  };
}
