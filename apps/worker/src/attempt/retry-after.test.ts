import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { defaultRetrySettings } from '@ringback/callbacks';
import { listNewestDeliveries } from '@ringback/database';
import { sampleEvent } from '@ringback/samples';
import { until } from '@ringback/testing';
import { openScene, type Scene } from '../worker.fixture.js';

describe.each([
  ['heard', true, 60_000],
  ['not heard', false, 10_000],
])('a Retry-After that is %s', (_how, retryAfter, waitMs) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene('postgres', { retries: { ...defaultRetrySettings, honorRetryAfter: retryAfter } });
    scene.receiver.answerWith(() => ({ status: 429, headers: { 'Retry-After': '60' } }));
  });
  afterAll(async () => {
    await scene.close();
    expect(scene.errors).toEqual([]);
  });

  test(`makes the next attempt due in ${waitMs} ms`, async () => {
    const { id: webhookId } = await scene.makeWebhook();
    const { event, ...data } = sampleEvent('rcs-in', { accountId: scene.account.id, webhookId });
    await scene.queues.pushEvents('rcs', [{ name: event, data }]);
    await until(async () => (await listNewestDeliveries(scene.db, { webhookId, limit: 1 }))[0]?.attemptCount === 1);
    const [delivery] = await listNewestDeliveries(scene.db, { webhookId, limit: 1 });
    const { dueAt, updatedAt, state } = delivery!;
    expect(state).toBe('pending');
    expect(Math.round((dueAt!.getTime() - updatedAt.getTime()) / 1_000) * 1_000).toBe(waitMs);
  });
});
