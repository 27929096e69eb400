import { Gauge, type Registry } from 'prom-client';
import { type Database, measureLag } from '@ringback/database';
import { ingressQueues, type Queues, testCallQueue, verificationQueue } from '@ringback/queue';
import { measured } from './measure.js';

export type QueueMetricsDeps = { db: Database; queues: Pick<Queues, 'depths' | 'oldestWaiting'> };

const states = ['waiting', 'prioritized', 'delayed', 'active'] as const;

/**
 * How many jobs are in each queue, and for how long the one that has been due longest has been due. Measured when it is
 * asked for. Every process tells the same, so that any of them may be asked.
 */
export function measureQueues(registry: Registry, { db, queues }: QueueMetricsDeps): void {
  const depths = measured(() => queues.depths());
  const lags = measured(() => measureLags(db, queues));
  const jobs = new Gauge({
    name: 'ringback_queue_jobs',
    help: 'Jobs in a queue, by state.',
    labelNames: ['queue', 'state'],
    registers: [registry],
    async collect() {
      // What could not be measured is left out: an old figure would be a wrong one.
      jobs.reset();
      for (const [queue, counts] of Object.entries((await depths()) ?? {})) {
        for (const state of states) jobs.set({ queue, state }, counts[state] ?? 0);
      }
    },
  });
  const oldest = new Gauge({
    name: 'ringback_queue_oldest_due_seconds',
    help: 'For how long the job of a queue that has been due longest has been due; 0 when none is.',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      oldest.reset();
      for (const [queue, seconds] of Object.entries((await lags()) ?? {})) oldest.set({ queue }, seconds);
    },
  });
}

/** An event and a test call wait from when their job was made; when a delivery or a challenge is due stands in the ledger. */
async function measureLags(db: Database, queues: QueueMetricsDeps['queues']): Promise<Record<string, number>> {
  const ages = ([ingressQueues.sms, ingressQueues.rcs, testCallQueue] as const).map(async (name) => {
    const since = await queues.oldestWaiting(name);
    return [name, since === null ? 0 : Math.max(0, Date.now() - since.getTime()) / 1_000] as const;
  });
  const [ledger, ...pushed] = await Promise.all([measureLag(db), ...ages]);
  return {
    ...Object.fromEntries(pushed),
    // Deliveries wait in the ledger, by channel.
    'sms-deliveries': ledger.sms,
    'rcs-deliveries': ledger.rcs,
    [verificationQueue]: ledger.verifications,
  };
}
