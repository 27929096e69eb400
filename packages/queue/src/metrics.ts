import { Gauge, type Registry } from 'prom-client';
import { createMeasurement, limitShare } from '@ringback/process/metrics';
import type { QueueHealth } from './health.js';
import { eventQueues, queueNames, testCallQueue } from './jobs.js';
import type { Queues } from './producer.js';

type TableLag = { sms: number; rcs: number; verifications: number };

export type QueueMetricsDeps = {
  queues: Pick<Queues, 'readHealth'>;
  /**
   * Measures in the tables how long, in seconds, the most overdue deliveries and verification have been due. While
   * VACUUM can't remove old index entries, it reads these too, so it runs for at most 1 % of the time.
   */
  measureTableLag(): Promise<TableLag>;
};

const states = ['waiting', 'delayed', 'active'] as const;

/**
 * Registers the gauges of the queues: their jobs by state, and the lag. They are measured during the scrape. All
 * processes measure the same queues and tables, so their values differ only by the times of the scrapes.
 */
export function registerQueueMetrics(registry: Registry, { queues, measureTableLag }: QueueMetricsDeps): void {
  const readHealth = createMeasurement(() => readHealthByQueue(queues));
  const measureTables = createMeasurement(limitShare(measureTableLag));
  const jobs = new Gauge({
    name: 'ringback_queue_jobs',
    help: 'Jobs in a queue, by state.',
    labelNames: ['queue', 'state'],
    registers: [registry],
    async collect() {
      // When the measurement fails, the gauge has no samples instead of old ones.
      jobs.reset();
      for (const [queue, health] of (await readHealth()) ?? [])
        for (const state of states) jobs.set({ queue, state }, health[state]);
    },
  });
  const lag = new Gauge({
    name: 'ringback_lag_seconds',
    help:
      'How long the oldest waiting event or test call has been waiting since its push, or the most overdue unpaused ' +
      'delivery (sms, rcs) or verification has been due. 0 if there is none.',
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      lag.reset();
      const [health, tables] = await Promise.all([readHealth(), measureTables()]);
      if (!health || !tables) return;
      for (const [kind, seconds] of Object.entries(lagByKind(health, tables))) lag.set({ kind }, seconds);
    },
  });
}

type HealthByQueue = Map<string, QueueHealth>;

async function readHealthByQueue(queues: QueueMetricsDeps['queues']): Promise<HealthByQueue> {
  return new Map(await Promise.all(queueNames.map(async (name) => [name, await queues.readHealth(name)] as const)));
}

/** The lag in seconds: of events and test calls by BullMQ's jobs, of deliveries and verifications by their tables. */
function lagByKind(health: HealthByQueue, tables: TableLag): Record<string, number> {
  const jobLags = [eventQueues.sms, eventQueues.rcs, testCallQueue].map((name) => {
    const pushedAt = health.get(name)?.oldestWaitingAt;
    return [name, pushedAt ? Math.max(0, Date.now() - pushedAt.getTime()) / 1_000 : 0] as const;
  });
  return { ...Object.fromEntries(jobLags), ...tables };
}
