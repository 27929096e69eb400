import { setTimeout as sleep } from 'node:timers/promises';
import { now } from './clock.js';
import { type Copying, copyLedger, keyOf } from './ledger.js';
import type { Pushed } from './load.js';
import type { BenchOptions } from './options.js';
import { ledgerBytes } from './sizes.js';
import type { Stack } from './stack.js';

/** Deliveries that wait for a retry. */
export type Waiting = {
  /** When all of them are due, by `now()`. */
  dueAt: number;
  /** What they will arrive as. */
  keys: Pushed;
  ledgerBytes: number;
};

type Making = Pick<Copying, 'samples' | 'count' | 'name'> & {
  /** What is to be done before they are due. */
  spareMs: number;
};

/**
 * Puts deliveries into the state in which a worker leaves those that failed once: rows copied by SQL, all due at one
 * moment.
 */
export async function makeWaiting(stack: Stack, making: Making, { say, at }: BenchOptions): Promise<Waiting> {
  const { samples, count, name, spareMs } = making;
  const farAway = new Date(Date.now() + 86_400_000);
  const copying: Copying = { samples, count, name, overDays: 0, dueAt: farAway, at };
  say(`${count} rows of deliveries that wait for a retry`);
  const rowsBefore = await ledgerBytes(stack);
  await copyLedger(stack.db, copying);
  const rows = (await ledgerBytes(stack)) - rowsBefore;
  const setAt = now();
  const waitMs = count * 0.1 + spareMs + 5_000;
  await stack.db.pool.query(
    `UPDATE deliveries SET due_at = clock_timestamp() + $1::float8 * interval '1 ms' WHERE due_at = $2`,
    [waitMs, farAway],
  );
  // What this leaves is of our making, and would be cleared away beside what is measured.
  await stack.db.pool.query('VACUUM ANALYZE deliveries');
  await stack.db.pool.query('CHECKPOINT');
  const dueAt = setAt + waitMs;
  if (now() > dueAt) throw new Error(`the retries were due before all of them were made; try a smaller --pending`);
  const keys: Pushed = new Map(Array.from({ length: count }, (_, index) => [keyOf(copying, index), dueAt]));
  return { dueAt, keys, ledgerBytes: rows };
}

/** Waits for a moment of `now()`. */
export async function sleepUntil(at: number): Promise<void> {
  await sleep(Math.max(0, at - now()));
}
