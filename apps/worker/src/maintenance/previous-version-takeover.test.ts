import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { storeEvents, claimDue, checkLedger, listNewestDeliveries, resumeWebhook } from '@ringback/ledger';
import { openQueueEngine } from '@ringback/queue';
import { backends, until } from '@ringback/testing';
import { startTestbed, type Testbed } from '../worker.fixture.js';

/** Rows and jobs as the previous version left them. */
describe.each(backends)('what the previous version left on $name', ({ name }) => {
  let testbed: Testbed;
  // No worker delivers before all of it is stored.
  beforeAll(async () => void (testbed = await startTestbed(name, { roles: new Set(['verify']) })));
  afterAll(async () => {
    await testbed.close();
    expect(testbed.errors).toEqual([]);
  });

  let paths = 0;
  const pause = (id: string) =>
    testbed.db.pool.query(
      `UPDATE webhooks SET paused_at = now(), pause_reason = 'failing', pause_told = true WHERE id = $1`,
      [id],
    );
  /** Creates a delivery with the old columns, for a webhook with its own path. */
  const createOldDelivery = async (columns: string) => {
    const path = `/old-${name}-${++paths}`;
    const { id: webhookId } = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}${path}` });
    const event = { name: 'sms:message:status' as const, accountId: testbed.account.id, webhookId, identity: null };
    // A worker that runs must not claim the delivery before its row is as the previous version left it.
    await pause(webhookId);
    await storeEvents(testbed.db, [
      { ...event, platformEventId: path, messageId: path, mobile: null, payload: `{"id":"${path}"}` },
    ]);
    const [row] = await listNewestDeliveries(testbed.db, { webhookId, limit: 1 });
    await testbed.db.pool.query(`UPDATE deliveries SET due_at = NULL, ${columns} WHERE id = $1`, [row!.id]);
    await resumeWebhook(testbed.db, testbed.account.id, webhookId);
    const calls = () => testbed.receiver.calls.filter((call) => call.path === path);
    return { id: row!.id, webhookId, calls };
  };
  /** Creates the jobs of these deliveries, as the previous version did. */
  const enqueue = async (ids: string[], { queue = 'sms-deliveries', delay = 0, priority = 0 } = {}) => {
    const engine = openQueueEngine(testbed.queueSettings);
    const handle = engine.openQueue(queue, () => undefined);
    const opts = { attempts: 1_000_000, backoff: { type: 'custom' }, stackTraceLimit: 0, delay, priority };
    await handle.addBulk(
      ids.map((id) => ({ name: 'deliver', data: { deliveryId: id }, opts: { ...opts, jobId: `deliver-${id}` } })),
    );
    await handle.close();
    await engine.close();
  };
  let leftCount = 0;
  /** How many deliveries the workers logged as taken over. A worker logs them when nothing is left to take over. */
  const loggedCount = () =>
    testbed.notices
      .filter(([event]) => event === 'takeover.completed')
      .reduce((sum, [, fields]) => sum + (fields as { count: number }).count, 0);
  const rowOf = async (id: string) =>
    (await testbed.db.pool.query(`SELECT * FROM deliveries WHERE id = $1`, [id])).rows[0] as Record<string, unknown>;

  test('may be nothing: then a worker logs that it took over nothing', async () => {
    const fresh = await startTestbed(name, { roles: new Set(['maintain']) });
    const isCompletion = ([event]: unknown[]) => event === 'takeover.completed';
    await until(() => fresh.notices.some(isCompletion));
    expect(fresh.notices.filter(isCompletion)).toEqual([['takeover.completed', { count: 0 }]]);
    await fresh.close();
  });

  test('is listed with its due time before it is taken over', async () => {
    const { webhookId } = await createOldDelivery(`next_attempt_at = now() + interval '1 day'`);
    const [listed] = await listNewestDeliveries(testbed.db, { webhookId, limit: 1 });
    expect(listed?.dueAt?.getTime()).toBeGreaterThan(Date.now());
  });

  test('is delivered once, with or without a job, and not before it is due', async () => {
    const now = 'next_attempt_at = now()';
    const waiting = await createOldDelivery(now);
    await enqueue([waiting.id]);
    const retried = await createOldDelivery(`next_attempt_at = now(), attempts = 0`);
    await enqueue([retried.id], { priority: 1 });
    const delayed = await createOldDelivery(`next_attempt_at = now() + interval '4 s'`);
    const dueAt = Date.now() + 4_000;
    await enqueue([delayed.id], { delay: 4_000 });
    const twice = await createOldDelivery(now);
    await enqueue([twice.id]);
    const sharded = await createOldDelivery(now);
    // PostgreSQL never had more than one shard.
    await enqueue([sharded.id], name === 'redis' ? { queue: 'sms-deliveries-1' } : {});
    if (name === 'redis') await enqueue([twice.id], { queue: 'sms-deliveries-1' });
    const deferred = await createOldDelivery(`${now}, parked_at = now() - interval '2 s'`);
    const expired = await createOldDelivery(`${now}, parked_at = now() - interval '2 s', leased = true`);
    const leased = await createOldDelivery(`${now}, parked_at = now() + interval '2 s', leased = true`);
    const held = await createOldDelivery(`${now}, parked_at = 'infinity'`);
    await pause(held.webhookId);
    const jobless = await createOldDelivery(`next_attempt_at = now() - interval '2 minutes'`);
    const final = await createOldDelivery(`state = 'skipped', next_attempt_at = NULL`);
    await enqueue([final.id]);

    await testbed.addWorker({ roles: new Set(['deliver-sms', 'maintain']) });
    await testbed.addWorker({ roles: new Set(['deliver-sms', 'maintain']) });
    const all = [waiting, retried, delayed, twice, sharded, deferred, expired, leased, jobless];
    for (const { webhookId } of all) await testbed.waitForDelivery({ webhookId }, 'delivered');
    expect(delayed.calls()[0]!.at).toBeGreaterThanOrEqual(dueAt);

    await until(async () => (await rowOf(held.id)).due_at !== null);
    expect(held.calls()).toEqual([]);
    await resumeWebhook(testbed.db, testbed.account.id, held.webhookId);
    testbed.waker.wake([{ webhookId: held.webhookId, channel: 'sms', accountId: testbed.account.id }]);
    await testbed.waitForDelivery({ webhookId: held.webhookId }, 'delivered');

    for (const { id, calls } of [...all, held]) {
      expect(calls().map(({ headers }) => headers['x-ringback-attempt'])).toEqual(['1']);
      expect(await rowOf(id)).toMatchObject({ attempts: 1, next_attempt_at: null, parked_at: null, leased: false });
    }
    expect([final.calls(), (await rowOf(final.id)).state]).toEqual([[], 'skipped']);
    const engine = openQueueEngine(testbed.queueSettings);
    await until(async () => (await engine.listPreviousQueues()).length === 0);
    await engine.close();
    expect(await checkLedger(testbed.db, { since: new Date(0), limit: 10 })).toEqual([]);
    leftCount += all.length + 1;
    await until(() => loggedCount() === leftCount);
  });

  test('is delivered from a paused queue', async () => {
    const engine = openQueueEngine(testbed.queueSettings);
    const queue = engine.openQueue('rcs-deliveries', () => undefined);
    await queue.pause();
    const paused = await createOldDelivery('next_attempt_at = now()');
    await enqueue([paused.id], { queue: 'rcs-deliveries' });
    await testbed.addWorker({ roles: new Set(['deliver-sms', 'maintain']) });
    await testbed.waitForDelivery({ webhookId: paused.webhookId }, 'delivered');
    await until(async () => (await engine.listPreviousQueues()).length === 0);
    await queue.close();
    await engine.close();
    leftCount += 1;
    await until(() => loggedCount() === leftCount);
  });

  test('is not taken over before its job is due, or while a worker of the previous version leases it', async () => {
    const later = await createOldDelivery(`next_attempt_at = now() + interval '1 hour'`);
    await enqueue([later.id], { delay: 3_600_000 });
    const overdue = await createOldDelivery(`next_attempt_at = now() - interval '2 minutes'`);
    const leasedThere = await createOldDelivery(
      `next_attempt_at = now(), parked_at = now() + interval '1 hour', leased = true`,
    );
    const deferred = await createOldDelivery(`next_attempt_at = now(), parked_at = now() - interval '2 s'`);
    await testbed.waitForDelivery({ webhookId: deferred.webhookId }, 'delivered');
    for (const { id } of [later, overdue, leasedThere])
      expect(await rowOf(id)).toMatchObject({ state: 'pending', due_at: null });
    const requests = [later, overdue, leasedThere].map(({ webhookId }) => ({
      webhookId,
      channel: 'sms' as const,
      limit: 1,
    }));
    expect((await claimDue(testbed.db, requests, { leaseMs: 1_000 })).tasks).toEqual([]);
    // Only now does it get a job: the engine had lost it.
    await enqueue([overdue.id]);
    await testbed.waitForDelivery({ webhookId: overdue.webhookId }, 'delivered');

    // One job is left.
    expect(loggedCount()).toBe(leftCount);
    const engine = openQueueEngine(testbed.queueSettings);
    const queue = engine.openQueue('sms-deliveries', () => undefined);
    await queue.drain(true);
    leftCount += 2;
    await until(() => loggedCount() === leftCount);
    await queue.close();
    await engine.close();
  });
});
