import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Acceptance, findEvent, findLedgerFaults, subscribe } from '@ringback/database';
import { openTestLedger, type TestLedger } from './ledger.fixture.js';

let ledger: TestLedger;
let webhookId: string;
beforeAll(async () => {
  ledger = await openTestLedger();
  webhookId = await ledger.makeWebhook();
});
afterAll(() => ledger.close());

const start = new Date(Date.now() - 60_000);
const problems = async (since = start) =>
  (await findLedgerFaults(ledger.db, { since, limit: 10 })).map(({ kind, id, problem }) => [kind, id, problem]);

const attempt = `INSERT INTO attempts (delivery_id, number, started_at, duration_ms, outcome, url, warnings)
  SELECT id, 1, now(), 1, 'response', 'http://x', '{}' FROM deliveries WHERE id = $1`;

/** What is done to the event or the delivery, `$1`, and what is found then. */
const faults: [string, ['event' | 'delivery', string][], (of: Acceptance) => unknown[][]][] = [
  [
    'an event without its delivery',
    [['delivery', 'DELETE FROM deliveries WHERE id = $1']],
    ({ eventId }) => [['event', eventId, 'routed, but has no delivery']],
  ],
  [
    'an event that has a delivery nobody wanted',
    [['event', `UPDATE events SET state = 'unrouted' WHERE id = $1`]],
    ({ eventId }) => [['event', eventId, 'unrouted, but has a delivery']],
  ],
  [
    'an event of whose deliveries some vanished',
    [['event', 'UPDATE events SET delivery_count = delivery_count + 2 WHERE id = $1']],
    ({ eventId }) => [['event', eventId, 'was given 3 deliveries, of which 1 are there']],
  ],
  [
    'a parked delivery that nobody fetches',
    [['delivery', `UPDATE deliveries SET parked_at = now() - interval '301 seconds' WHERE id = $1`]],
    ({ deliveries: [made] }) => [
      ['delivery', made!.id, 'parked, and nothing was done for its webhook for five minutes'],
    ],
  ],
  [
    'an event that vanished with all that came of it',
    [
      ['delivery', 'DELETE FROM deliveries WHERE id = $1'],
      ['event', 'DELETE FROM events WHERE id = $1'],
    ],
    ({ eventId }) => [['event', eventId, 'was accepted, and is gone']],
  ],
  [
    'an event that vanished alone',
    [['event', 'DELETE FROM events WHERE id = $1']],
    ({ eventId, deliveries: [made] }) => [
      ['event', eventId, 'was accepted, and is gone'],
      ['delivery', made!.id, 'its event is gone'],
    ],
  ],
  [
    'an attempt that is not counted',
    [['delivery', attempt]],
    ({ deliveries: [made] }) => [['delivery', made!.id, 'counts 0 attempts, of which 1 are recorded']],
  ],
  [
    'an attempt that is not recorded',
    [['delivery', 'UPDATE deliveries SET attempts = 1 WHERE id = $1']],
    ({ deliveries: [made] }) => [['delivery', made!.id, 'counts 1 attempts, of which 0 are recorded']],
  ],
  [
    'a delivery that vanished after it was called',
    [
      ['delivery', attempt],
      ['delivery', 'DELETE FROM deliveries WHERE id = $1'],
    ],
    ({ eventId, deliveries: [made] }) => [
      ['event', eventId, 'routed, but has no delivery'],
      ['delivery', made!.id, 'has attempts, and is gone'],
    ],
  ],
  [
    'a delivery that was never called',
    [['delivery', `UPDATE deliveries SET state = 'delivered', next_attempt_at = NULL WHERE id = $1`]],
    ({ deliveries: [made] }) => [['delivery', made!.id, 'delivered without an attempt']],
  ],
];

test.each(faults)('the audit finds %s, and finds nothing before and after', async (name, statements, expected) => {
  const taken = await ledger.accept(name, webhookId);
  const [made] = taken.deliveries;
  expect(await problems()).toEqual([]);
  const ids = { event: taken.eventId, delivery: made!.id };
  for (const [of, statement] of statements) await ledger.db.pool.query(statement, [ids[of]]);
  expect(await problems()).toEqual(expected(taken));
  expect(await problems(new Date(Date.now() + 60_000))).toEqual([]);
  for (const [table, column] of [
    ['attempts', 'delivery_id'],
    ['deliveries', 'id'],
    ['events', 'id'],
    ['event_keys', 'event_id'],
  ] as const)
    await ledger.db.pool.query(`DELETE FROM ${table} WHERE ${column} = ANY($1::uuid[])`, [Object.values(ids)]);
});

test('a parked delivery is not missed while its webhook is called', async () => {
  const { eventId, deliveries } = await ledger.accept('parked', webhookId);
  const other = await ledger.accept('called', webhookId);
  const set = (id: string, what: string) => ledger.db.pool.query(`UPDATE deliveries SET ${what} WHERE id = $1`, [id]);
  await set(deliveries[0]!.id, `parked_at = now() - interval '301 seconds'`);
  await set(other.deliveries[0]!.id, `leased = true, parked_at = now() + interval '5 seconds'`);
  expect(await problems()).toEqual([]);
  await set(other.deliveries[0]!.id, `leased = false, parked_at = now(), updated_at = now()`);
  expect(await problems()).toEqual([['delivery', deliveries[0]!.id, expect.stringContaining('nothing was done')]]);
  for (const id of [eventId, other.eventId]) {
    await ledger.db.pool.query('DELETE FROM deliveries WHERE event_id = $1', [id]);
    await ledger.db.pool.query('DELETE FROM events WHERE id = $1', [id]);
    await ledger.db.pool.query('DELETE FROM event_keys WHERE event_id = $1', [id]);
  }
});

test('an event knows how many deliveries it was given', async () => {
  const { db, accountId } = ledger;
  const event = 'sms:message:status';
  for (let hooks = 0; hooks < 3; hooks++)
    await subscribe(db, accountId, { event, identity: 'all', webhookId: await ledger.makeWebhook() });
  const { eventId, made, deliveries } = await ledger.accept('three', null);
  expect([made, (await findEvent(db, eventId))?.deliveryCount]).toEqual([3, 3]);
  await db.pool.query('DELETE FROM deliveries WHERE id = $1', [deliveries[1]!.id]);
  expect(await problems()).toEqual([['event', eventId, 'was given 3 deliveries, of which 2 are there']]);
});
