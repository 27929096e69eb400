import {
  type AttemptRecord,
  createBatcher,
  defaultBatchSize,
  type Database,
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
  metrics: Pick<WorkerMetrics, 'measureBatches'>;
  autoPauseRules: AutoPauseRules;
  retryWhileUnavailable: RetryWhileUnavailable;
};

/**
 * Loads deliveries for attempts and records the results. Each operation is for one delivery or event. Concurrent calls
 * of `load`, of `record` and of `release` share statements. All operations but `renew` are retried while PostgreSQL is
 * unavailable.
 */
export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #loadBatched: (id: string) => Promise<DeliveryTask | undefined>;
  readonly #recordBatched: (attempt: AttemptRecord) => Promise<boolean>;
  readonly #releaseBatched: (lease: LeaseRelease) => Promise<undefined>;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
    const { db, metrics, autoPauseRules } = deps;
    this.#loadBatched = createBatcher(
      metrics.measureBatches('load', async (ids: string[]) => {
        const tasks = new Map((await loadTasks(db, ids)).map((task) => [task.id, task]));
        return ids.map((id) => tasks.get(id));
      }),
      { maxSize: defaultBatchSize },
    );
    this.#recordBatched = createBatcher(
      metrics.measureBatches('record', async (attempts: AttemptRecord[]) => {
        const recordedIds = await recordAttempts(db, attempts, autoPauseRules);
        return attempts.map(({ deliveryId }) => recordedIds.has(deliveryId));
      }),
      { maxSize: defaultBatchSize, maxConcurrent: 1, lingerMs: recordLingerMs },
    );
    this.#releaseBatched = createBatcher(
      metrics.measureBatches('release', async (leases: LeaseRelease[]) => {
        await releaseLeases(db, leases);
        return leases.map(() => undefined);
      }),
      { maxSize: defaultBatchSize },
    );
  }

  /** Resolves with undefined if the delivery does not exist or its event was deleted. */
  load(deliveryId: string): Promise<DeliveryTask | undefined> {
    return this.#deps.retryWhileUnavailable(() => this.#loadBatched(deliveryId));
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
    return this.#deps.retryWhileUnavailable(() =>
      this.#recordBatched(attempt).catch((error: unknown) => {
        if (isTransientDatabaseError(error)) throw error;
        this.#deps.log.error('attempt.unstorable', { delivery_id: attempt.deliveryId, ...errorFields(error) });
        return this.#recordBatched({ ...attempt, ...noDetails });
      }),
    );
  }

  /**
   * Ends a delivery as skipped, if it still has this lease. A resent delivery gets its earlier state back. Resolves with
   * whether it was ended.
   */
  async skip(task: DeliveryTask, reason: string): Promise<boolean> {
    const { db, retryWhileUnavailable } = this.#deps;
    return (await retryWhileUnavailable(() => endDeliveries(db, [task], 'skipped', reason))) > 0;
  }

  /** Ends a lease without an attempt. The delivery may be claimed again after `waitMs`. */
  async release({ id, leasedAt }: Pick<DeliveryTask, 'id' | 'leasedAt'>, waitMs: number): Promise<void> {
    await this.#deps.retryWhileUnavailable(() => this.#releaseBatched({ id, leasedAt, waitMs }));
  }

  /** Makes leases last for `leaseMs` from now, except those that have ended. Not retried: the next renewal follows. */
  async renew(tasks: DeliveryTask[], leaseMs: number): Promise<void> {
    await renewLeases(this.#deps.db, tasks, { leaseMs });
  }

  /** Fails a delivery whose leases keep expiring, if it still has this lease. */
  async fail(task: DeliveryTask, reason: string): Promise<void> {
    await this.#deps.retryWhileUnavailable(() => endDeliveries(this.#deps.db, [task], 'failed', reason));
  }
}
