import { Gauge, type Registry } from 'prom-client';
import { type Database, measureLag } from '@ringback/database';
import { ingressQueues, type Queues, testCallQueue, verificationQueue } from '@ringback/queue';
import { createMeasurement } from './create-measurement.js';

export type QueueMetricsDeps = { db: Database; queues: Pick<Queues, 'countJobsByQueue' | 'readOldestPushTime'> };

const states = ['waiting', 'prioritized', 'delayed', 'active'] as const;

/**
 * Registers the queue gauges: jobs by state, and the age of the oldest due job. They are measured during the scrape.
 * All processes report the same values, because they share the queues.
 */
export function registerQueueMetrics(registry: Registry, { db, queues }: QueueMetricsDeps): void {
  const depths = createMeasurement(() => queues.countJobsByQueue());
  const lags = createMeasurement(() => measureLags(db, queues));
  const jobs = new Gauge({
    name: 'ringback_queue_jobs',
    help: 'Jobs in a queue, by state.',
    labelNames: ['queue', 'state'],
    registers: [registry],
    async collect() {
      // When the measurement fails, the gauge has no samples instead of old ones.
      jobs.reset();
      for (const [queue, counts] of Object.entries((await depths()) ?? {})) {
        for (const state of states) jobs.set({ queue, state }, counts[state] ?? 0);
      }
    },
  });
  const oldest = new Gauge({
    name: 'ringback_queue_oldest_due_seconds',
    help: 'Age of the oldest due job of a queue, in seconds from its due time; 0 when no job is due.',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      oldest.reset();
      for (const [queue, seconds] of Object.entries((await lags()) ?? {})) oldest.set({ queue }, seconds);
    },
  });
}

/**
 * The age of the oldest due job for each queue, in seconds. For events and test calls it comes from BullMQ, for
 * deliveries and challenges from their tables.
 */
async function measureLags(db: Database, queues: QueueMetricsDeps['queues']): Promise<Record<string, number>> {
  const jobLags = ([ingressQueues.sms, ingressQueues.rcs, testCallQueue] as const).map(async (name) => {
    const createdAt = await queues.readOldestPushTime(name);
    return [name, createdAt === null ? 0 : Math.max(0, Date.now() - createdAt.getTime()) / 1_000] as const;
  });
  const [tables, ...jobs] = await Promise.all([measureLag(db), ...jobLags]);
  return {
    ...Object.fromEntries(jobs),
    // Deliveries have no queue. These are the names of the BullMQ queues that older versions had for them.
    'sms-deliveries': tables.sms,
    'rcs-deliveries': tables.rcs,
    [verificationQueue]: tables.verifications,
  };
}
