import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type EventName, eventNames } from '@ringback/rules';
import {
  type AttemptRecord,
  type Database,
  endDeliveries,
  rollUpStatistics,
  readWebhookStatistics,
  resendDelivery,
} from '@ringback/ledger';
import {
  type Client,
  errorBody,
  makeWebhook,
  startApi,
  type TestAccount,
  type TestApi,
  webhookNotFoundBody,
} from '../api.fixture.js';
import { enter, openSession } from '../portal-sessions/portal-sessions.fixture.js';
import { failure, makeAttempt, pushEvent } from '../deliveries/deliveries.fixture.js';

let api: TestApi;
let account: TestAccount;
let webhookId: string;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.makeAccount();
  webhookId = (await makeWebhook(account)).id;
});

const noCounts = { attempts: 0, delivered: 0, retried: 0, failed: 0, skipped: 0 };
const retry = { ...failure, state: 'pending', waitMs: 60_000 } as const;
const ms = (time: string) => time.replace('Z', '.000000Z');

type AttemptChanges = Partial<AttemptRecord> & { at?: string };

/** Stores a delivery with these attempts. */
async function deliver(
  attempts: AttemptChanges[],
  { event = 'sms:message:status', id = webhookId }: Of = {},
): Promise<string> {
  const delivery = await pushEvent(api.db, { event, webhookId: id, messageId: crypto.randomUUID() });
  for (const [index, { at = '2026-03-02T10:15:30Z', ...changes }] of attempts.entries())
    await makeAttempt(api.db, delivery, { event, startedAt: new Date(at), number: index + 1, ...changes });
  return delivery;
}
type Of = { event?: EventName; id?: string };

const day = 'from=2026-03-02&to=2026-03-03';
const show = async (query = day, client: Client = account) => {
  const { body } = await client.get(`/developer/statistics?${query}`).expect(200);
  expect([body.status, body.code, body.message]).toEqual(['OK', 200, 'Statistics']);
  return body.data;
};
const showWebhook = async (id: string, query = day) =>
  (await account.get(`/developer/webhooks/${id}/statistics?${query}`).expect(200)).body.data;

async function rollUpAll(): Promise<void> {
  while (await rollUpStatistics(api.db));
}

describe.each(['before', 'after', 'in between'])('%s the entries are rolled up', (when) => {
  const rollUp = async (isNow: boolean) => (isNow ? rollUpAll() : undefined);

  test('each attempt is counted by result, event, status, error and time', async () => {
    await deliver([{ durationMs: 100 }]);
    await deliver([
      { ...retry, durationMs: 3_000 },
      { statusCode: 202, durationMs: 200, at: '2026-03-02T11:59:59Z' },
    ]);
    await rollUp(when === 'in between');
    await deliver([{ ...failure, outcome: 'response', statusCode: 500, durationMs: 50 }], { event: 'rcs:message:in' });
    await rollUp(when === 'after');
    const sms = { attempts: 3, delivered: 2, retried: 1, failed: 0, skipped: 0 };
    const rcs = { ...noCounts, attempts: 1, failed: 1 };
    const data = await show();
    expect(data).toMatchObject({ from: ms('2026-03-02T00:00:00Z'), to: ms('2026-03-03T00:00:00Z'), interval: 'hour' });
    expect(data.totals).toEqual({
      attempts: 4,
      delivered: 2,
      retried: 1,
      failed: 1,
      skipped: 0,
      by_event: { 'sms:message:status': sms, 'rcs:message:in': rcs },
      by_status: { 200: 1, 202: 1, 500: 1 },
      by_error: { timeout: 1 },
      latency_ms: {
        p50: expect.closeTo(100, -1),
        p90: expect.any(Number),
        p95: expect.any(Number),
        p99: expect.any(Number),
      },
    });
    expect(data.buckets).toHaveLength(24);
    const { 10: ten, 11: eleven, ...empty } = data.buckets;
    expect(ten).toMatchObject({ start: ms('2026-03-02T10:00:00Z'), attempts: 3, retried: 1, delivered: 1, failed: 1 });
    expect(eleven).toMatchObject({ start: ms('2026-03-02T11:00:00Z'), ...noCounts, attempts: 1, delivered: 1 });
    expect(Object.keys(eleven.by_event)).toEqual(['sms:message:status']);
    for (const bucket of Object.values(empty))
      expect(bucket).toMatchObject({ ...noCounts, by_event: {}, latency_ms: null });
  });

  test('the webhook has the same numbers as its account, by hour and by day', async () => {
    await deliver([retry, { durationMs: 7 }]);
    await rollUp(when === 'in between');
    await deliver([{ ...failure, outcome: 'dns' }]);
    await rollUp(when === 'after');
    for (const query of [day, `${day}&interval=day`]) {
      const { webhooks, webhooks_interval: interval, ...rest } = await show(query);
      expect(rest.totals).toMatchObject({ attempts: 3, delivered: 1, retried: 1, failed: 1 });
      expect(await showWebhook(webhookId, query)).toEqual(rest);
      expect(interval).toBe(rest.interval);
      expect(webhooks).toEqual([
        {
          id: webhookId,
          name: 'orders',
          latency_ms: expect.anything(),
          attempts: 3,
          delivered: 1,
          retried: 1,
          failed: 1,
          skipped: 0,
          buckets: rest.buckets.map(({ start, delivered, failed }: Record<string, unknown>) => ({
            start,
            delivered,
            failed,
          })),
        },
      ]);
    }
  });

  test('a filter by event leaves out the other events', async () => {
    await deliver([{}]);
    await rollUp(when === 'in between');
    await deliver([{}], { event: 'rcs:message:status' });
    await rollUp(when === 'after');
    const { totals, webhooks } = await show(`${day}&filter[event]=rcs:message:status`);
    expect([totals.attempts, webhooks[0].attempts]).toEqual([1, 1]);
    expect((await showWebhook(webhookId, `${day}&filter[event]=rcs:message:in`)).totals).toMatchObject(noCounts);
  });

  test('another account sees none of the attempts, with any query', async () => {
    await deliver([{}]);
    await rollUp(when !== 'before');
    const other = await api.makeAccount();
    for (const query of [day, `${day}&filter[webhook_id]=${webhookId}`, `${day}&interval=day`]) {
      const { totals, webhooks } = await show(query, other);
      expect([totals.attempts, webhooks]).toEqual([0, []]);
    }
    const { body } = await other.get(`/developer/webhooks/${webhookId}/statistics`).expect(404);
    expect(body).toEqual(webhookNotFoundBody);
  });

  test('minutes of the newest days are shown', async () => {
    const at = new Date(Date.now() - 86_400_000);
    await deliver([{ at: at.toISOString() }]);
    await rollUp(when !== 'before');
    const [from, to] = [-90_000, 90_000].map((shift) => new Date(at.getTime() + shift).toISOString());
    const { interval, buckets, webhooks_interval: ofWebhooks } = await show(`from=${from}&to=${to}`);
    expect([interval, ofWebhooks, buckets.length]).toEqual(['minute', 'minute', 4]);
    expect(buckets.map(({ attempts }: { attempts: number }) => attempts).sort()).toEqual([0, 0, 0, 1]);
  });
});

const skip = (id: string) =>
  endDeliveries(api.db, [{ id, leasedAt: null, state: 'skipped', reason: 'webhook inactive' }]);
const fail = (id: string, reason: string) => endDeliveries(api.db, [{ id, leasedAt: null, state: 'failed', reason }]);

test('deliveries that end without an attempt are counted as skipped or failed, not as attempts', async () => {
  const now = `from=${new Date(Date.now() - 3_600_000).toISOString()}`;
  await skip(await deliver([]));
  const failed = await deliver([]);
  await fail(failed, 'its event was deleted');
  await fail(failed, 'twice');
  const counts = { ...noCounts, failed: 1, skipped: 1 };
  expect((await show(now)).totals).toMatchObject({ ...counts, by_status: {}, by_error: {}, latency_ms: null });
  await rollUpAll();
  expect((await showWebhook(webhookId, now)).totals).toMatchObject(counts);
});

test('each attempt of a resend is counted: failed when it fails, delivered when it succeeds', async () => {
  const delivery = await deliver([failure]);
  await resendDelivery(api.db, account.id, delivery);
  await makeAttempt(api.db, delivery, { ...failure, number: 2, startedAt: new Date('2026-03-02T12:00:00Z') });
  await resendDelivery(api.db, account.id, delivery);
  await makeAttempt(api.db, delivery, { number: 3, startedAt: new Date('2026-03-02T13:00:00Z') });
  expect((await show()).totals).toMatchObject({ attempts: 3, delivered: 1, failed: 2 });
});

test('an attempt that is recorded twice is counted once', async () => {
  const delivery = await deliver([{}]);
  await expect(makeAttempt(api.db, delivery)).rejects.toThrow('not recorded');
  expect((await show()).totals).toMatchObject({ attempts: 1 });
});

test.each([
  [[0], 0],
  [[1], 1],
  [[9], 9],
  [[2_999], 2_999],
  [[10, 20, 4_000], 20],
  [[10, 20, 20, 4_000], 20],
  [[100, 200, 300, 400], 200],
])('of attempts that took %p ms, p50 is %i within 7.2 %%', async (durations, p50) => {
  for (const durationMs of durations) await deliver([{ durationMs }]);
  const { latency_ms: latency } = (await show()).totals;
  expect(Math.abs(latency.p50 - p50)).toBeLessThanOrEqual(p50 * 0.072 + 0.05);
});

test('the buckets of a webhook add up rolled-up attempts and attempts that are not rolled up yet', async () => {
  await deliver([{ at: '2026-03-02T00:10:00Z' }]);
  await deliver([{ ...failure, at: '2026-03-02T01:10:00Z' }]);
  await rollUpAll();
  for (const hour of ['00', '02', '02']) await deliver([{ at: `2026-03-02T${hour}:20:00Z` }]);
  const [webhook] = (await show('from=2026-03-02&to=2026-03-02T04:00:00Z')).webhooks;
  expect(webhook).toMatchObject({ attempts: 5, delivered: 4, failed: 1 });
  expect(webhook.buckets.map(({ delivered, failed }: typeof noCounts) => `${delivered} ${failed}`)).toEqual([
    '2 0',
    '0 1',
    '2 0',
    '0 0',
  ]);
});

test('webhooks with the most failures come first, and deleted ones are left out', async () => {
  const [more, none, deleted] = [await makeWebhook(account), await makeWebhook(account), await makeWebhook(account)];
  await deliver([failure]);
  for (let index = 0; index < 2; index++) await deliver([failure], { id: more.id });
  await rollUpAll();
  for (let index = 0; index < 3; index++) await deliver([failure], { id: deleted.id });
  await account.delete(`/developer/webhooks/${deleted.id}`).expect(200);
  const { totals, webhooks } = await show();
  expect(totals.failed).toBe(6);
  expect(webhooks.map(({ id, failed }: Record<string, unknown>) => [id, failed])).toEqual([
    [more.id, 2],
    [webhookId, 1],
    [none.id, 0],
  ]);
  const picked = await show(`${day}&filter[webhook_id]=${none.id},${webhookId.toUpperCase()}`);
  expect(picked.webhooks.map(({ id }: { id: string }) => id)).toEqual([webhookId, none.id]);
});

type Plan = { 'Relation Name'?: string; 'Actual Loops': number; Plans?: Plan[] };
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

test('the rows of each webhook are read once for each purpose, although PostgreSQL plans nested loops', async () => {
  const ids = [webhookId, (await makeWebhook(account)).id, (await makeWebhook(account)).id];
  for (const id of ids) await deliver([{}], { id });
  await rollUpAll();
  const client = await api.db.pool.connect();
  await client.query('BEGIN; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off');
  const nodes: Plan[] = [];
  const query = async ({ text, values }: { text: string; values: unknown[] }) => {
    const explain = { text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values };
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(explain);
    nodes.push(...nodesOf(rows[0]!['QUERY PLAN'][0]!.Plan));
    return { rows: [] };
  };
  const pool = Object.assign(Object.create(api.db.pool) as Database['pool'], { query });
  const range = { from: new Date('2026-03-02'), to: new Date('2026-03-03'), resolution: 'hour' as const };
  await readWebhookStatistics({ ...api.db, pool }, account.id, { range, resolution: 'hour', filter: {}, limit: 100 });
  await client.query('ROLLBACK');
  client.release();
  const reads = nodes.filter((node) => node['Relation Name'] === 'statistics');
  expect(reads.map((node) => node['Actual Loops'])).toEqual([3, 3, 3]);
});

test('a filter by webhook counts only these webhooks, also deleted ones', async () => {
  const [other, deleted] = [await makeWebhook(account), await makeWebhook(account)];
  for (const id of [webhookId, other.id, deleted.id]) await deliver([failure], { id });
  await rollUpAll();
  for (const id of [other.id, deleted.id, deleted.id]) await deliver([{}], { id });
  await deliver([], { id: other.id });
  await account.delete(`/developer/webhooks/${deleted.id}`).expect(200);
  const query = (ids: string[]) => show(`${day}&filter[webhook_id]=${ids.join(',')}`);
  const [one, two] = [await query([webhookId]), await query([other.id.toUpperCase(), deleted.id])];
  expect([one.totals, one.waiting.count]).toMatchObject([{ attempts: 1, failed: 1 }, 0]);
  expect([two.totals, two.waiting.count]).toMatchObject([{ attempts: 5, failed: 2, delivered: 3 }, 1]);
  expect(two.buckets.reduce((sum: number, { attempts }: { attempts: number }) => sum + attempts, 0)).toBe(5);
  expect(two.webhooks.map(({ id, attempts }: Record<string, unknown>) => [id, attempts])).toEqual([[other.id, 2]]);
});

test('a portal session that is restricted to some webhooks sees only the numbers of these webhooks', async () => {
  const other = await makeWebhook(account);
  await deliver([{}]);
  await deliver([failure], { id: other.id });
  await rollUpAll();
  await deliver([failure], { id: other.id });
  await deliver([], { id: other.id });
  const session = await openSession(account, { webhook_ids: [webhookId] });
  const visitor = await enter(api, session);
  for (const query of [day, `${day}&filter[webhook_id]=${other.id},${webhookId}`]) {
    const { totals, webhooks, waiting } = await show(query, visitor);
    expect(totals).toMatchObject({ ...noCounts, attempts: 1, delivered: 1 });
    expect(webhooks.map(({ id }: { id: string }) => id)).toEqual([webhookId]);
    expect(waiting.count).toBe(0);
  }
  await visitor.get(`/developer/webhooks/${webhookId}/statistics?${day}`).expect(200);
  const { body } = await visitor.get(`/developer/webhooks/${other.id}/statistics?${day}`).expect(404);
  expect(body).toEqual(webhookNotFoundBody);
});

test('deliveries that wait for an attempt are counted, and those of them that wait for a retry', async () => {
  await deliver([]);
  await deliver([retry]);
  await deliver([{}]);
  await deliver([], { id: (await makeWebhook(account)).id });
  expect((await show()).waiting).toEqual({ count: 3, is_capped: false, retries: 1 });
  expect((await showWebhook(webhookId)).waiting).toEqual({ count: 2, is_capped: false, retries: 1 });
});

describe('the range', () => {
  test('is the last 24 hours by default, in hours', async () => {
    const { from, to, interval, buckets } = await show('');
    expect([interval, buckets.length]).toEqual(['hour', 25]);
    expect(Date.parse(to) - Date.parse(from)).toBe(25 * 3_600_000);
    expect(Date.parse(to)).toBeGreaterThan(Date.now());
  });

  test.each([
    ['from=2026-03-01T10:20:00Z&to=2026-03-01T10:40:00Z', 'hour', 1, 'hour'],
    ['from=2026-03-01T10:20:00Z&to=2026-03-05T10:20:00Z', 'hour', 97, 'day'],
    ['from=2026-03-01T10:20:00Z&to=2026-04-05T10:20:00Z', 'day', 36, 'day'],
    ['from=2026-03-01T10:20:00%2B05:30&to=2026-03-01T06:00:00Z&interval=day', 'day', 1, 'day'],
    ['from=2026-01-01&to=2026-03-04&interval=hour', 'hour', 1_488, 'day'],
    ['from=1999-01-01&to=2002-01-01', 'day', 1_096, 'day'],
  ])('%s is shown by %s in %i buckets, of webhooks by %s', async (query, interval, count, ofWebhooks) => {
    const data = await show(query);
    expect([data.interval, data.buckets.length, data.webhooks_interval]).toEqual([interval, count, ofWebhooks]);
    expect(data.buckets[0].start).toBe(data.from);
  });

  test('that starts and ends within a day has exactly the attempts in it', async () => {
    for (const at of ['2026-03-01T09:59:59Z', '2026-03-01T10:00:00Z', '2026-03-02T00:00:00Z', '2026-03-04T23:59:59Z'])
      await deliver([{ at }]);
    for (const at of ['2026-03-05T10:59:59Z', '2026-03-05T11:00:00Z']) await deliver([{ at }]);
    await rollUpAll();
    const { totals, webhooks } = await show('from=2026-03-01T10:20:00Z&to=2026-03-05T10:20:00Z');
    expect([totals.delivered, webhooks[0].delivered]).toEqual([4, 4]);
    expect(webhooks[0].buckets.map(({ delivered }: Record<string, unknown>) => delivered)).toEqual([1, 1, 0, 1, 1]);
  });
});

test.each([
  ['from=yesterday', 'from', 'The from field must be a time such as 2026-01-31T12:00:00Z.'],
  ['to=1', 'to', 'The to field must be a time such as 2026-01-31T12:00:00Z.'],
  ['from=2026-03-02&to=2026-03-02', 'from', 'The from field must be before the to field.'],
  ['interval=week', 'interval', 'The selected interval is invalid.'],
  [
    'from=2026-01-01&to=2026-03-05&interval=hour',
    'interval',
    'The range has more than 1500 buckets; choose a longer interval.',
  ],
  ['from=2026-02-30', 'from', 'The from field must be a time such as 2026-01-31T12:00:00Z.'],
  ['from=0000-01-01&to=0001-01-01', 'to', 'The to field must be between the years 1970 and 9998.'],
  ['from=1969-12-31', 'from', 'The from field must be between the years 1970 and 9998.'],
  ['from=9999-12-31&to=9999-12-31T23:59:59.999Z', 'to', 'The to field must be between the years 1970 and 9998.'],
  ['from=2000-01-01&to=9998-12-31', 'interval', 'The range has more than 1500 buckets; choose a longer interval.'],
  [`${day}&interval=minute`, 'interval', 'Minutes are kept for 7 days; choose a longer interval.'],
  ['filter[event]=x', 'filter.event', `The event filter must be one of ${eventNames.join(', ')}.`],
  ['filter[webhook_id]=x', 'filter.webhook_id', 'The webhook_id filter must have only UUIDs.'],
])('the query %s is a 422', async (query, field, message) => {
  const { body } = await account.get(`/developer/statistics?${query}`).expect(422);
  expect(body).toEqual(errorBody(422, 'ValidationError', message, { [field]: [message] }));
});

test('an unknown filter is a 400', async () => {
  await account.get('/developer/statistics?filter[name]=x').expect(400);
  await account.get(`/developer/webhooks/${webhookId}/statistics?filter[webhook_id]=x`).expect(400);
});
