import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { defaultRetrySettings } from '@ringback/rules';
import { findEvent, listNewestDeliveries, scheduleNow, updateAccount, wakeAccount } from '@ringback/ledger';
import { backends, until } from '@ringback/testing';
import { startTestbed, type Testbed } from './worker.fixture.js';

describe.each(backends)('a suspended account on $name', ({ name }) => {
  let testbed: Testbed;
  let status = 500;
  beforeAll(async () => {
    // Retries come after 10 s.
    const retries = { ...defaultRetrySettings, smsRetryIntervalSeconds: 100_000, timeScale: 0.0001 };
    testbed = await startTestbed(name, { retries });
    testbed.receiver.answerWith(() => ({ status }));
  });
  afterAll(async () => {
    await testbed.close();
    expect(testbed.errors).toEqual([]);
  });

  const push = (webhookId: string) => testbed.pushSamples('sms', { webhookId });
  const newest = async (webhookId: string) => (await listNewestDeliveries(testbed.db, { webhookId, limit: 1 }))[0]!;

  test('has deliveries that wait without attempts, and go on when it is active again', async () => {
    const { id: webhookId } = await testbed.makeWebhook();
    await push(webhookId);
    await until(async () => (await newest(webhookId))?.attemptCount === 1);
    await updateAccount(testbed.db, testbed.account.id, { status: 'suspended' });
    await scheduleNow(testbed, testbed.account.id, await newest(webhookId));
    // The worker has stored this event, which is rejected, after it was woken for the delivery.
    await push(webhookId);
    const rejected = async () =>
      (await (await testbed.db.prisma()).event.findFirst({ where: { state: 'rejected', webhookId } })) ?? undefined;
    const event = await until(rejected);
    expect(event.reason).toBe('This account is suspended.');
    expect(await findEvent(testbed.db, event.id)).toMatchObject({ accountId: testbed.account.id });
    expect(await newest(webhookId)).toMatchObject({ state: 'pending', attemptCount: 1, leasedAt: null });

    status = 200;
    const updated = await updateAccount(testbed.db, testbed.account.id, { status: 'active' });
    expect(updated?.isActivated).toBe(true);
    await wakeAccount(testbed.db, testbed.waker, testbed.account.id);
    expect(await testbed.waitForDelivery({ webhookId }, 'delivered')).toMatchObject({ attemptCount: 2 });
  });
});
