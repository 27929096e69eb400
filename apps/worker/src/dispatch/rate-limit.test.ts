import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { acceptEvents, claimParked, editWebhook, listDeliveries, listParkedWebhooks } from '@ringback/database';
import { sampleEvent } from '@ringback/samples';
import { backends, until } from '@ringback/testing';
import { openScene, type Scene } from '../worker.fixture.js';

describe.each(backends)('a rate limit on $name', ({ name }) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(name);
    await scene.addWorker();
  });
  afterAll(async () => {
    await scene.close();
    expect(scene.errors).toEqual([]);
  });

  const push = (webhookId: string, count: number) => {
    const jobs = Array.from({ length: count }, (_, index) => {
      const { event, ...data } = sampleEvent('rcs-in', { accountId: scene.account.id, webhookId });
      return { name: event, data: { ...data, event_id: `${webhookId} ${index} ${Math.random()}` } };
    });
    return scene.queues.pushEvents('rcs', jobs);
  };
  const delivered = (webhookId: string, count: number) =>
    until(async () => {
      const done = await listDeliveries(scene.db, { webhookId, state: 'delivered', limit: 1_000 });
      return done.length === count;
    });
  const timesOf = (path: string) =>
    scene.receiver.calls
      .filter((call) => call.path === path)
      .map(({ at }) => at)
      .sort((one, other) => one - other);
  /** The most calls that came within any second. */
  const mostInASecond = (times: number[]) =>
    Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));

  test('is kept by all workers together, and keeps nobody else waiting', async () => {
    scene.receiver.answerWith(() => ({ status: 200 }));
    const limited = await scene.makeWebhook({ uri: `${scene.receiver.origin}/limited-${name}`, rateLimit: 10 });
    const other = await scene.makeWebhook({ uri: `${scene.receiver.origin}/other-${name}` });
    await push(limited.id, 50);
    await push(other.id, 50);
    await delivered(other.id, 50);
    await delivered(limited.id, 50);
    const times = timesOf(`/limited-${name}`);
    expect(times).toHaveLength(50);
    expect(timesOf(`/other-${name}`).at(-1)!).toBeLessThan(times.at(-1)!);
    // Half a second's worth at once, and ten a second from then on.
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(4_000);
    expect(mostInASecond(times)).toBeLessThan(20);
    const made = await listDeliveries(scene.db, { webhookId: limited.id, limit: 100 });
    expect(made.map(({ attempts }) => attempts)).toEqual(Array(50).fill(1));
  });

  test('holds for retries, too, which keep their schedule', async () => {
    const failing = new Set<unknown>();
    scene.receiver.answerWith(({ headers }) => {
      const id = headers['x-ringback-delivery'];
      const status = failing.has(id) ? 200 : 500;
      failing.add(id);
      return { status };
    });
    const { id } = await scene.makeWebhook({ uri: `${scene.receiver.origin}/retried-${name}`, rateLimit: 10 });
    await push(id, 10);
    await delivered(id, 10);
    const times = timesOf(`/retried-${name}`);
    expect(times).toHaveLength(20);
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(1_200);
    const made = await listDeliveries(scene.db, { webhookId: id, limit: 10 });
    expect(made.map(({ attempts }) => attempts)).toEqual(Array(10).fill(2));
  });

  test('that is lifted lets everything through', async () => {
    scene.receiver.answerWith(() => ({ status: 200 }));
    const { id } = await scene.makeWebhook({ rateLimit: 1 });
    await push(id, 100);
    await until(async () => (await listDeliveries(scene.db, { webhookId: id, limit: 1_000 })).length === 100);
    await editWebhook(scene.db, scene.account.id, id, { rateLimit: null });
    await delivered(id, 100);
  });

  test('does not save a callback that kills its worker: it is called by its job, which counts', async () => {
    scene.receiver.answerWith(() => ({ status: 200 }));
    const { id: webhookId } = await scene.makeWebhook({ rateLimit: 5, active: false });
    const payload = '{"id":"killer"}';
    const event = { event: 'sms:message:status' as const, accountId: scene.account.id, webhookId, payload };
    const rest = { identity: null, eventId: webhookId, messageId: 'killer', mobile: null };
    const [accepted] = await acceptEvents(scene.db, [{ ...event, ...rest }]);
    expect(accepted).toMatchObject({ deliveries: [], parked: [{ webhookId }] });
    const id = (await listDeliveries(scene.db, { webhookId, limit: 1 }))[0]!.id;
    // As one who took it and died leaves it.
    await scene.db.pool.query(
      `UPDATE deliveries SET state = 'pending', reason = NULL, leased = true, next_attempt_at = clock_timestamp(),
        parked_at = clock_timestamp() - interval '1 minute' WHERE id = $1`,
      [id],
    );
    await editWebhook(scene.db, scene.account.id, webhookId, { active: true });
    await scene.waitForDelivery({ webhookId }, 'delivered');
    expect(await listParkedWebhooks(scene.db, { limit: 100 })).not.toContainEqual(
      expect.objectContaining({ webhookId }),
    );
  });
});

describe('the tokens of a rate limit', () => {
  let scene: Scene;
  // Nobody but the test fetches anything.
  beforeAll(async () => void (scene = await openScene('postgres', { roles: new Set(['verify']) })));
  afterAll(() => scene.close());

  const accept = (webhookId: string, count: number) => {
    const event = { event: 'sms:message:status' as const, accountId: scene.account.id, webhookId, identity: null };
    const events = Array.from({ length: count }, (_, index) => ({
      ...event,
      ...{ eventId: `${webhookId} ${index}`, messageId: 'x', mobile: null, payload: '{"id":"x"}' },
    }));
    return acceptEvents(scene.db, events);
  };
  const claim = async (webhookId: string, room = 100) => {
    const { claimed } = await claimParked(scene.db, [{ webhookId, room }], { channels: ['sms'], leaseMs: 60_000 });
    return claimed.length;
  };

  test.each([
    [1, 1],
    [4, 2],
    [20, 10],
    [1_000, 100],
  ])('of %i a second are %i at once, for all workers together', async (rateLimit, most) => {
    const { id } = await scene.makeWebhook({ rateLimit });
    await accept(id, 100);
    // Whoever asks first makes room for the count.
    expect(await claim(id)).toBe(0);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(id)));
    const taken = claims.reduce((sum, count) => sum + count, 0);
    expect(taken).toBeGreaterThanOrEqual(most);
    expect(taken).toBeLessThanOrEqual(most + Math.ceil(rateLimit / 4));
  });

  test('come back with time, never more than at once', async () => {
    const { id } = await scene.makeWebhook({ rateLimit: 20 });
    await accept(id, 100);
    await claim(id);
    expect(await claim(id)).toBeGreaterThanOrEqual(10);
    await sleep(1_500);
    expect(await claim(id)).toBe(10);
  });

  test('are spent by what was taken, not by asking', async () => {
    const { id } = await scene.makeWebhook({ rateLimit: 4 });
    await claim(id);
    for (let asked = 0; asked < 5; asked++) expect(await claim(id)).toBe(0);
    await accept(id, 10);
    expect(await claim(id)).toBe(2);
  });
});
