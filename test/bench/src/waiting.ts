import { setTimeout as sleep } from 'node:timers/promises';
import { findPendingDeliveries, type Position } from '@ringback/database';
import { now } from './clock.js';
import { type Copying, copyLedger, keyOf } from './ledger.js';
import type { Pushed } from './load.js';
import type { BenchOptions } from './options.js';
import { ledgerBytes, queueBytes } from './sizes.js';
import { settled, type Stack } from './stack.js';

/** Deliveries that wait for a retry. */
export type Waiting = {
  /** When all of them are due, by `now()`. */
  dueAt: number;
  /** What they will arrive as. */
  keys: Pushed;
  enqueueMs: number;
  ledgerBytes: number;
  queueBytes: number;
};

type Making = Pick<Copying, 'samples' | 'count' | 'name'> & {
  /** How many jobs a second the engine took when events were pushed. */
  jobsPerSecond: number;
  /** What is to be done before they are due. */
  spareMs: number;
};

/**
 * Puts deliveries into the state in which a worker leaves those that failed once: rows copied by SQL, jobs made as the
 * reconciler makes them, and all due at one moment.
 */
export async function makeWaiting(stack: Stack, making: Making, { say, at }: BenchOptions): Promise<Waiting> {
  const { samples, count, name, jobsPerSecond, spareMs } = making;
  const farAway = new Date(Date.now() + 86_400_000);
  const copying: Copying = { samples, count, name, overDays: 0, dueAt: farAway, at };
  say(`${count} rows of deliveries that wait for a retry`);
  const rowsBefore = await ledgerBytes(stack);
  await copyLedger(stack.db, copying);
  const rows = (await ledgerBytes(stack)) - rowsBefore;

  say(`${count} jobs for them`);
  await settled(stack);
  const [engineBefore, jobsAt] = [await queueBytes(stack), now()];
  const waitMs = (count / jobsPerSecond) * 2_000 + count * 0.1 + spareMs + 5_000;
  await stack.db.pool.query(
    `UPDATE deliveries SET next_attempt_at = clock_timestamp() + $1::float8 * interval '1 ms' WHERE next_attempt_at = $2`,
    [waitMs, farAway],
  );
  // What this leaves is of our making, and would be cleared away beside what is measured.
  await stack.db.pool.query('VACUUM deliveries');
  await stack.db.pool.query('CHECKPOINT');
  const enqueueAt = now();
  let position: Position = null;
  for (let done = 0; done < count;) {
    const page = await findPendingDeliveries(stack.db, position, { overdueMs: -Infinity, limit: 1_000 });
    await stack.queues.enqueueDeliveries(page.pending);
    done += page.pending.length;
    position = page.position;
    if (position === null) break;
    at(done / count);
  }
  const enqueueMs = now() - enqueueAt;
  const dueAt = jobsAt + waitMs;
  if (now() > dueAt)
    throw new Error(`the retries were due before all of their jobs were made; try a smaller --pending`);
  const keys: Pushed = new Map(Array.from({ length: count }, (_, index) => [keyOf(copying, index), dueAt]));
  return { dueAt, keys, enqueueMs, ledgerBytes: rows, queueBytes: (await queueBytes(stack)) - engineBefore };
}

/** Waits for a moment of `now()`. */
export async function sleepUntil(at: number): Promise<void> {
  await sleep(Math.max(0, at - now()));
}
