import { setTimeout as sleep } from 'node:timers/promises';
import { rollUpStatistics } from '@ringback/ledger';
import { now } from '../clock.js';
import { describeLatency } from '../measurements.js';
import type { Result, Row } from '../result.js';
import { type BenchOptions, type Stack, startStack } from '../stack.js';

const webhookCount = 100;
const days = 30;
const repeats = 50;
const recentCount = 5_000;

/** Measures requests for statistics of 30 days. All calls except the newest 5,000 are rolled up. */
export async function statistics(options: BenchOptions): Promise<Result> {
  const stack = await startStack({ ...options, workers: 0 });
  try {
    const webhooks = await stack.addWebhooks('statistics', webhookCount);
    options.setStep(`statistics of ${options.rows} calls`);
    await fill(stack, options.rows);
    const { baseUrl } = await stack.startApi();
    const rows: Row[] = [];
    for (const [name, path] of [
      ['account', '/developer/statistics'],
      ['webhook', `/developer/webhooks/${webhooks[0]?.id}/statistics`],
    ]) {
      for (const hours of [1, 24, 7 * 24, 30 * 24]) {
        const from = new Date(Date.now() - hours * 3_600_000).toISOString();
        const row = await measure(`${baseUrl}${path}?from=${from}`, stack.accessToken);
        rows.push({ of: name ?? '', hours, ...row });
      }
    }
    const { rows: sizes } = await stack.db.pool.query<{ rows: number; mb: number }>(
      `SELECT count(*)::int AS rows, pg_total_relation_size('statistics') / 1e6 AS mb FROM statistics`,
    );
    const notes = [`${sizes[0]?.rows.toLocaleString('en')} rows in ${Math.round(sizes[0]?.mb ?? 0)} MB`];
    const startedAt = now();
    while (await rollUpStatistics(stack.db));
    notes.push(`${recentCount.toLocaleString('en')} entries rolled up in ${Math.round(now() - startedAt)} ms`);
    return { scenario: 'statistics', title: 'Statistics: one request at a time', rows, notes };
  } finally {
    await stack.stop();
  }
}

async function measure(url: string, token: string): Promise<Row> {
  const durations: number[] = [];
  let errors = 0;
  let bytes = 0;
  for (let call = 0; call < repeats; call++) {
    const sentAt = now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    bytes = (await response.arrayBuffer()).byteLength;
    const duration = now() - sentAt;
    durations.push(duration);
    if (response.status !== 200) errors++;
    // The next search of an account starts after a cool-down as long as the last one.
    await sleep(Math.ceil(duration));
  }
  const { p50, p95, max } = describeLatency(durations);
  return { 'p50 ms': p50, 'p95 ms': p95, 'max ms': max, KB: bytes / 1_000, errors };
}

// The events of a webhook and their shares of its calls. Each third webhook has two events.
const subjects = `SELECT id AS subject_id, event, n AS center, share / ${webhookCount} AS share FROM (
    SELECT id, row_number() OVER (ORDER BY id) AS n FROM webhooks WHERE account_id = $1) w
    CROSS JOIN LATERAL (VALUES ('sms:message:status', CASE WHEN n % 3 = 0 THEN 0.5 ELSE 1 END),
      ('rcs:message:status', CASE WHEN n % 3 = 0 THEN 0.5 ELSE 0 END)) e(event, share) WHERE share > 0
  UNION ALL
  SELECT $1::uuid, event, 0, share FROM (VALUES ('sms:message:status', 0.83), ('rcs:message:status', 0.17)) e(event, share)`;
// The shares of results, of responses, and of durations, which vary around a duration of each webhook.
const shares = `SELECT * FROM (VALUES (1, 0.96), (2, 0.03), (3, 0.01), (11, 0.02), (1200, 0.96), (1500, 0.01), (1503, 0.01)) v
  UNION ALL
  SELECT 10030 + n + k, exp(-k * k / 32.0) / 10 FROM generate_series(-12, 12) AS k
    CROSS JOIN (SELECT s.center::int % 10 AS n) c`;

/** Inserts rows as workers would write them for `calls` attempts. Each count is rounded up or down at random. */
async function fill({ db, accountId }: Stack, calls: number): Promise<void> {
  const resolutions: [string, number, number][] = [
    ['minute', 7, 1_440],
    ['hour', days, 24],
    ['day', days, 1],
  ];
  for (const [resolution, overDays, perDay] of resolutions) {
    await db.pool.query(
      `INSERT INTO statistics (subject_id, resolution, start, event, codes, counts)
        SELECT s.subject_id, $2, at, s.event, c.codes, c.counts FROM (${subjects}) s
          CROSS JOIN generate_series(1, $3::int * $4::int) AS i
          CROSS JOIN LATERAL (SELECT date_trunc($2, now(), 'UTC') - i * interval '1 day' / $4::int AS at) t
          CROSS JOIN LATERAL (
            SELECT array_agg(code ORDER BY code) AS codes, array_agg(n ORDER BY code) AS counts FROM (
              SELECT code, floor(share * s.share * $5::float8 / $4::int + random())::int AS n FROM (${shares}) AS v(code, share)) r
            WHERE n > 0 AND i > 0) c
        WHERE c.codes IS NOT NULL`,
      [accountId, resolution, overDays, perDay, calls / days],
    );
  }
  await db.pool.query(
    `INSERT INTO statistic_entries (account_id, webhook_id, event, at, codes)
      SELECT $1, ids[1 + i % cardinality(ids)], 'sms:message:status', now() - i * interval '1 ms', ARRAY[1, 1200, 10030 + i / 100 % 20]
        FROM (SELECT array_agg(id) AS ids FROM webhooks WHERE account_id = $1) w CROSS JOIN generate_series(1, $2::int) AS i`,
    [accountId, recentCount],
  );
  await db.pool.query('VACUUM ANALYZE statistics');
}
