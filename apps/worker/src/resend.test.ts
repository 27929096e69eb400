import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { defaultRetrySettings, type SampleKind } from '@ringback/rules';
import { softDeleteWebhook, updateWebhook, listNewestDeliveries, scheduleNow, startReplay } from '@ringback/ledger';
import { backends, until } from '@ringback/testing';
import { startTestbed, type Testbed } from './worker.fixture.js';

describe.each(backends)('resends and replays on $name', ({ name }) => {
  let testbed: Testbed;
  let status = 500;
  beforeAll(async () => {
    // SMS retries come after 10 s, RCS retries after 1 ms and 10 ms.
    const retries = { ...defaultRetrySettings, smsRetryIntervalSeconds: 100_000, timeScale: 0.0001 };
    testbed = await startTestbed(name, { retries });
    testbed.receiver.answerWith(() => ({ status }));
  });
  afterAll(async () => {
    await testbed.close();
    expect(testbed.errors).toEqual([]);
  });

  const push = (webhookId: string, kind: SampleKind = 'rcs-in') => testbed.pushSamples(kind, { webhookId });
  const delivery = async (webhookId: string) => (await listNewestDeliveries(testbed.db, { webhookId, limit: 1 }))[0]!;
  const resend = async (webhookId: string) => scheduleNow(testbed, testbed.account.id, await delivery(webhookId));
  const waitForAttempts = (webhookId: string, count: number) =>
    until(async () => (await delivery(webhookId))?.attemptCount === count);
  const callsOf = (id: string) => testbed.receiver.calls.filter(({ headers }) => headers['x-ringback-delivery'] === id);

  test('a resent failed delivery gets one attempt with the current webhook, and attempt numbers continue', async () => {
    status = 500;
    const webhook = await testbed.makeWebhook({ secret: 'old' });
    await push(webhook.id);
    await testbed.waitForDelivery({ webhookId: webhook.id }, 'failed');
    await updateWebhook(testbed.db, testbed.account.id, webhook.id, { secret: 'new' });
    await resend(webhook.id);
    await waitForAttempts(webhook.id, 4);
    const failed = await delivery(webhook.id);
    expect([failed.state, failed.dueAt]).toEqual(['failed', null]);
    expect(failed.attempts.map(({ kind }) => kind)).toEqual(['scheduled', 'scheduled', 'scheduled', 'resend']);

    status = 200;
    await resend(webhook.id);
    await testbed.waitForDelivery({ webhookId: webhook.id }, 'delivered');
    const calls = callsOf(failed.id);
    expect(calls.map(({ headers }) => headers['x-ringback-attempt'])).toEqual(['1', '2', '3', '4', '5']);
    expect(calls.at(-1)!.headers.authorization).toBe('Bearer new');

    status = 500;
    await resend(webhook.id);
    await waitForAttempts(webhook.id, 6);
    expect((await delivery(webhook.id)).state).toBe('delivered');
  });

  test('a resent pending delivery is attempted now, and keeps its schedule', async () => {
    status = 500;
    const webhook = await testbed.makeWebhook();
    await push(webhook.id, 'sms');
    for (const count of [1, 2, 3]) {
      await waitForAttempts(webhook.id, count);
      await resend(webhook.id);
    }
    const failed = await testbed.waitForDelivery({ webhookId: webhook.id }, 'failed');
    expect(failed.attempts.map(({ kind }) => kind)).toEqual(Array(4).fill('scheduled'));
    expect(callsOf(failed.id)).toHaveLength(4);
  });

  test('a resent delivery stays delivered when its webhook is deleted before the attempt', async () => {
    status = 200;
    const webhook = await testbed.makeWebhook();
    await push(webhook.id);
    const { id } = await testbed.waitForDelivery({ webhookId: webhook.id }, 'delivered');
    // Due later, so that the webhook is already deleted when a worker claims the delivery.
    const resentState = `state = 'pending', resent_from = state, due_at = clock_timestamp() + interval '1 hour'`;
    await testbed.db.pool.query(`UPDATE deliveries SET ${resentState} WHERE id = $1`, [id]);
    await softDeleteWebhook(testbed.db, testbed.account.id, webhook.id);
    await testbed.db.pool.query(`UPDATE deliveries SET due_at = clock_timestamp() WHERE id = $1`, [id]);
    expect(await resend(webhook.id)).toBe('deleted');
    await until(async () => (await delivery(webhook.id)).reason === 'webhook deleted');
    expect(await delivery(webhook.id)).toMatchObject({ id, state: 'delivered', attemptCount: 1 });
  });

  test('a replay resends failed deliveries of its webhook only', async () => {
    status = 500;
    const [webhook, other] = [await testbed.makeWebhook(), await testbed.makeWebhook()];
    for (const { id } of [webhook, webhook, webhook, other]) await push(id);
    const isFailed = async (id: string, count: number) =>
      (await listNewestDeliveries(testbed.db, { webhookId: id, state: 'failed', limit: 10 })).length === count;
    await until(() => isFailed(webhook.id, 3));
    await until(() => isFailed(other.id, 1));
    status = 200;
    const filter = { states: ['failed' as const], webhookId: webhook.id };
    await startReplay(testbed.db, testbed.account.id, { webhookId: webhook.id, filter, rate: 100 });
    await until(async () => {
      const deliveries = await listNewestDeliveries(testbed.db, {
        webhookId: webhook.id,
        state: 'delivered',
        limit: 10,
      });
      return deliveries.length === 3 && deliveries.every(({ attempts }) => attempts.at(-1)?.kind === 'resend');
    });
    expect((await delivery(other.id)).attemptCount).toBe(3);
  });
});
