import type { NewEvent } from '@ringback/rules';
import {
  Batcher,
  type Database,
  type DeliveryTask,
  ingestBatch,
  type IngestResult,
  parseRawEvent,
  type RawEvent,
  rejectRawEvent,
  rejectUnstorable,
  reportIngested,
  type RetryWhileUnavailable,
  type StoreResult,
} from '@ringback/ledger';
import { type JobHandler, type JobResult, UnreadableData } from '@ringback/queue';
import type { Logger, Tracer } from '@ringback/process';
import type { LeaseHolder } from './leases.js';
import type { WorkerMetrics } from './metrics.js';

export type IngestHandlerDeps = {
  db: Database;
  log: Logger;
  metrics: Pick<WorkerMetrics, 'events' | 'observeBatch'>;
  tracer: Tracer | undefined;
  retryWhileUnavailable: RetryWhileUnavailable;
  leases: Pick<LeaseHolder, 'leaseRequest' | 'start' | 'waitForIngestCapacity'>;
};

type EventJob = { name: string; data: unknown };

// With 128 jobs at a time, this limits the taking in of a flood to 12,000 events/s, however slow its receivers are.
const maxCapacityWaitMs = 10;

/** Ingests the jobs of event queues. Events that are ingested at the same time share a batch. */
export class IngestHandler implements JobHandler {
  readonly #deps: IngestHandlerDeps;
  readonly #events: Batcher<NewEvent, StoreResult>;

  constructor(deps: IngestHandlerDeps) {
    this.#deps = deps;
    this.#events = new Batcher((events: NewEvent[]) => this.#ingestAndStart(events), {
      retry: deps.retryWhileUnavailable,
      onBatch: (size) => deps.metrics.observeBatch('ingest', size),
    });
  }

  /**
   * Stores the event of a job, as rejected if it is not valid. Waits a little until the worker may lease deliveries of
   * new events, which saves a claim, but not for long: a flood must soon be in the ledger, where claims are fair.
   */
  async handle(job: EventJob): Promise<JobResult> {
    const { leases, metrics, log } = this.#deps;
    await leases.waitForIngestCapacity(maxCapacityWaitMs);
    const rawEvent = toRawEvent(job);
    const result = await this.#ingest(rawEvent);
    reportIngested({ log, events: metrics.events }, rawEvent.name, result);
    return { type: 'complete' };
  }

  async giveUp(job: EventJob, reason: string): Promise<void> {
    const { db, log, metrics } = this.#deps;
    log.error('event.rejected_after_crashes', { event: job.name, reason });
    const result = await rejectRawEvent(db, toRawEvent(job), reason);
    reportIngested({ log, events: metrics.events }, job.name, result);
  }

  async #ingest(rawEvent: RawEvent): Promise<IngestResult> {
    const { db, retryWhileUnavailable } = this.#deps;
    const parsed = parseRawEvent(rawEvent);
    if (!parsed.ok) return retryWhileUnavailable(() => rejectRawEvent(db, rawEvent, parsed.reason));
    return this.#events
      .run(parsed.event)
      .catch((error: unknown) => retryWhileUnavailable(() => rejectUnstorable(this.#deps, rawEvent, error)));
  }

  /** Stores events, and starts the attempts of the deliveries that are leased to this worker. */
  async #ingestAndStart(events: NewEvent[]): Promise<StoreResult[]> {
    const { leases } = this.#deps;
    const requestedAtMonotonicMs = performance.now();
    const start = (leased: DeliveryTask[]) => leases.start(leased, requestedAtMonotonicMs, 'ingest');
    return ingestBatch(this.#deps, events, { request: leases.leaseRequest(), start });
  }
}

const toRawEvent = ({ name, data }: EventJob): RawEvent =>
  data instanceof UnreadableData ? { name, data: data.text, unreadableReason: data.reason } : { name, data };
