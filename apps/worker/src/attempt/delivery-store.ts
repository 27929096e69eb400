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
} from '@ringback/database';
import { errorFields, type Logger } from '@ringback/runtime';
import type { WorkerMetrics } from '../metrics.js';

/**
 * Loads deliveries for attempts and stores the results. Most operations are for one delivery and share statements. All
 * are retried while PostgreSQL is unavailable.
 */
export type DeliveryStore = {
  load(deliveryId: string): Promise<DeliveryTask | undefined>;
  /** Loads a payload that is too large to be part of a `DeliveryTask`. */
  loadPayload(eventId: string): Promise<string | undefined>;
  /** Resolves with false when nothing was recorded: the number is already recorded, or the delivery is not pending. */
  record(attempt: AttemptRecord): Promise<boolean>;
  skip(deliveryId: string, reason: string): Promise<void>;
  /** Ends a lease without an attempt; the delivery may be claimed again after `waitMs`. */
  release(task: Pick<DeliveryTask, 'id' | 'leaseId'>, waitMs: number): Promise<void>;
};

// Lets a batch of records fill. The cost: after a crash, the requests of these 10 ms are repeated.
const recordLingerMs = 10;

// Replaces texts when PostgreSQL cannot store one of them. If the attempt were not recorded, it would be repeated for
// ever. Without request headers, readers see that the request was not stored.
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
      const found = new Map((await loadTasks(db, ids)).map((task) => [task.id, task]));
      return ids.map((id) => found.get(id));
    }),
    { maxSize: defaultBatchSize },
  );
  const record = createBatcher(
    metrics.measureBatches('record', async (attempts: AttemptRecord[]) => {
      const recorded = await recordAttempts(db, attempts, autoPauseRules);
      return attempts.map(({ deliveryId }) => recorded.has(deliveryId));
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
    release: ({ id, leaseId }, waitMs) => retryWhileUnavailable(() => release({ id, leaseId, waitMs })),
  };
}
