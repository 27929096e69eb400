import { setTimeout as sleep } from 'node:timers/promises';
import { now } from './clock.js';
import { type CopyOptions, copyLedger, keyOf } from './ledger.js';
import type { Pushed } from './load.js';
import type { BenchOptions } from './options.js';
import { ledgerBytes } from './sizes.js';
import type { Stack } from './stack.js';

/** Deliveries that wait for a retry. */
export type Waiting = {
  /** The due time of all of them, by `now()`. */
  dueAtMonotonicMs: number;
  /** The keys with which they will arrive. */
  keys: Pushed;
  ledgerBytes: number;
};

type WaitingOptions = Pick<CopyOptions, 'samples' | 'count' | 'name'> & {
  /** The time that the caller needs between the creation and the due time. */
  leadMs: number;
};

/** Creates deliveries that failed once, by copying rows with SQL. All have the same due time. */
export async function createWaiting(
  stack: Stack,
  waitingOptions: WaitingOptions,
  { setStep, setFraction }: BenchOptions,
): Promise<Waiting> {
  const { samples, count, name, leadMs } = waitingOptions;
  const farAway = new Date(Date.now() + 86_400_000);
  const copyOptions: CopyOptions = { samples, count, name, overDays: 0, dueAt: farAway, setFraction };
  setStep(`copying ${count} deliveries that wait for a retry`);
  const bytesBefore = await ledgerBytes(stack);
  await copyLedger(stack.db, copyOptions);
  const bytes = (await ledgerBytes(stack)) - bytesBefore;
  const updatedAt = now();
  const waitMs = count * 0.1 + leadMs + 5_000;
  await stack.db.pool.query(
    `UPDATE deliveries SET due_at = clock_timestamp() + $1::float8 * interval '1 ms' WHERE due_at = $2`,
    [waitMs, farAway],
  );
  // Without this, autovacuum and a checkpoint would run during the measurement.
  await stack.db.pool.query('VACUUM ANALYZE deliveries');
  await stack.db.pool.query('CHECKPOINT');
  const dueAtMonotonicMs = updatedAt + waitMs;
  if (now() > dueAtMonotonicMs)
    throw new Error('the retries were due before all of them were copied; use a smaller --pending');
  const keys: Pushed = new Map(
    Array.from({ length: count }, (_, index) => [keyOf(copyOptions, index), dueAtMonotonicMs]),
  );
  return { dueAtMonotonicMs, keys, ledgerBytes: bytes };
}

/** Sleeps until a time of `now()`. */
export async function sleepUntil(atMonotonicMs: number): Promise<void> {
  await sleep(Math.max(0, atMonotonicMs - now()));
}
