import type { Queue } from 'bullmq';
import type { ProducedEvent, Producer } from './event.js';

export type QueueProducerSettings = {
  /** Ringback's Redis. `tls`: as for node:tls; an empty object for TLS as usual. */
  connection:
    { url: string } | { host: string; port?: number; username?: string; password?: string; db?: number; tls?: object };
  /** Its QUEUE_PREFIX; `ringback` when absent. */
  prefix?: string;
};

const queueOf = {
  'sms:message:status': 'sms-events',
  'rcs:message:status': 'rcs-events',
  'rcs:message:in': 'rcs-events',
} as const;
type QueueName = (typeof queueOf)[keyof typeof queueOf];

const largestBatch = 1_000;

/**
 * Pushes events as jobs, for a platform that reaches Ringback's Redis. `push` resolves when the jobs are in the queue,
 * as durable as that Redis; whether an event can be used is found out later (`ringback event rejected`). While Redis is
 * away, `push` waits for it. Needs the package bullmq.
 */
export async function openQueueProducer({ connection, prefix = 'ringback' }: QueueProducerSettings): Promise<Producer> {
  const { Queue } = await import('bullmq');
  const opened = new Map<QueueName, Queue>();
  const open = (name: QueueName) => {
    const queue = new Queue(name, { connection, prefix });
    // A push tells of its own failure, and the connection is made again by itself.
    queue.on('error', () => undefined);
    opened.set(name, queue);
    return queue;
  };
  return {
    async push(events) {
      const jobs = [events].flat().map(jobOf);
      for (const name of new Set(jobs.map(({ queue }) => queue))) {
        const own = jobs.filter(({ queue }) => queue === name).map(({ job }) => job);
        const queue = opened.get(name) ?? open(name);
        for (let start = 0; start < own.length; start += largestBatch) {
          await queue.addBulk(own.slice(start, start + largestBatch));
        }
      }
    },
    async close() {
      await Promise.all([...opened.values()].map((queue) => queue.close()));
    },
  };
}

/** Retries are Ringback's affair, and so are job ids: a job has no options. */
function jobOf({ event, ...data }: ProducedEvent) {
  if (!Object.hasOwn(queueOf, event)) throw new TypeError(`event: there is no ${String(event)}`);
  return { queue: queueOf[event], job: { name: event, data } };
}
