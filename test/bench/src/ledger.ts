import type { TargetWebhook } from './stack.js';
import type { Database } from '@ringback/database';

/** Rows to make: copies of what workers left of real deliveries to these webhooks. */
export type Copying = {
  samples: TargetWebhook[];
  count: number;
  /** Message ids are `name-0`, `name-1` …, so that what arrives can be told. */
  name: string;
  /** The first was received so long ago, and the last just now. */
  overDays: number;
  /** When all of them are due; absent when the deliveries are final. */
  dueAt?: Date;
  at?: (share: number) => void;
};

const perBatch = 50_000;

const keys = `INSERT INTO event_keys (key, event_id)
  SELECT encode(sha256(convert_to(message_id, 'UTF8')), 'hex'), event_id FROM batch`;

type Client = Pick<Database['pool'], 'query'>;

/** What the n-th copy arrives as. */
export const keyOf = ({ samples, name }: Copying, index: number) =>
  `${samples[index % samples.length]?.path ?? ''} ${name}-${index}`;

/**
 * Fills the ledger by SQL with copies of real rows, an event with its key, a delivery and its attempts each, in whatever
 * shape the tables have. The ids are of the past, in order.
 */
export async function copyLedger({ pool }: Database, copying: Copying): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SET synchronous_commit = off');
    await takeSamples(client, copying);
    const statements = [
      await statementFor(client, 'events', {
        id: 'b.event_id',
        message_id: 'b.message_id',
        payload: 'replace(s.payload, s.message_id, b.message_id)',
        received_at: 'b.at',
      }),
      await statementFor(client, 'deliveries', {
        id: 'b.id',
        event_id: 'b.event_id',
        created_at: 'b.at',
        updated_at: 'b.at',
        ...(copying.dueAt ? { due_at: 'b.due_at', lease_expires_at: 'NULL' } : {}),
      }),
      await statementFor(client, 'attempts', { delivery_id: 'b.id', started_at: 'b.at' }),
      keys,
    ];
    for (let done = 0; done < copying.count; done += perBatch) {
      await makeBatch(client, copying, done);
      for (const statement of statements) await client.query(statement);
      copying.at?.(done / copying.count);
    }
    await client.query('DROP TABLE IF EXISTS batch, sample_events, sample_deliveries, sample_attempts');
    await client.query('RESET synchronous_commit');
    await client.query('VACUUM ANALYZE events, event_keys, deliveries, attempts');
  } finally {
    client.release();
  }
}

/** The newest delivery of each webhook, its event and its attempts, numbered. */
async function takeSamples(client: Client, { samples }: Copying): Promise<void> {
  await client.query(
    `CREATE TEMP TABLE sample_deliveries AS SELECT DISTINCT ON (w.k) w.k - 1 AS k, d.* FROM deliveries d
      JOIN unnest($1::uuid[]) WITH ORDINALITY AS w(webhook_id, k) USING (webhook_id) ORDER BY w.k, d.id DESC`,
    [samples.map(({ id }) => id)],
  );
  await client.query(
    `CREATE TEMP TABLE sample_events AS
      SELECT d.k, e.* FROM sample_deliveries d JOIN events e ON e.id = d.event_id`,
  );
  await client.query(
    `CREATE TEMP TABLE sample_attempts AS
      SELECT d.k, a.* FROM sample_deliveries d JOIN attempts a ON a.delivery_id = d.id`,
  );
}

/** Copies all columns of a sample but those that each row has for itself. */
async function statementFor(client: Client, table: string, own: Record<string, string>): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    [table],
  );
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => own[name] ?? `s."${name}"`);
  return `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')})
    SELECT ${values.join(', ')} FROM batch b JOIN sample_${table} s USING (k)`;
}

const uuidAt = `encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
  PLACING substring(int8send(floor(extract(epoch FROM at) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1),
  'hex')::uuid`;

async function makeBatch(client: Client, copying: Copying, from: number): Promise<void> {
  const { samples, count, name, overDays, dueAt } = copying;
  await client.query('DROP TABLE IF EXISTS batch');
  await client.query(
    `CREATE TEMP TABLE batch AS
      SELECT n % $1::int AS k, $2::text || '-' || n AS message_id, at, $7::timestamptz AS due_at,
        ${uuidAt} AS event_id, ${uuidAt} AS id
      FROM (SELECT n, now() - $3::float8 * (1 - n::float8 / $4::int) * interval '1 day' AS at
        FROM generate_series($5::int, $6::int) AS n) numbered`,
    [samples.length, name, overDays, count, from, Math.min(from + perBatch, count) - 1, dueAt ?? null],
  );
}
