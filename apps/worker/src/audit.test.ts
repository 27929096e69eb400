import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Acceptance, findLedgerFaults } from '@ringback/database';
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
