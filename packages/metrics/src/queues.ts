import { Gauge, type Registry } from 'prom-client';
import { type Database, measureLag } from '@ringback/database';
import { eventQueues, type Queues, testCallQueue, verificationQueue } from '@ringback/queue';
import { createMeasurement } from './create-measurement.js';

export type QueueMetricsDeps = { db: Database; queues: Pick<Queues, 'countJobsByQueue' | 'readOldestPushTime'> };

const states = ['waiting', 'prioritized', 'delayed', 'active'] as const;

/**
 * Registers the queue gauges: jobs by state, and how long the most overdue item has been due. They are measured during
 * the scrape. All processes report the same values, because they share the queues and tables.
 */
export function registerQueueMetrics(registry: Registry, { db, queues }: QueueMetricsDeps): void {
  const counts = createMeasurement(() => queues.countJobsByQueue());
  const lags = createMeasurement(() => measureLags(db, queues));
  const jobs = new Gauge({
    name: 'ringback_queue_jobs',
    help: 'Jobs in a queue, by state.',
    labelNames: ['queue', 'state'],
    registers: [registry],
    async collect() {
      // When the measurement fails, the gauge has no samples instead of old ones.
      jobs.reset();
      for (const [queue, countsByState] of Object.entries((await counts()) ?? {})) {
        for (const state of states) jobs.set({ queue, state }, countsByState[state] ?? 0);
      }
    },
  });
  const overdue = new Gauge({
    name: 'ringback_queue_oldest_due_seconds',
    help: 'How long the most overdue event, delivery, verification or test call has been due, in seconds; 0 if none is due.',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      overdue.reset();
      for (const [queue, seconds] of Object.entries((await lags()) ?? {})) overdue.set({ queue }, seconds);
    },
  });
}

/**
 * Measures for how many seconds the most overdue item of each queue has been due. For events and test calls this comes
 * from BullMQ, for deliveries and verifications from their tables.
 */
async function measureLags(db: Database, queues: QueueMetricsDeps['queues']): Promise<Record<string, number>> {
  const readLags = ([eventQueues.sms, eventQueues.rcs, testCallQueue] as const).map(async (name) => {
    const pushedAt = await queues.readOldestPushTime(name);
    return [name, pushedAt === null ? 0 : Math.max(0, Date.now() - pushedAt.getTime()) / 1_000] as const;
  });
  const [tableLags, ...queueLags] = await Promise.all([measureLag(db), ...readLags]);
  return {
    ...Object.fromEntries(queueLags),
    // Deliveries have no queue. These are the names of the BullMQ queues that older versions had for them.
    'sms-deliveries': tableLags.sms,
    'rcs-deliveries': tableLags.rcs,
    [verificationQueue]: tableLags.verifications,
  };
}
