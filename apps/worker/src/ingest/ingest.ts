import { performance } from 'node:perf_hooks';
import type { PlatformEvent } from '@ringback/callbacks';
import { batched, batchSize, type Database, type RetryWhileUnavailable, type Waker } from '@ringback/database';
import { ingestEvents, ingestRawEvent, type IntakeDeps, rejectRawEvent } from '@ringback/intake';
import { UnreadableData } from '@ringback/queue';
import type { Logger, Tracer } from '@ringback/runtime';
import type { LeasedDeliveries } from '../dispatch/leased-deliveries.js';
import type { RetryThrottle } from '../dispatch/retry-throttle.js';
import type { Handler } from '../jobs/consumer.js';
import type { WorkerMetrics } from '../metrics.js';

export type IngestDeps = {
  db: Database;
  waker: Waker;
  log: Logger;
  metrics: WorkerMetrics;
  traces: Tracer | undefined;
  retryWhileUnavailable: RetryWhileUnavailable;
  leaser: NonNullable<IntakeDeps['leaser']>;
  leased: Pick<LeasedDeliveries, 'waitForCapacity'>;
  throttle: Pick<RetryThrottle, 'observeDelay'>;
};

/**
 * Creates the handler of ingress queues. It stores events with their deliveries, concurrent events in one statement, and
 * retries while PostgreSQL is unavailable. An event with text that PostgreSQL cannot store is stored as rejected.
 */
export function createIngest(deps: IngestDeps): Pick<Handler, 'handle' | 'deadLetter'> {
  const { db, log, metrics, retryWhileUnavailable, leased, throttle } = deps;
  const ingest = batched(
    metrics.measureBatches('ingest', (events: PlatformEvent[]) => ingestEvents(deps, events)),
    { maxSize: batchSize },
  );
  const ingestOrReject = async (eventType: string, data: unknown) => {
    if (data instanceof UnreadableData) return rejectRawEvent(db, { eventType, data: data.text, reason: data.reason });
    return ingestRawEvent({ db, ingest, log }, eventType, data);
  };
  return {
    async handle({ name, data }) {
      const arrivedAt = performance.now();
      await leased.waitForCapacity();
      const { eventId, state, reason } = await retryWhileUnavailable(() => ingestOrReject(name, data));
      throttle.observeDelay(performance.now() - arrivedAt);
      metrics.countEvent({ state });
      log.info('event.ingested', { event_id: eventId, event: name, state, ...(reason === null ? {} : { reason }) });
      return { type: 'complete' };
    },
    async deadLetter({ name, data }, reason) {
      log.error('event.given_up', { event: name, reason });
      const rawData = data instanceof UnreadableData ? data.text : data;
      await rejectRawEvent(db, { eventType: name, data: rawData, reason });
    },
  };
}
