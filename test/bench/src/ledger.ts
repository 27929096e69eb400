import type { Database } from '@ringback/ledger';
import type { TargetWebhook } from './stack.js';

/** Options for copies of real deliveries. */
export type CopyOptions = {
  /** The newest delivery of each of these webhooks is copied in turn. */
  samples: TargetWebhook[];
  count: number;
  /** The message ids of the copies are `name-0`, `name-1` …. */
  name: string;
  /** The times of receipt are spread over this period, which ends now. */
  overDays: number;
  /** The due time of all copies. Undefined if the deliveries are final. */
  dueAt?: Date;
  setFraction?: (fraction: number) => void;
};

const perBatch = 50_000;

const keys = `INSERT INTO event_keys (key, event_id)
  SELECT encode(sha256(convert_to(message_id, 'UTF8')), 'hex'), event_id FROM batch`;

type Client = Pick<Database['pool'], 'query'>;

/** The key with which the copy number `index` arrives at the receiver. */
export const keyOf = ({ samples, name }: CopyOptions, index: number) =>
  `${samples[index % samples.length]?.path ?? ''} ${name}-${index}`;

/**
 * Fills the ledger with copies of real rows by SQL: events with their keys, deliveries and attempts, with all columns
 * of the tables. The ids are ordered and have the time of receipt.
 */
export async function copyLedger({ pool }: Database, options: CopyOptions): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SET synchronous_commit = off');
    await createSampleTables(client, options);
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
        ...(options.dueAt ? { due_at: 'b.due_at', leased_at: 'NULL', lease_expires_at: 'NULL' } : {}),
      }),
      await statementFor(client, 'attempts', { delivery_id: 'b.id', started_at: 'b.at' }),
      keys,
    ];
    for (let done = 0; done < options.count; done += perBatch) {
      await createBatch(client, options, done);
      for (const statement of statements) await client.query(statement);
      options.setFraction?.(done / options.count);
    }
    await client.query('DROP TABLE IF EXISTS batch, sample_events, sample_deliveries, sample_attempts');
    await client.query('RESET synchronous_commit');
    await client.query('VACUUM ANALYZE events, event_keys, deliveries, attempts');
  } finally {
    client.release();
  }
}

/**
 * Creates temporary tables with the newest delivery of each webhook, its event and its attempts. `k` is their number.
 */
async function createSampleTables(client: Client, { samples }: CopyOptions): Promise<void> {
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

/** A statement that copies all columns of a sample except `own`, which each row has for itself. */
async function statementFor(client: Client, table: string, own: Record<string, string>): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname <> 'position'`,
    [table],
  );
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => own[name] ?? `s."${name}"`);
  return `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')})
    SELECT ${values.join(', ')} FROM batch b JOIN sample_${table} s USING (k)`;
}

/** An SQL expression: a UUID of version 7 with the time `at`. */
export const uuidAt = `encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
  PLACING substring(int8send(floor(extract(epoch FROM at) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1),
  'hex')::uuid`;

async function createBatch(client: Client, options: CopyOptions, from: number): Promise<void> {
  const { samples, count, name, overDays, dueAt } = options;
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

const tables = ['events', 'deliveries', 'attempts', 'delivery_ends'];

/** Adds partitions of the past `days` days to a new ledger, each `lengthDays` long, as in a ledger that is that old. */
export async function addPastPartitions(
  { pool }: Database,
  { days, lengthDays }: { days: number; lengthDays: number },
): Promise<void> {
  // The existing partition starts an hour ago, before all rows that are inserted from now on.
  const { rows } = await pool.query<{ bound: string }>(
    `SELECT quote_literal(ringback_uuid_v7_at(now() - interval '1 hour' - n * interval '1 day')) AS bound
      FROM generate_series(0, $1::int, $2::int) AS n`,
    [days, lengthDays],
  );
  const [newest = '', ...older] = rows.map(({ bound }) => bound);
  for (const table of tables) await addToTable(pool, table, { newest, older });
}

type Bounds = { newest: string; older: string[] };

async function addToTable(client: Pick<Database['pool'], 'query'>, table: string, { newest, older }: Bounds) {
  const first = `${table}_first`;
  const { rows } = await client.query<{ range: string }>(
    `SELECT pg_get_expr(relpartbound, oid) AS range FROM pg_class WHERE relname = $1`,
    [first],
  );
  await client.query(`ALTER TABLE ${table} DETACH PARTITION ${first}`);
  await client.query(`ALTER TABLE ${table} ATTACH PARTITION ${first} ${rows[0]?.range.replace('MINVALUE', newest)}`);
  let to = newest;
  for (const [index, from] of [...older, 'MINVALUE'].entries()) {
    const range = `FROM (${from}) TO (${to})`;
    await client.query(`CREATE TABLE ${table}_past_${index} PARTITION OF ${table} FOR VALUES ${range}`);
    to = from;
  }
}
