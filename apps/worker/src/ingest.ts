import type { NewEvent } from '@ringback/rules';
import {
  createRawEventIngester,
  type Database,
  type RawEvent,
  rejectRawEvent,
  type RetryWhileUnavailable,
  storeEvents,
  type StoreResult,
  traceIngested,
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
  const ingest = createRawEventIngester({
    ...deps,
    ingestBatch: metrics.measureBatches('ingest', (events) => storeAndStart(deps, events)),
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

/**
 * Stores events with their deliveries, starts the attempts of the deliveries that the statement leased to this worker,
 * and wakes the workers for the others. A long list may need several statements.
 */
async function storeAndStart(
  { db, waker, leases, tracer }: Pick<IngestHandlerDeps, 'db' | 'waker' | 'leases' | 'tracer'>,
  events: NewEvent[],
): Promise<StoreResult[]> {
  const results: StoreResult[] = [];
  while (results.length < events.length) {
    const [startedAt, requestedAtMonotonicMs] = [Date.now(), performance.now()];
    const stored = await storeEvents(db, events.slice(results.length), leases.offer());
    for (const { leased } of stored) leases.start(leased, requestedAtMonotonicMs, 'ingest');
    waker.wake(stored.flatMap(({ due }) => due));
    traceIngested(tracer, stored, startedAt);
    results.push(...stored);
  }
  return results;
}

const toRawEvent = ({ name, data }: { name: string; data: unknown }): RawEvent =>
  data instanceof UnreadableData ? { name, data: data.text, unreadableReason: data.reason } : { name, data };
