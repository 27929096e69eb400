import { Gauge, type Registry } from 'prom-client';
import { createMeasurement } from '@ringback/process/metrics';
import { eventQueues, testCallQueue, verificationQueue } from './queue-names.js';
import type { Queues } from './queues.js';

export type QueueMetricsDeps = {
  queues: Pick<Queues, 'countJobsByQueue' | 'readOldestPushTime'>;
  /** Measures in the tables how long, in seconds, the most overdue deliveries and verification have been due. */
  measureTableLag(): Promise<{ sms: number; rcs: number; verifications: number }>;
};

const states = ['waiting', 'prioritized', 'delayed', 'active'] as const;

/**
 * Registers the gauges of the queues: their jobs by state, and the lag. They are measured during the scrape. All
 * processes measure the same queues and tables, so their values differ only by the times of the scrapes.
 */
export function registerQueueMetrics(registry: Registry, { queues, measureTableLag }: QueueMetricsDeps): void {
  const countJobs = createMeasurement(() => queues.countJobsByQueue());
  const measureLag = createMeasurement(() => measureLagByQueue(queues, measureTableLag));
  const jobs = new Gauge({
    name: 'ringback_queue_jobs',
    help: 'Jobs in a queue, by state.',
    labelNames: ['queue', 'state'],
    registers: [registry],
    async collect() {
      // When the measurement fails, the gauge has no samples instead of old ones.
      jobs.reset();
      for (const [queue, countsByState] of Object.entries((await countJobs()) ?? {})) {
        for (const state of states) jobs.set({ queue, state }, countsByState[state] ?? 0);
      }
    },
  });
  const lag = new Gauge({
    name: 'ringback_queue_oldest_due_seconds',
    help:
      'The lag in seconds: how long the oldest waiting event or test call has been waiting since its push, ' +
      'or the most overdue unpaused delivery or verification has been due. 0 if there is none.',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      lag.reset();
      for (const [queue, seconds] of Object.entries((await measureLag()) ?? {})) lag.set({ queue }, seconds);
    },
  });
}

/**
 * Measures the lag of each queue in seconds: of events and test calls since their push, by BullMQ's jobs; of deliveries
 * and verifications since they were due, by their tables.
 */
async function measureLagByQueue(
  queues: QueueMetricsDeps['queues'],
  measureTableLag: QueueMetricsDeps['measureTableLag'],
): Promise<Record<string, number>> {
  const jobLags = ([eventQueues.sms, eventQueues.rcs, testCallQueue] as const).map(async (name) => {
    const pushedAt = await queues.readOldestPushTime(name);
    return [name, pushedAt === null ? 0 : Math.max(0, Date.now() - pushedAt.getTime()) / 1_000] as const;
  });
  const [tableLags, ...jobLagEntries] = await Promise.all([measureTableLag(), ...jobLags]);
  return {
    ...Object.fromEntries(jobLagEntries),
    // Deliveries have no queue. These are the names of the BullMQ queues that the previous version had for them.
    'sms-deliveries': tableLags.sms,
    'rcs-deliveries': tableLags.rcs,
    [verificationQueue]: tableLags.verifications,
  };
}
