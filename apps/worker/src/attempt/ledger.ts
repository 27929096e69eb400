import {
  type AttemptRecord,
  batched,
  batchSize,
  type Database,
  type DeliveryTask,
  endDelivery,
  isDatabaseUnavailable,
  isUnstorable,
  loadDeliveries,
  loadPayload,
  type Pausing,
  recordAttempts,
  type Release,
  releaseLeases,
} from '@ringback/database';
import { errorFields, type Logger } from '@ringback/runtime';
import type { Persist } from '../jobs/patience.js';
import type { WorkerMetrics } from '../metrics.js';

/** What an attempt reads and writes, one at a time here and in batches on the wire. Waits while PostgreSQL is away. */
export type Ledger = {
  load(deliveryId: string): Promise<DeliveryTask | undefined>;
  /** The payload of an event that is too large to be in its tasks. */
  loadPayload(eventId: string): Promise<string | undefined>;
  /** False when an attempt of this number was recorded before. */
  record(attempt: AttemptRecord): Promise<boolean>;
  skip(deliveryId: string, reason: string): Promise<void>;
  /** Ends a lease without an attempt; the delivery may be claimed again after `waitMs`. */
  release(task: Pick<DeliveryTask, 'id' | 'lease'>, waitMs: number): Promise<void>;
};

// The receiver has its callback by then; what it costs is that a crash repeats what was called in that time.
const recordLingerMs = 10;

// What is left out of an attempt that PostgreSQL cannot hold: it was made, and must not be made again for ever.
const noContent = { answer: null, warnings: [], requestHeaders: {}, requestBody: null, responseHeaders: null };

type LedgerParts = {
  db: Database;
  log: Pick<Logger, 'error'>;
  metrics: Pick<WorkerMetrics, 'batches'>;
  pausing: Pausing;
  persist: Persist;
};

export function createLedger({ db, log, metrics, pausing, persist }: LedgerParts): Ledger {
  const patient = <T>(act: () => Promise<T>) => persist(act, isDatabaseUnavailable);
  const load = batched(
    metrics.batches('load', async (ids: string[]) => {
      const found = new Map((await loadDeliveries(db, ids)).map((task) => [task.id, task]));
      return ids.map((id) => found.get(id));
    }),
    { maxSize: batchSize },
  );
  const record = batched(
    metrics.batches('record', async (attempts: AttemptRecord[]) => {
      const recorded = await recordAttempts(db, attempts, pausing);
      return attempts.map(({ deliveryId }) => recorded.has(deliveryId));
    }),
    { maxSize: batchSize, maxConcurrent: 1, lingerMs: recordLingerMs },
  );
  const release = batched(
    metrics.batches('release', async (leases: Release[]) => {
      await releaseLeases(db, leases);
      return leases.map(() => undefined);
    }),
    { maxSize: batchSize },
  );
  return {
    load: (id) => patient(() => load(id)),
    loadPayload: (eventId) => patient(() => loadPayload(db, eventId)),
    record: (attempt) =>
      patient(() =>
        record(attempt).catch((error: unknown) => {
          if (!isUnstorable(error)) throw error;
          log.error('attempt.unstorable', { delivery_id: attempt.deliveryId, ...errorFields(error) });
          return record({ ...attempt, ...noContent });
        }),
      ),
    skip: (id, reason) => patient(() => endDelivery(db, id, 'skipped', reason)),
    release: ({ id, lease }, waitMs) => patient(() => release({ id, lease, waitMs })),
  };
}
