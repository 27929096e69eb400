import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { storeEvents, claimDue, updateWebhook, listNewestDeliveries } from '@ringback/ledger';
import { backends, until } from '@ringback/testing';
import { startTestbed, type Testbed } from './worker.fixture.js';

describe.each(backends)('a rate limit on $name', ({ name }) => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await startTestbed(name);
    await testbed.addWorker();
  });
  afterAll(async () => {
    await testbed.close();
    expect(testbed.errors).toEqual([]);
  });

  const push = (webhookId: string, count: number) => testbed.pushSamples('rcs-in', { webhookId }, count);
  const waitUntilDelivered = (webhookId: string, count: number) =>
    until(async () => {
      const done = await listNewestDeliveries(testbed.db, { webhookId, state: 'delivered', limit: 1_000 });
      return done.length === count;
    });
  const timesOf = (path: string) =>
    testbed.receiver.calls
      .filter((call) => call.path === path)
      .map(({ at }) => at)
      .sort((one, other) => one - other);
  /** The calls that arrived earlier than a burst of 5 at `startedAt` and then 10 a second allow. */
  const tooEarly = (times: number[], startedAt: number) =>
    times.filter((at, index) => at - startedAt < (index + 1 - 5) * 100 - 50);

  test('holds for all workers together, and delays no other webhook', async () => {
    testbed.receiver.answerWith(() => ({ status: 200 }));
    const limited = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}/limited-${name}`, rateLimit: 10 });
    const other = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}/other-${name}` });
    const startedAt = Date.now();
    await push(limited.id, 50);
    await push(other.id, 50);
    await waitUntilDelivered(other.id, 50);
    await waitUntilDelivered(limited.id, 50);
    const times = timesOf(`/limited-${name}`);
    expect(times).toHaveLength(50);
    expect(timesOf(`/other-${name}`).at(-1)!).toBeLessThan(times.at(-1)!);
    expect(tooEarly(times, startedAt)).toEqual([]);
    const deliveries = await listNewestDeliveries(testbed.db, { webhookId: limited.id, limit: 100 });
    expect(deliveries.map(({ attemptCount }) => attemptCount)).toEqual(Array(50).fill(1));
  });

  test('holds for retries too, and uses up none of their attempts', async () => {
    const attemptedIds = new Set<unknown>();
    testbed.receiver.answerWith(({ headers }) => {
      const id = headers['x-ringback-delivery'];
      const status = attemptedIds.has(id) ? 200 : 500;
      attemptedIds.add(id);
      return { status };
    });
    const { id } = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}/retried-${name}`, rateLimit: 10 });
    const startedAt = Date.now();
    await push(id, 10);
    await waitUntilDelivered(id, 10);
    const times = timesOf(`/retried-${name}`);
    expect(times).toHaveLength(20);
    expect(tooEarly(times, startedAt)).toEqual([]);
    const deliveries = await listNewestDeliveries(testbed.db, { webhookId: id, limit: 10 });
    expect(deliveries.map(({ attemptCount }) => attemptCount)).toEqual(Array(10).fill(2));
  });

  test('that is removed no longer delays callbacks', async () => {
    testbed.receiver.answerWith(() => ({ status: 200 }));
    const { id } = await testbed.makeWebhook({ rateLimit: 1 });
    await push(id, 100);
    await until(async () => (await listNewestDeliveries(testbed.db, { webhookId: id, limit: 1_000 })).length === 100);
    await updateWebhook(testbed.db, testbed.account.id, id, { rateLimit: null });
    await waitUntilDelivered(id, 100);
  });
});

describe('the tokens of a rate limit', () => {
  let testbed: Testbed;
  // The worker's role is `verify`, so it claims nothing.
  beforeAll(async () => void (testbed = await startTestbed('postgres', { roles: new Set(['verify']) })));
  afterAll(() => testbed.close());

  const store = (webhookId: string, count: number) => {
    const event = { name: 'sms:message:status' as const, accountId: testbed.account.id, webhookId, identity: null };
    const events = Array.from({ length: count }, (_, index) => ({
      ...event,
      platformEventId: `${webhookId} ${index}`,
      messageId: 'x',
      mobile: null,
      payload: '{"id":"x"}',
    }));
    return storeEvents(testbed.db, events);
  };
  const claim = async (webhookId: string, limit = 100) => {
    const requests = [{ webhookId, channel: 'sms' as const, limit }];
    const { tasks, idsWithRateLimit } = await claimDue(testbed.db, requests, { leaseMs: 60_000 });
    expect([...idsWithRateLimit]).toEqual([webhookId]);
    return tasks.length;
  };

  test.each([
    [1, 1],
    [4, 2],
    [20, 10],
    [1_000, 100],
  ])('with %i a second, a burst of at most %i is available to all workers together', async (rateLimit, burst) => {
    const { id } = await testbed.makeWebhook({ rateLimit });
    await store(id, 100);
    const startedAt = performance.now();
    // The first claim creates the row with the tokens.
    expect(await claim(id)).toBe(0);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(id)));
    const taken = claims.reduce((sum, count) => sum + count, 0);
    expect(taken).toBeGreaterThanOrEqual(burst);
    // Tokens that were refilled while the claims ran may be used, too.
    const elapsedSeconds = (performance.now() - startedAt) / 1_000;
    expect(taken).toBeLessThanOrEqual(burst + Math.ceil(rateLimit * elapsedSeconds));
  });

  test('refill with time, up to the burst', async () => {
    const { id } = await testbed.makeWebhook({ rateLimit: 20 });
    await store(id, 100);
    await claim(id);
    expect(await claim(id)).toBeGreaterThanOrEqual(10);
    // As if a minute had passed.
    await testbed.db.pool.query(
      `UPDATE webhook_rate_limits SET allowed_at = allowed_at - interval '1 minute' WHERE webhook_id = $1`,
      [id],
    );
    expect(await claim(id)).toBe(10);
  });

  test('are spent by what is claimed, not by a claim that finds nothing', async () => {
    const { id } = await testbed.makeWebhook({ rateLimit: 4 });
    await claim(id);
    for (let claims = 0; claims < 5; claims++) expect(await claim(id)).toBe(0);
    await store(id, 10);
    expect(await claim(id)).toBe(2);
  });
});
