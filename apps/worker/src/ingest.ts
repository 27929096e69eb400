import {
  createRawEventIngester,
  type Database,
  type DirectLeasing,
  ingestEvents,
  type RawEvent,
  rejectRawEvent,
  type RetryWhileUnavailable,
  type Waker,
} from '@ringback/ledger';
import { type JobHandler, UnreadableData } from '@ringback/queue';
import type { Logger, Tracer } from '@ringback/process';
import type { LeaseHolder } from './leases.js';
import type { WorkerMetrics } from './metrics.js';

export type IngestHandlerDeps = {
  db: Database;
  waker: Waker;
  log: Logger;
  metrics: WorkerMetrics;
  tracer: Tracer | undefined;
  retryWhileUnavailable: RetryWhileUnavailable;
  leases: Pick<LeaseHolder, 'offer' | 'start' | 'waitForIngestCapacity'>;
};

// With 128 jobs at a time, this limits the taking in of a flood to 12,000 events/s, however slow its receivers are.
const maxCapacityWaitMs = 10;

/**
 * Creates the handler of event queues, which ingests jobs as raw events. A job waits a little until the worker may lease
 * deliveries of new events, which saves a claim. It does not wait for long: a flood must soon be in the ledger, where
 * claims are fair.
 */
export function createIngestHandler(deps: IngestHandlerDeps): JobHandler {
  const { db, log, metrics, leases } = deps;
  const directLeasing: DirectLeasing = {
    createLeaseRequest: () => leases.offer(),
    start: (leased, requestedAtMonotonicMs) => leases.start(leased, requestedAtMonotonicMs, 'ingest'),
  };
  const ingest = createRawEventIngester({
    ...deps,
    ingestBatch: metrics.measureBatches('ingest', (events) => ingestEvents({ ...deps, directLeasing }, events)),
    countEvent: metrics.countEvent,
  });
  return {
    async handle(job) {
      await leases.waitForIngestCapacity(maxCapacityWaitMs);
      await ingest(toRawEvent(job));
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
