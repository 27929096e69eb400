import { performance } from 'node:perf_hooks';
import {
  createRawEventIngester,
  ingestEvents,
  type RawEvent,
  rejectRawEvent,
  type Database,
  type RetryWhileUnavailable,
  type Waker,
} from '@ringback/ledger';
import { UnreadableData } from '@ringback/queue';
import type { Logger, Tracer } from '@ringback/process';
import type { DeliveryProcessor } from '../dispatch/delivery-processor.js';
import type { JobHandler } from '../jobs/consumer.js';
import type { WorkerMetrics } from '../metrics.js';

export type IngestHandlerDeps = {
  db: Database;
  waker: Waker;
  log: Logger;
  metrics: WorkerMetrics;
  tracer: Tracer | undefined;
  retryWhileUnavailable: RetryWhileUnavailable;
  processor: Pick<DeliveryProcessor, 'directLeasing' | 'waitForIngestCapacity' | 'reportIngestDelay'>;
};

/**
 * Creates the handler of event queues, which ingests jobs as raw events. A job waits until the worker may lease
 * deliveries of new events. The handler reports to the retry throttle how long each job took.
 */
export function createIngestHandler(deps: IngestHandlerDeps): Pick<JobHandler, 'handle' | 'deadLetter'> {
  const { db, log, metrics, processor } = deps;
  const { directLeasing } = processor;
  const ingest = createRawEventIngester({
    ...deps,
    ingestBatch: metrics.measureBatches('ingest', (events) => ingestEvents({ ...deps, directLeasing }, events)),
    countEvent: metrics.countEvent,
  });
  return {
    async handle(job) {
      const startedAt = performance.now();
      await processor.waitForIngestCapacity();
      await ingest(toRawEvent(job));
      processor.reportIngestDelay(performance.now() - startedAt);
      return { type: 'complete' };
    },
    async deadLetter(job, reason) {
      log.error('event.rejected_after_crashes', { event: job.name, reason });
      metrics.countEvent(await rejectRawEvent(db, toRawEvent(job), reason));
    },
  };
}

const toRawEvent = ({ name, data }: { name: string; data: unknown }): RawEvent =>
  data instanceof UnreadableData ? { name, data: data.text, unreadableReason: data.reason } : { name, data };
