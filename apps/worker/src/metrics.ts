import { type Database, measureLag, measurePartitionsAhead, requireWritable, SnapshotWatch } from '@ringback/ledger';
import {
  Counter,
  createEventCounters,
  type EventCounters,
  Gauge,
  Histogram,
  createRegistry,
  type Registry,
  registerDatabaseGauges,
} from '@ringback/process/metrics';
import { type Queues, registerQueueMetrics } from '@ringback/queue';
import { readVersion } from '@ringback/process';
import type { Channel, Outcome, Verdict } from '@ringback/rules';

/** What is measured of an attempt. */
type MeasuredAttempt = {
  channel: Channel;
  attemptNumber: number;
  outcome: Outcome;
  verdict: Verdict['type'];
  durationMs: number;
  /** When the event was stored, by PostgreSQL's clock. */
  receivedAt: Date;
  /** When the attempt started, by this machine's clock. */
  startedAt: Date;
};

export type WorkerMetricsDeps = {
  db: Database;
  queues: Pick<Queues, 'readHealth' | 'check'>;
};

/** The worker's metrics at `/metrics`. Labels have few, fixed values: no ids and no addresses. */
export class WorkerMetrics {
  /** The events that this worker ingested. */
  readonly events: EventCounters;
  readonly #registry: Registry;
  readonly #metrics: ReturnType<typeof registerMetrics>;

  constructor({ db, queues }: WorkerMetricsDeps) {
    const checkReady = () => Promise.all([requireWritable(db), queues.check()]);
    this.#registry = createRegistry({ version: readVersion(), checkReady, pools: [db.pool] });
    registerQueueMetrics(this.#registry, { queues, measureTableLag: () => measureLag(db) });
    const snapshots = new SnapshotWatch();
    registerDatabaseGauges(this.#registry, {
      oldestTransaction: () => snapshots.measure(db),
      partitionsAhead: () => measurePartitionsAhead(db),
    });
    this.#metrics = registerMetrics(this.#registry);
    this.events = createEventCounters(this.#registry);
  }

  /** All metrics as text for Prometheus. */
  async read(): Promise<{ type: string; text: string }> {
    return { type: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  observeAttempt(attempt: MeasuredAttempt): void {
    const { channel, outcome, verdict, durationMs, attemptNumber, receivedAt, startedAt } = attempt;
    const { attempts, durations, storeToAttempt } = this.#metrics;
    attempts.inc({ channel, outcome: outcome.type, verdict });
    durations.observe({ channel }, durationMs / 1_000);
    if (attemptNumber > 1) return;
    // The difference may be negative: `receivedAt` is the database's time, `startedAt` this machine's.
    const seconds = Math.max(0, startedAt.getTime() - receivedAt.getTime()) / 1_000;
    storeToAttempt.observe({ channel }, seconds);
  }

  callbackStarted(): void {
    this.#metrics.inFlight.inc();
  }

  callbackEnded(): void {
    this.#metrics.inFlight.dec();
  }

  /** Counts a delivery whose attempt, or its record, failed with an internal error. */
  countDeliveryError(): void {
    this.#metrics.deliveryErrors.inc();
  }

  /** `name`: what the calls of the batch do. */
  observeBatch(name: string, size: number): void {
    this.#metrics.batchSizes.observe({ batch: name }, size);
  }

  /** Measures the overloaded receivers that this worker sends to, whenever the metrics are read. */
  watchOverloaded(count: () => number): void {
    new Gauge({
      name: 'ringback_webhooks_overloaded',
      help: 'Webhooks whose receiver responded with 429 or 503, so that their callbacks are paced.',
      registers: [this.#registry],
      collect() {
        this.set(count());
      },
    });
  }
}

const latencyBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600];

function registerMetrics(registry: Registry) {
  const registers = [registry];
  return {
    attempts: new Counter({
      name: 'ringback_attempts_total',
      help: 'Attempts by outcome and verdict.',
      labelNames: ['channel', 'outcome', 'verdict'],
      registers,
    }),
    deliveryErrors: new Counter({
      name: 'ringback_delivery_errors_total',
      help: 'Internal errors of attempts and their records, which use up no attempt.',
      registers,
    }),
    durations: new Histogram({
      name: 'ringback_attempt_duration_seconds',
      help: 'Duration of the requests of attempts, including the wait for a connection, in seconds.',
      labelNames: ['channel'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10],
      registers,
    }),
    storeToAttempt: new Histogram({
      name: 'ringback_store_to_attempt_seconds',
      help: 'Time from the storing of an event to the start of the first attempt of a delivery.',
      labelNames: ['channel'],
      buckets: latencyBuckets,
      registers,
    }),
    inFlight: new Gauge({ name: 'ringback_callbacks_in_flight', help: 'Callbacks in flight.', registers }),
    batchSizes: new Histogram({
      name: 'ringback_batch_size',
      help: 'Concurrent calls that were combined into one batch.',
      labelNames: ['batch'],
      buckets: [1, 2, 5, 10, 20, 50, 100, 200],
      registers,
    }),
  };
}
