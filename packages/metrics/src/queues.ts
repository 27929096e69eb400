import { Gauge, type Registry } from 'prom-client';
import { type Database, measureLag as measureTableLag } from '@ringback/database';
import {
  eventQueues,
  type QueueHealth,
  queueNames,
  type Queues,
  testCallQueue,
  verificationQueue,
} from '@ringback/queue';
import { createMeasurement } from './create-measurement.js';

export type QueueMetricsDeps = { db: Database; queues: Pick<Queues, 'readHealth'> };

const states = ['waiting', 'delayed', 'active'] as const;

/**
 * Registers the gauges of the queues: their jobs by state, and the lag. They are measured during the scrape. All
 * processes measure the same queues and tables, so their values differ only by the times of the scrapes.
 */
export function registerQueueMetrics(registry: Registry, { db, queues }: QueueMetricsDeps): void {
  const readHealth = createMeasurement(() => readHealthByQueue(queues));
  const measureTables = createMeasurement(() => measureTableLag(db));
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
    name: 'ringback_queue_oldest_due_seconds',
    help:
      'The lag in seconds: how long the oldest waiting event or test call has been waiting since its push, ' +
      'or the most overdue unpaused delivery or verification has been due. 0 if there is none.',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      lag.reset();
      const [health, tables] = await Promise.all([readHealth(), measureTables()]);
      if (!health || !tables) return;
      for (const [queue, seconds] of Object.entries(lagByQueue(health, tables))) lag.set({ queue }, seconds);
    },
  });
}

type HealthByQueue = Map<string, QueueHealth>;

async function readHealthByQueue(queues: QueueMetricsDeps['queues']): Promise<HealthByQueue> {
  return new Map(await Promise.all(queueNames.map(async (name) => [name, await queues.readHealth(name)] as const)));
}

/**
 * The lag of each queue in seconds: of events and test calls since their push, by BullMQ's jobs; of deliveries and
 * verifications since they were due, by their tables.
 */
function lagByQueue(
  health: HealthByQueue,
  tables: Awaited<ReturnType<typeof measureTableLag>>,
): Record<string, number> {
  const jobLags = [eventQueues.sms, eventQueues.rcs, testCallQueue].map((name) => {
    const pushedAt = health.get(name)?.oldestWaitingAt;
    return [name, pushedAt ? Math.max(0, Date.now() - pushedAt.getTime()) / 1_000 : 0] as const;
  });
  return {
    ...Object.fromEntries(jobLags),
    // Deliveries have no queue. The names stand for the two kinds of them.
    'sms-deliveries': tables.sms,
    'rcs-deliveries': tables.rcs,
    [verificationQueue]: tables.verifications,
  };
}
