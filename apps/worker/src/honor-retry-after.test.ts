import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { defaultRetrySettings } from '@ringback/rules';
import { listNewestDeliveries } from '@ringback/ledger';
import { until } from '@ringback/testing';
import { startTestbed, type Testbed } from './worker.fixture.js';

describe.each([
  ['honored', true, 60_000],
  ['not honored', false, 10_000],
])('a Retry-After of 60 s that is %s', (_how, honorRetryAfter, waitMs) => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await startTestbed('postgres', { retries: { ...defaultRetrySettings, honorRetryAfter } });
    testbed.receiver.answerWith(() => ({ status: 429, headers: { 'Retry-After': '60' } }));
  });
  afterAll(async () => {
    await testbed.close();
    expect(testbed.errors).toEqual([]);
  });

  test(`makes the second attempt due after ${waitMs} ms`, async () => {
    const { id: webhookId } = await testbed.makeWebhook();
    await testbed.pushSamples('rcs-in', { webhookId });
    await until(async () => (await listNewestDeliveries(testbed.db, { webhookId, limit: 1 }))[0]?.attemptCount === 1);
    const [delivery] = await listNewestDeliveries(testbed.db, { webhookId, limit: 1 });
    const { dueAt, updatedAt, state } = delivery!;
    expect(state).toBe('pending');
    expect(Math.round((dueAt!.getTime() - updatedAt.getTime()) / 1_000) * 1_000).toBe(waitMs);
  });
});
