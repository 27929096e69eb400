import { storeEvents, type Database } from '@ringback/ledger';
import { sampleEvent } from '@ringback/rules';
import { uuidAt } from './ledger.js';
import type { Stack, TargetWebhook } from './stack.js';

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
