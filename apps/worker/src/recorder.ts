import {
  type AttemptRecord,
  Batcher,
  type Database,
  type DeliveryEnd,
  type DeliveryTask,
  endDeliveries,
  isTransientDatabaseError,
  loadTasks,
  loadPayload,
  readPayloadBytes,
  type AutoPauseRules,
  recordAttempts,
  type LeaseRelease,
  releaseLeases,
  renewLeases,
  type RetryWhileUnavailable,
} from '@ringback/ledger';
import { errorFields, type Logger } from '@ringback/process';
import type { WorkerMetrics } from './metrics.js';
import { noDetails } from './recorded-fields.js';

// Lets a batch of records fill. The cost: after a crash, the requests of these 10 ms are repeated.
const recordLingerMs = 10;

export type RecorderDeps = {
  db: Database;
  log: Pick<Logger, 'error'>;
  metrics: Pick<WorkerMetrics, 'observeBatch'>;
  autoPauseRules: AutoPauseRules;
  retryWhileUnavailable: RetryWhileUnavailable;
};

/**
 * Loads deliveries for attempts and records the results. Each operation is for one delivery or event. Concurrent calls
 * of `load`, of `record`, of `end` and of `release` share statements. All operations but `renew` are retried while
 * PostgreSQL is unavailable.
 */
export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #loads: Batcher<string, DeliveryTask | undefined>;
  readonly #records: Batcher<AttemptRecord, boolean>;
  readonly #ends: Batcher<DeliveryEnd, boolean>;
  readonly #releases: Batcher<LeaseRelease, undefined>;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
    const { db, metrics, autoPauseRules, retryWhileUnavailable: retry } = deps;
    const onBatch = (name: string) => (size: number) => metrics.observeBatch(name, size);
    this.#loads = new Batcher(
      async (ids) => {
        const tasks = new Map((await loadTasks(db, ids)).map((task) => [task.id, task]));
        return ids.map((id) => tasks.get(id));
      },
      { retry, onBatch: onBatch('load') },
    );
    this.#records = new Batcher(
      async (attempts) => {
        const recordedIds = await recordAttempts(db, attempts, autoPauseRules);
        return attempts.map(({ deliveryId }) => recordedIds.has(deliveryId));
      },
      { retry, onBatch: onBatch('record'), maxConcurrent: 1, lingerMs: recordLingerMs },
    );
    this.#ends = new Batcher(
      async (ends) => {
        const endedIds = await endDeliveries(db, ends);
        return ends.map(({ id }) => endedIds.has(id));
      },
      { retry, onBatch: onBatch('end') },
    );
    this.#releases = new Batcher(
      async (leases) => {
        await releaseLeases(db, leases);
        return leases.map(() => undefined);
      },
      { retry, onBatch: onBatch('release') },
    );
  }

  /** Resolves with undefined if the delivery does not exist or its event was deleted. */
  load(deliveryId: string): Promise<DeliveryTask | undefined> {
    return this.#loads.run(deliveryId);
  }

  /** The size of an event's payload. Resolves with undefined if the event was deleted. */
  payloadBytes(eventId: string): Promise<number | undefined> {
    return this.#deps.retryWhileUnavailable(() => readPayloadBytes(this.#deps.db, eventId));
  }

  /** Loads a payload that is too large for its `DeliveryTask`. Resolves with undefined if the event was deleted. */
  loadPayload(eventId: string): Promise<string | undefined> {
    return this.#deps.retryWhileUnavailable(() => loadPayload(this.#deps.db, eventId));
  }

  /**
   * Resolves with false when nothing was recorded: the number is already recorded, or the delivery is not pending. An
   * attempt that PostgreSQL refuses is recorded without its details, because its callback would be repeated if it were
   * not recorded.
   */
  record(attempt: AttemptRecord): Promise<boolean> {
    return this.#records.run(attempt).catch((error: unknown) => {
      if (isTransientDatabaseError(error)) throw error;
      this.#deps.log.error('attempt.unstorable', { delivery_id: attempt.deliveryId, ...errorFields(error) });
      return this.#records.run({ ...attempt, ...noDetails });
    });
  }

  /**
   * Ends a delivery without an attempt, if it still has this lease. A resent delivery that is skipped gets its earlier
   * state back. Resolves with whether it was ended.
   */
  end(delivery: DeliveryEnd): Promise<boolean> {
    return this.#ends.run(delivery);
  }

  /** Ends a lease without an attempt. The delivery may be claimed again after `waitMs`. */
  async release({ id, leasedAt }: Pick<DeliveryTask, 'id' | 'leasedAt'>, waitMs: number): Promise<void> {
    await this.#releases.run({ id, leasedAt, waitMs });
  }

  /** Makes leases last for `leaseMs` from now, except those that have ended. Not retried: the next renewal follows. */
  async renew(tasks: DeliveryTask[], leaseMs: number): Promise<void> {
    await renewLeases(this.#deps.db, tasks, { leaseMs });
  }
}
