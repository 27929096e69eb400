import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, storeEvents } from '@ringback/ledger';
import { sampleEvent } from '@ringback/rules';
import { now } from './clock.js';
import { copyLedger, type CopyOptions, keyOf, uuidAt } from './ledger.js';
import type { Pushed } from './load.js';
import { ledgerBytes } from './measurements.js';
import type { BenchOptions, Stack, TargetWebhook } from './stack.js';

/** Stores `count` SMS reports for each webhook, which become due deliveries. */
export async function storeDue({ db, accountId }: Stack, webhooks: TargetWebhook[], count: number): Promise<void> {
  const { event, payload } = sampleEvent('sms', {});
  const common = { name: event, accountId, identity: null, mobile: null, payload: JSON.stringify(payload) };
  const events = webhooks.flatMap(({ id: webhookId }) =>
    Array.from({ length: count }, (_, index) => ({ ...common, webhookId, ...idsOf(`${webhookId} ${index}`) })),
  );
  const stored = await storeEvents(db, events);
  if (stored.length < events.length) throw new Error('not all events were stored');
}

const idsOf = (id: string) => ({ platformEventId: id, messageId: id });

export type DueOptions = {
  count: number;
  /** The times of receipt, which are the due times too, are spread over this period. It ended a minute ago. */
  overDays: number;
  setFraction?: (fraction: number) => void;
};

const perBatch = 100_000;
// Two sessions use two cores of the server.
const sessions = 2;
const perEvent = 100;

/**
 * Inserts copies of the newest delivery of a webhook, all due. Events have no keys, deliveries no attempts, and 100
 * deliveries share an event: ten million rows then take minutes, and a claim reads none of what is left out.
 */
export async function insertDue({ db }: Stack, { id }: TargetWebhook, options: DueOptions): Promise<void> {
  const { rows } = await db.pool.query<{ end: Date }>(`SELECT now() - interval '1 minute' AS end`);
  const batches = Array.from({ length: Math.ceil(options.count / perBatch) }, (_, index) => index * perBatch);
  let done = 0;
  const insertNext = async (client: Client): Promise<void> => {
    const from = batches.shift();
    if (from === undefined) return;
    const to = Math.min(from + perBatch, options.count) - 1;
    await client.query(insert, [id, rows[0]?.end, options.overDays, options.count, from, to]);
    options.setFraction?.((done += perBatch) / options.count);
    await insertNext(client);
  };
  await Promise.all(Array.from({ length: sessions }, () => inFastSession(db, insertNext)));
  // Without this, autovacuum and a checkpoint would run during the measurement.
  await db.pool.query('VACUUM ANALYZE events, deliveries');
  await db.pool.query('CHECKPOINT');
}

type Client = Pick<Database['pool'], 'query'>;

async function inFastSession({ pool }: Database, act: (client: Client) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SET synchronous_commit = off');
    await act(client);
    await client.query('RESET synchronous_commit');
  } finally {
    client.release();
  }
}

const insert = `WITH sample AS MATERIALIZED (
    SELECT d.account_id, d.webhook_id, d.channel, e.name, e.payload, e.state, e.mobile
      FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.webhook_id = $1 ORDER BY d.id DESC LIMIT 1
  ), generated AS MATERIALIZED (
    SELECT *, first_value(id) OVER (PARTITION BY n / ${perEvent} ORDER BY n) AS event_id FROM (
      SELECT n, at, ${uuidAt} AS id FROM (
        SELECT n, $2::timestamptz - (1 - n::float8 / $4::int) * $3::float8 * interval '1 day' AS at
          FROM generate_series($5::int, $6::int) AS n) numbered) identified
  ), stored AS (
    INSERT INTO events (id, account_id, webhook_id, message_id, name, payload, state, mobile, received_at, delivery_count)
      SELECT m.id, account_id, webhook_id, 'due-' || n, name, payload, state, mobile, at, ${perEvent}
        FROM generated m CROSS JOIN sample WHERE m.id = m.event_id
  )
  INSERT INTO deliveries (id, event_id, account_id, webhook_id, channel, due_at, created_at, updated_at)
    SELECT m.id, m.event_id, account_id, webhook_id, channel, at, at, at FROM generated m CROSS JOIN sample`;

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
