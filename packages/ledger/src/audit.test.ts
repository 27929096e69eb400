import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { countLedger, findEvent, checkLedger, subscribe } from './index.js';
import { openTestLedger, type TestLedger } from './ledger.fixture.js';

let ledger: TestLedger;
let webhookId: string;
beforeAll(async () => {
  ledger = await openTestLedger();
  webhookId = await ledger.makeWebhook();
});
afterAll(() => ledger.close());

const start = new Date(Date.now() - 60_000);
const findProblems = async (since = start) =>
  (await checkLedger(ledger.db, { since, limit: 10 })).map(({ kind, id, problem }) => [kind, id, problem]);

const attempt = `INSERT INTO attempts (delivery_id, number, started_at, duration_ms, outcome, url, warnings)
  SELECT id, 1, now(), 1, 'response', 'http://x', '{}' FROM deliveries WHERE id = $1`;

/** What is done to the event or delivery `$1`, and what the audit then finds. */
const faults: [string, ['event' | 'delivery', string][], (ids: { event: string; delivery: string }) => unknown[][]][] =
  [
    [
      'an event without its delivery',
      [['delivery', 'DELETE FROM deliveries WHERE id = $1']],
      ({ event }) => [['event', event, 'routed, but has no delivery']],
    ],
    [
      'an unrouted event that has a delivery',
      [['event', `UPDATE events SET state = 'unrouted' WHERE id = $1`]],
      ({ event }) => [['event', event, 'unrouted, but has a delivery']],
    ],
    [
      'an event with fewer deliveries than it was given',
      [['event', 'UPDATE events SET delivery_count = delivery_count + 2 WHERE id = $1']],
      ({ event }) => [['event', event, 'was given 3 deliveries, of which 1 are there']],
    ],
    [
      'a due delivery that no worker claims',
      [['delivery', `UPDATE deliveries SET due_at = now() - interval '301 seconds' WHERE id = $1`]],
      ({ delivery }) => [['delivery', delivery, 'pending, and nothing was done for its webhook for five minutes']],
    ],
    [
      'a lease that no worker rescues',
      [
        [
          'delivery',
          `UPDATE deliveries SET leased_at = now(), lease_expires_at = now() - interval '61 seconds' WHERE id = $1`,
        ],
      ],
      ({ delivery }) => [['delivery', delivery, 'pending, and its worker is gone for more than a minute']],
    ],
    [
      'an event that was deleted with its delivery',
      [
        ['delivery', 'DELETE FROM deliveries WHERE id = $1'],
        ['event', 'DELETE FROM events WHERE id = $1'],
      ],
      ({ event }) => [['event', event, 'was accepted, and is gone']],
    ],
    [
      'an event that was deleted without its delivery',
      [['event', 'DELETE FROM events WHERE id = $1']],
      ({ event, delivery }) => [
        ['event', event, 'was accepted, and is gone'],
        ['delivery', delivery, 'its event is gone'],
      ],
    ],
    [
      'an attempt that is not counted',
      [['delivery', attempt]],
      ({ delivery }) => [['delivery', delivery, 'counts 0 attempts, of which 1 are recorded']],
    ],
    [
      'an attempt that is not recorded',
      [['delivery', 'UPDATE deliveries SET attempt_count = 1 WHERE id = $1']],
      ({ delivery }) => [['delivery', delivery, 'counts 1 attempts, of which 0 are recorded']],
    ],
    [
      'a delivery that was deleted after an attempt',
      [
        ['delivery', attempt],
        ['delivery', 'DELETE FROM deliveries WHERE id = $1'],
      ],
      ({ event, delivery }) => [
        ['event', event, 'routed, but has no delivery'],
        ['delivery', delivery, 'has attempts, and is gone'],
      ],
    ],
    [
      'a delivered delivery without an attempt',
      [['delivery', `UPDATE deliveries SET state = 'delivered', due_at = NULL WHERE id = $1`]],
      ({ delivery }) => [['delivery', delivery, 'delivered without an attempt']],
    ],
  ];

test.each(faults)('the audit finds %s, and finds nothing before and after', async (name, statements, expected) => {
  const stored = await ledger.store(name, webhookId);
  const [delivery = ''] = await ledger.deliveriesOf(stored);
  expect(await findProblems()).toEqual([]);
  const ids = { event: stored.eventId, delivery };
  for (const [of, statement] of statements) await ledger.db.pool.query(statement, [ids[of]]);
  expect(await findProblems()).toEqual(expected(ids));
  expect(await findProblems(new Date(Date.now() + 60_000))).toEqual([]);
  for (const [table, column] of [
    ['attempts', 'delivery_id'],
    ['deliveries', 'id'],
    ['events', 'id'],
    ['event_keys', 'event_id'],
  ] as const)
    await ledger.db.pool.query(`DELETE FROM ${table} WHERE ${column} = ANY($1::uuid[])`, [Object.values(ids)]);
});

test('the audit accepts an overdue delivery while its webhook is paused or has another attempt', async () => {
  const stored = [await ledger.store('waits', webhookId), await ledger.store('attempted', webhookId)];
  const [[waits = ''], [attempted = '']] = [
    await ledger.deliveriesOf(stored[0]!),
    await ledger.deliveriesOf(stored[1]!),
  ];
  const update = (id: string, assignmentsSql: string) =>
    ledger.db.pool.query(`UPDATE deliveries SET ${assignmentsSql} WHERE id = $1`, [id]);
  const pause = (at: string) =>
    ledger.db.pool.query(`UPDATE webhooks SET paused_at = ${at}, pause_reason = ${at} || '' WHERE id = $1`, [
      webhookId,
    ]);
  const missed = [['delivery', waits, expect.stringContaining('nothing was done')]];
  await update(waits, `due_at = now() - interval '301 seconds'`);
  await update(attempted, `leased_at = now(), lease_expires_at = now() + interval '5 seconds'`);
  expect(await findProblems()).toEqual([]);
  await update(attempted, `leased_at = NULL, lease_expires_at = NULL, updated_at = now()`);
  expect(await findProblems()).toEqual(missed);
  await pause('now()');
  expect(await findProblems()).toEqual([]);
  await pause('NULL');
  expect(await findProblems()).toEqual(missed);
  for (const { eventId } of stored) {
    await ledger.db.pool.query('DELETE FROM deliveries WHERE event_id = $1', [eventId]);
    await ledger.db.pool.query('DELETE FROM events WHERE id = $1', [eventId]);
    await ledger.db.pool.query('DELETE FROM event_keys WHERE event_id = $1', [eventId]);
  }
});

test('the audit accepts a delivery due for under 5 minutes, or whose lease expired under 1 minute ago', async () => {
  const stored = await ledger.store('recent', webhookId);
  const [delivery] = await ledger.deliveriesOf(stored);
  const update = (assignmentsSql: string) =>
    ledger.db.pool.query(`UPDATE deliveries SET ${assignmentsSql} WHERE id = $1`, [delivery]);
  await update(`due_at = now() - interval '2 minutes'`);
  expect(await findProblems()).toEqual([]);
  await update(`due_at = now(), leased_at = now(), lease_expires_at = now() - interval '1 second'`);
  expect(await findProblems()).toEqual([]);
  await ledger.db.pool.query('DELETE FROM deliveries WHERE id = $1', [delivery]);
  await ledger.db.pool.query('DELETE FROM events WHERE id = $1', [stored.eventId]);
  await ledger.db.pool.query('DELETE FROM event_keys WHERE event_id = $1', [stored.eventId]);
});

test('the audit counts events and deliveries by state, and leased deliveries', async () => {
  const webhook = await ledger.makeWebhook();
  const since = new Date();
  const [leased] = await ledger.deliveriesOf(await ledger.store('leased', webhook));
  await ledger.store('pending', webhook);
  const leaseSql = `UPDATE deliveries SET leased_at = now(), lease_expires_at = now() + interval '1 minute' WHERE id = $1`;
  await ledger.db.pool.query(leaseSql, [leased]);
  expect(await countLedger(ledger.db, since)).toEqual({
    events: { total: 2, routed: 2, unrouted: 0, rejected: 0 },
    deliveries: { pending: 2, delivered: 0, failed: 0, skipped: 0 },
    leased: 1,
  });
});

test('an event knows how many deliveries it was given', async () => {
  const { db, accountId } = ledger;
  const event = 'sms:message:status';
  for (let hooks = 0; hooks < 3; hooks++)
    await subscribe(db, accountId, { event, identity: 'all', webhookId: await ledger.makeWebhook() });
  const { eventId } = await ledger.store('three', null);
  const deliveries = await ledger.deliveriesOf({ eventId });
  expect([deliveries.length, (await findEvent(db, eventId))?.deliveryCount]).toEqual([3, 3]);
  await db.pool.query('DELETE FROM deliveries WHERE id = $1', [deliveries[1]]);
  expect(await findProblems()).toEqual([['event', eventId, 'was given 3 deliveries, of which 2 are there']]);
});
