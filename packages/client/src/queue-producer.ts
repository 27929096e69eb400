import type { Queue } from 'bullmq';
import type { ProducedEvent, Producer } from './event.js';

export type QueueProducerSettings = {
  /** Ringback's Redis. `tls` has the options of node:tls; `{}` means TLS with defaults. */
  connection:
    { url: string } | { host: string; port?: number; username?: string; password?: string; db?: number; tls?: object };
  /** Ringback's QUEUE_PREFIX; `ringback` when absent. */
  prefix?: string;
};

const queueOf = {
  'sms:message:status': 'sms-events',
  'rcs:message:status': 'rcs-events',
  'rcs:message:in': 'rcs-events',
} as const;
type QueueName = (typeof queueOf)[keyof typeof queueOf];

const maxBatchSize = 1_000;

/**
 * Creates a producer that pushes events as BullMQ jobs into Ringback's Redis. It needs the package bullmq. `push`
 * resolves when the jobs are in Redis, and waits while Redis is unavailable. `push` checks only the events' names: a
 * worker rejects invalid events later, and `ringback event rejected` lists them.
 */
export async function createQueueProducer({
  connection,
  prefix = 'ringback',
}: QueueProducerSettings): Promise<Producer> {
  const { Queue } = await import('bullmq');
  const queues = new Map<QueueName, Queue>();
  const connect = (name: QueueName) => {
    const queue = new Queue(name, { connection, prefix });
    // A push rejects with its own error, and BullMQ reconnects by itself.
    queue.on('error', () => undefined);
    queues.set(name, queue);
    return queue;
  };
  return {
    async push(events) {
      const jobs = [events].flat().map(jobOf);
      for (const name of new Set(jobs.map(({ queue }) => queue))) {
        const jobsOfQueue = jobs.filter(({ queue }) => queue === name).map(({ job }) => job);
        const queue = queues.get(name) ?? connect(name);
        for (let start = 0; start < jobsOfQueue.length; start += maxBatchSize) {
          await queue.addBulk(jobsOfQueue.slice(start, start + maxBatchSize));
        }
      }
    },
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}

/** The queue and the job of an event. The job has no options: Ringback ignores most of them and needs none. */
function jobOf({ event, ...data }: ProducedEvent) {
  if (!Object.hasOwn(queueOf, event)) throw new TypeError(`event: unknown event ${String(event)}`);
  return { queue: queueOf[event], job: { name: event, data } };
}
