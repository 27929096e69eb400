import { performance } from 'node:perf_hooks';
import {
  createRawEventIngester,
  type Database,
  ingestEvents,
  type RawEvent,
  rejectRawEvent,
  type RetryWhileUnavailable,
  type Waker,
} from '@ringback/ledger';
import { type JobHandler, UnreadableData } from '@ringback/queue';
import { type Logger, type Tracer, withTimeout } from '@ringback/process';
import type { DeliveryProcessor } from '../dispatch/delivery-processor.js';
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

// With 128 jobs at a time, this limits the taking in of a flood to 12,000 events/s, however slow its receivers are.
const maxCapacityWaitMs = 10;

/**
 * Creates the handler of event queues, which ingests jobs as raw events. A job waits a little until the worker may lease
 * deliveries of new events, which saves a claim. It does not wait for long: a flood must soon be in the ledger, where
 * claims are fair. The handler reports to the retry throttle how long each job took.
 */
export function createIngestHandler(deps: IngestHandlerDeps): JobHandler {
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
      await withTimeout(maxCapacityWaitMs, processor.waitForIngestCapacity(), () => undefined);
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
