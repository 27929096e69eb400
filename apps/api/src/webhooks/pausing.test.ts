import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { findMessageTimeline, recordAttempts } from '@ringback/ledger';
import {
  type Client,
  errorBody,
  makeWebhook,
  startApi,
  type TestAccount,
  type TestApi,
  time,
  webhookInput,
  webhookNotFoundBody,
} from '../api.fixture.js';
import { failure, pushAttempted, pushEvent } from '../deliveries/deliveries.fixture.js';

let api: TestApi;
let account: TestAccount;
let platform: Client;
beforeAll(async () => {
  api = await startApi();
  platform = await api.makePlatform();
});
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

const show = async (id: string) => (await account.get(`/developer/webhooks/${id}`).expect(200)).body.data;
const resume = (id: string) => account.post(`/developer/webhooks/${id}/resume`);
/** Pauses a webhook as a worker does after a 410. */
async function pause(webhookId: string): Promise<void> {
  await pushAttempted(api.db, { webhookId, messageId: `of ${webhookId}` }, failure);
  await api.db.pool.query(
    `UPDATE webhooks SET paused_at = clock_timestamp(), pause_reason = 'gone', failing_since = clock_timestamp()
      WHERE id = $1`,
    [webhookId],
  );
}

describe('a paused webhook', () => {
  test('shows its pause and the reason until it is resumed; other webhooks do not change', async () => {
    const [other, webhook] = [await makeWebhook(account), await makeWebhook(account)];
    await pause(webhook.id);
    const paused = { since: time, reason: 'gone' };
    expect(await show(webhook.id)).toEqual({ ...webhook, status: 1, paused });
    expect((await account.get('/developer/webhooks')).body.data).toEqual([{ ...webhook, paused }, other]);
    const { body } = await resume(webhook.id).expect(200);
    const data = { ...webhook, updated_at: time };
    expect(body).toEqual({ status: 'OK', code: 200, message: 'Resumed successfully', data });
    expect(await show(webhook.id)).toEqual({ ...data, status: 1 });
  });

  test('stays paused when it is edited', async () => {
    const { id } = await makeWebhook(account);
    await pause(id);
    const { body } = await account.put(`/developer/webhooks/${id}`, webhookInput({ status: 1 })).expect(200);
    expect(body.data.paused).toEqual({ since: time, reason: 'gone' });
  });

  test('is no longer paused after deletion and restoration', async () => {
    const { id } = await makeWebhook(account);
    await pause(id);
    await account.delete(`/developer/webhooks/${id}`).expect(200);
    const { body } = await account.post(`/developer/webhooks/${id}/restore`).expect(200);
    expect(body.data.paused).toBeUndefined();
  });

  test('keeps new deliveries waiting, without a next attempt', async () => {
    const webhook = await makeWebhook(account);
    await pause(webhook.id);
    await pushEvent(api.db, { webhookId: webhook.id, messageId: 'waits' });
    const { body } = await account.get('/developer/deliveries?filter[status]=pending').expect(200);
    expect(body.data).toMatchObject([{ message_id: 'waits', due_at: null, paused: true }]);
    const timeline = await findMessageTimeline(api.db, account.id, 'waits');
    expect(timeline?.deliveries).toMatchObject([{ isPaused: true, dueAt: null }]);
  });
});

describe('resuming', () => {
  test('a webhook that is not paused changes nothing', async () => {
    const webhook = await makeWebhook(account);
    const { body } = await resume(webhook.id).expect(200);
    expect(body).toEqual({ status: 'OK', code: 200, message: 'Resumed successfully', data: webhook });
  });

  test('a foreign, deleted or unknown webhook is a 404', async () => {
    const [foreign, deleted] = [await makeWebhook(await api.makeAccount()), await makeWebhook(account)];
    await account.delete(`/developer/webhooks/${deleted.id}`).expect(200);
    for (const id of [foreign.id, deleted.id, account.id, 'x']) {
      expect((await resume(id).expect(404)).body).toEqual(webhookNotFoundBody);
    }
  });

  test('supports POST only', async () => {
    const { headers } = await account.get(`/developer/webhooks/${account.id}/resume`).expect(405);
    expect(headers.allow).toBe('POST');
  });
});

describe('recording many attempts at once', () => {
  const pausing = { failingAfterDays: 1, pauseOnGone: true };
  const fail = async (webhookId: string, statusCode: number) => {
    const deliveryId = await pushEvent(api.db, { webhookId, messageId: crypto.randomUUID() });
    const event = 'sms:message:status' as const;
    const attempt = { ...failure, deliveryId, event, number: 1, startedAt: new Date(), durationMs: 1, url: 'x' };
    const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, remoteAddress: null };
    const kept = {
      requestHeaders: {},
      requestBody: null,
      warnings: [],
      kind: 'scheduled' as const,
      waitMs: null,
      endedAtMonotonicMs: performance.now(),
    };
    return { ...attempt, ...timings, ...kept, outcome: 'response', statusCode, errorCode: null, advice: null };
  };

  test('of the same webhooks in any order pauses each webhook once, without a deadlock', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, async () => (await makeWebhook(account)).id));
    const batches = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        Promise.all((index % 2 ? ids : ids.toReversed()).map((id) => fail(id, 410))),
      ),
    );
    const recorded = await Promise.all(batches.map((batch) => recordAttempts(api.db, batch, pausing)));
    expect(recorded.map(({ size }) => size)).toEqual(Array(12).fill(6));
    for (const id of ids) expect((await show(id)).paused).toEqual({ since: time, reason: 'gone' });
  });

  test('records the first failure of a webhook, and pauses the webhook when this failure is long ago', async () => {
    const { id } = await makeWebhook(account);
    await recordAttempts(api.db, [await fail(id, 500)], pausing);
    expect((await show(id)).paused).toBeUndefined();
    await api.db.pool.query(`UPDATE webhooks SET failing_since = failing_since - interval '25 hours' WHERE id = $1`, [
      id,
    ]);
    await recordAttempts(api.db, [await fail(id, 500)], { ...pausing, failingAfterDays: 2 });
    expect((await show(id)).paused).toBeUndefined();
    await recordAttempts(api.db, [await fail(id, 500)], pausing);
    expect((await show(id)).paused).toEqual({ since: time, reason: 'failing' });
  });

  test('records nothing when pausing is off', async () => {
    const { id } = await makeWebhook(account);
    await recordAttempts(api.db, [await fail(id, 410)]);
    await recordAttempts(api.db, [await fail(id, 500)], { failingAfterDays: 0, pauseOnGone: true });
    const { rows } = await api.db.pool.query('SELECT failing_since, paused_at FROM webhooks WHERE id = $1', [id]);
    expect(rows).toEqual([{ failing_since: null, paused_at: null }]);
  });
});

describe('the event webhook:paused', () => {
  test('can be subscribed to, previewed and listed', async () => {
    const { id } = await makeWebhook(account);
    const wanted = { event: 'webhook:paused', webhook_id: id };
    expect((await account.post('/developer/subscriptions', wanted).expect(200)).body.data).toMatchObject(wanted);
    const payload = { text: '{{payload.name}} is paused: {{payload.reason}}' };
    const preview = { event: 'webhook:paused', payload, sample: { name: 'orders', reason: 'gone' } };
    const { body } = await account.post('/developer/webhooks/preview', preview).expect(200);
    expect(body.data).toMatchObject({ body: '{"text":"orders is paused: gone"}', warnings: [] });
    const { body: catalogue } = await account.get('/developer/events').expect(200);
    const [kind] = catalogue.data.filter(({ event }: { event: string }) => event === 'webhook:paused');
    expect(kind).toMatchObject({ channel: 'sms', sample: { event: 'webhook:paused', payload: { reason: 'failing' } } });
  });

  test('cannot be pushed by platforms', async () => {
    const sent = { event: 'webhook:paused', account_id: account.id, payload: { id: 'x' } };
    const { body } = await platform.post('/events', sent).expect(422);
    const message = 'event must be one of sms:message:status, rcs:message:status, rcs:message:in';
    expect(body).toEqual(errorBody(422, 'ValidationError', message, { event: [message] }));
  });
});
