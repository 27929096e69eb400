import {
  type AttemptRecord,
  createBatcher,
  defaultBatchSize,
  type Database,
  type DeliveryTask,
  endDelivery,
  isUnstorableTextError,
  loadTasks,
  loadPayload,
  type AutoPauseRules,
  recordAttempts,
  type LeaseRelease,
  releaseLeases,
  type RetryWhileUnavailable,
} from '@ringback/ledger';
import { errorFields, type Logger } from '@ringback/process';
import type { WorkerMetrics } from '../metrics.js';

/**
 * Loads deliveries for attempts and stores the results. Each operation is for one delivery or event. Concurrent calls
 * of `load`, of `record` and of `release` share statements. All operations are retried while PostgreSQL is unavailable.
 */
export type DeliveryStore = {
  /** Resolves with undefined if the delivery does not exist or its event was deleted. */
  load(deliveryId: string): Promise<DeliveryTask | undefined>;
  /** Loads a payload that is too large for its `DeliveryTask`. Resolves with undefined if the event was deleted. */
  loadPayload(eventId: string): Promise<string | undefined>;
  /** Resolves with false when nothing was recorded: the number is already recorded, or the delivery is not pending. */
  record(attempt: AttemptRecord): Promise<boolean>;
  /** Ends a pending delivery as skipped. A resent delivery gets its earlier state back. */
  skip(deliveryId: string, reason: string): Promise<void>;
  /** Ends a lease without an attempt. The delivery may be claimed again after `waitMs`. */
  release(task: Pick<DeliveryTask, 'id' | 'leasedAt'>, waitMs: number): Promise<void>;
};

// Lets a batch of records fill. The cost: after a crash, the requests of these 10 ms are repeated.
const recordLingerMs = 10;

// Replaces the texts of an attempt when PostgreSQL cannot store one of them. If the attempt were not recorded, it would
// be repeated for ever. Without request headers, readers see that the request was not stored.
const emptyTexts = { responseBody: null, warnings: [], requestHeaders: null, requestBody: null, responseHeaders: null };

type DeliveryStoreDeps = {
  db: Database;
  log: Pick<Logger, 'error'>;
  metrics: Pick<WorkerMetrics, 'measureBatches'>;
  autoPauseRules: AutoPauseRules;
  retryWhileUnavailable: RetryWhileUnavailable;
};

export function createDeliveryStore({
  db,
  log,
  metrics,
  autoPauseRules,
  retryWhileUnavailable,
}: DeliveryStoreDeps): DeliveryStore {
  const load = createBatcher(
    metrics.measureBatches('load', async (ids: string[]) => {
      const tasks = new Map((await loadTasks(db, ids)).map((task) => [task.id, task]));
      return ids.map((id) => tasks.get(id));
    }),
    { maxSize: defaultBatchSize },
  );
  const record = createBatcher(
    metrics.measureBatches('record', async (attempts: AttemptRecord[]) => {
      const recordedIds = await recordAttempts(db, attempts, autoPauseRules);
      return attempts.map(({ deliveryId }) => recordedIds.has(deliveryId));
    }),
    { maxSize: defaultBatchSize, maxConcurrent: 1, lingerMs: recordLingerMs },
  );
  const release = createBatcher(
    metrics.measureBatches('release', async (leases: LeaseRelease[]) => {
      await releaseLeases(db, leases);
      return leases.map(() => undefined);
    }),
    { maxSize: defaultBatchSize },
  );
  return {
    load: (id) => retryWhileUnavailable(() => load(id)),
    loadPayload: (eventId) => retryWhileUnavailable(() => loadPayload(db, eventId)),
    record: (attempt) =>
      retryWhileUnavailable(() =>
        record(attempt).catch((error: unknown) => {
          if (!isUnstorableTextError(error)) throw error;
          log.error('attempt.unstorable', { delivery_id: attempt.deliveryId, ...errorFields(error) });
          return record({ ...attempt, ...emptyTexts });
        }),
      ),
    skip: (id, reason) => retryWhileUnavailable(() => endDelivery(db, id, 'skipped', reason)),
    release: ({ id, leasedAt }, waitMs) => retryWhileUnavailable(() => release({ id, leasedAt, waitMs })),
  };
}
