import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listNewestDeliveries } from '@ringback/ledger';
import { backends, until } from '@ringback/testing';
import { startTestbed, type Testbed } from './worker.fixture.js';

// The limit of attempts in flight to a new webhook, in each of two workers.
const firstLimit = 4;
const workerCount = 2;

describe.each(backends)('an overloaded receiver, with two workers on $name', ({ name }) => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await startTestbed(name);
    await testbed.addWorker();
  });
  afterAll(async () => {
    await testbed.close();
    expect(testbed.errors).toEqual([]);
  });

  const push = (webhookId: string, count: number) => testbed.pushSamples('sms', { webhookId }, count);
  const deliveriesOf = (webhookId: string) => listNewestDeliveries(testbed.db, { webhookId, limit: 1_000 });
  const waitUntilDelivered = (webhookId: string, count: number) =>
    until(
      async () => (await deliveriesOf(webhookId)).filter(({ state }) => state === 'delivered').length === count,
      `${count} are delivered`,
    );
  const callsOf = (path: string) => testbed.receiver.calls.filter((call) => call.path === path);
  const leasedCount = async (webhookId: string) => {
    const sql = 'SELECT id FROM deliveries WHERE webhook_id = $1 AND lease_expires_at IS NOT NULL';
    return (await testbed.db.pool.query(sql, [webhookId])).rows.length;
  };

  test('gets nothing during its Retry-After, which delays no other and holds no leases', async () => {
    const path = `/closed-${name}`;
    testbed.receiver.answerWith((call) =>
      call.path === path ? { status: 429, headers: { 'Retry-After': '60' } } : { status: 200 },
    );
    const closed = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}${path}` });
    const other = await testbed.makeWebhook();
    const closedAt = Date.now();
    await push(closed.id, 200);
    await until(async () => (await deliveriesOf(closed.id)).length === 200, 'all are stored');
    await until(() => callsOf(path).length > 0, 'it was called');
    await push(other.id, 200);
    await waitUntilDelivered(other.id, 200);
    await until(async () => (await leasedCount(closed.id)) === 0, 'nothing is leased');
    // After 60 s, a worker probes whether the receiver takes more. A busy machine may need that long.
    const minutes = Math.floor((Date.now() - closedAt) / 60_000);
    expect(callsOf(path).length).toBeLessThanOrEqual(workerCount * (firstLimit + minutes));
    const attempted = (await deliveriesOf(closed.id)).filter(({ attemptCount }) => attemptCount > 0);
    expect(attempted).toHaveLength(callsOf(path).length);
    expect(attempted.map(({ attemptCount }) => attemptCount)).toEqual(attempted.map(() => 1));
  });

  test('gets everything after a pause, and what waited has used up no attempt', async () => {
    const path = `/busy-${name}`;
    let refusedCount = 0;
    testbed.receiver.answerWith((call) =>
      call.path === path && refusedCount < 3 ? { status: refusedCount++ ? 503 : 429 } : { status: 200 },
    );
    const { id } = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}${path}` });
    await push(id, 30);
    await waitUntilDelivered(id, 30);
    const attempts = (await deliveriesOf(id)).reduce((sum, { attemptCount }) => sum + attemptCount, 0);
    expect([attempts, callsOf(path).length]).toEqual([33, 33]);
  });
});
