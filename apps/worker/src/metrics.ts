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

/** The worker's metrics at `/metrics`. Labels have few, fixed values: no ids and no addresses. */
export type WorkerMetrics = {
  /** All metrics as text for Prometheus. */
  read(): Promise<{ type: string; text: string }>;
  observeAttempt(attempt: MeasuredAttempt): void;
  /** Counts a delivery whose attempt, or its record, failed with an internal error. */
  countDeliveryError(): void;
  /** Wraps the function that sends a callback, and counts the callbacks in flight. */
  countInFlight<I, O>(send: (input: I) => Promise<O>): (input: I) => Promise<O>;
  /** Wraps the function that runs a batch, and records the size of each batch under `batchName`. */
  measureBatches<I, O>(batchName: string, run: (items: I[]) => Promise<O>): (items: I[]) => Promise<O>;
  /** The events that this worker ingested. */
  readonly events: EventCounters;
  /** Measures the overloaded receivers that this worker sends to, whenever the metrics are read. */
  watchOverloaded(count: () => number): void;
};

export type WorkerMetricsDeps = {
  db: Database;
  queues: Pick<Queues, 'readHealth' | 'check'>;
};

export function createWorkerMetrics({ db, queues }: WorkerMetricsDeps): WorkerMetrics {
  const checkReady = () => Promise.all([requireWritable(db), queues.check()]);
  const registry = createRegistry({ version: readVersion(), checkReady, pools: [db.pool] });
  registerQueueMetrics(registry, { queues, measureTableLag: () => measureLag(db) });
  const snapshots = new SnapshotWatch();
  registerDatabaseGauges(registry, {
    oldestTransaction: () => snapshots.measure(db),
    partitionsAhead: () => measurePartitionsAhead(db),
  });
  const { attempts, deliveryErrors, durations, storeToAttempt, inFlight, batchSizes } = registerMetrics(registry);
  return {
    read: async () => ({ type: registry.contentType, text: await registry.metrics() }),
    observeAttempt({ channel, outcome, verdict, durationMs, attemptNumber, receivedAt, startedAt }) {
      attempts.inc({ channel, outcome: outcome.type, verdict });
      durations.observe({ channel }, durationMs / 1_000);
      if (attemptNumber > 1) return;
      // The difference may be negative: `receivedAt` is the database's time, `startedAt` this machine's.
      const seconds = Math.max(0, startedAt.getTime() - receivedAt.getTime()) / 1_000;
      storeToAttempt.observe({ channel }, seconds);
    },
    countDeliveryError: () => deliveryErrors.inc(),
    countInFlight: (send) => async (input) => {
      inFlight.inc();
      try {
        return await send(input);
      } finally {
        inFlight.dec();
      }
    },
    measureBatches: (batchName, run) => (items) => {
      batchSizes.observe({ batch: batchName }, items.length);
      return run(items);
    },
    events: createEventCounters(registry),
    watchOverloaded(count) {
      new Gauge({
        name: 'ringback_webhooks_overloaded',
        help: 'Webhooks whose receiver responded with 429 or 503, so that their callbacks are paced.',
        registers: [registry],
        collect() {
          this.set(count());
        },
      });
    },
  };
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
