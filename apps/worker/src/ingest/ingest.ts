import { performance } from 'node:perf_hooks';
import type { PlatformEvent } from '@ringback/callbacks';
import { batched, batchSize, type Database, isDatabaseUnavailable, isUnstorable, type Waker } from '@ringback/database';
import { ingestEvents, ingestRawEvent, type IntakeDeps, rejectRawEvent } from '@ringback/intake';
import { UnreadableData } from '@ringback/queue';
import { errorFields, type Logger, type Tracer } from '@ringback/runtime';
import type { LeasedDeliveries } from '../dispatch/leased-deliveries.js';
import type { RetryThrottle } from '../dispatch/retry-throttle.js';
import type { Handler } from '../jobs/consumers.js';
import type { Persist } from '../jobs/patience.js';
import type { WorkerMetrics } from '../metrics.js';

export type IngestDeps = {
  db: Database;
  waker: Waker;
  log: Logger;
  metrics: WorkerMetrics;
  traces: Tracer | undefined;
  persist: Persist;
  leaser: NonNullable<IntakeDeps['leaser']>;
  leased: Pick<LeasedDeliveries, 'capacity'>;
  throttle: Pick<RetryThrottle, 'observe'>;
};

/**
 * Takes in the events of platforms, in batches; waits while PostgreSQL is away. An event that PostgreSQL cannot hold is
 * kept as rejected.
 */
export function createIngest(deps: IngestDeps): Pick<Handler, 'handle' | 'giveUp'> {
  const { db, log, metrics, persist, leased, throttle } = deps;
  const ingest = batched(
    metrics.batches('take', (events: PlatformEvent[]) => ingestEvents(deps, events)),
    { maxSize: batchSize },
  );
  const arrive = async (name: string, data: unknown) => {
    if (data instanceof UnreadableData) return rejectRawEvent(db, { name, data: data.text, reason: data.reason });
    try {
      return await ingestRawEvent({ db, ingest }, name, data);
    } catch (error) {
      if (!isUnstorable(error)) throw error;
      log.error('event.unstorable', { event: name, ...errorFields(error) });
      return rejectRawEvent(db, { name, data, reason: 'PostgreSQL cannot hold it' });
    }
  };
  return {
    async handle({ name, data }) {
      const arrivedAt = performance.now();
      await leased.capacity();
      const { eventId, state, reason } = await persist(() => arrive(name, data), isDatabaseUnavailable);
      throttle.observe(performance.now() - arrivedAt);
      metrics.eventTaken({ state });
      log.info('event.taken', { event_id: eventId, event: name, state, ...(reason === null ? {} : { reason }) });
      return { type: 'done' };
    },
    async giveUp({ name, data }, reason) {
      log.error('event.given_up', { event: name, reason });
      await rejectRawEvent(db, { name, data: data instanceof UnreadableData ? data.text : data, reason });
    },
  };
}
