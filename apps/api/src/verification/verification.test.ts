import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  errorBody,
  makeWebhook,
  startApi,
  type TestAccount,
  type TestApi,
  time,
  uuid,
  webhookInput,
} from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

const verification = (webhookId: string) => ({
  id: uuid,
  webhook_id: webhookId,
  status: 'pending',
  attempts: 0,
  reason: null,
  next_attempt_at: time,
  created_at: time,
  updated_at: time,
});
const pathOf = (id: string) => `/developer/webhooks/${id}/verification`;
const newest = async (id: string) => (await account.get(pathOf(id)).expect(200)).body.data;
const queued = async () =>
  Object.values((await api.queues.countJobsByQueue()).verifications ?? {}).reduce((sum, n) => sum + n, 0);

describe('the verification of a webhook', () => {
  test('created with a token is pending, and queued for the worker', async () => {
    const before = await queued();
    const { id } = await makeWebhook(account, { token: 'verify-me' });
    const { status, body } = await account.get(pathOf(id));
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'OK', code: 200, message: 'OK', data: verification(id) });
    expect(await queued()).toBe(before + 1);
  });

  test.each([[undefined], [null], ['']])('does not exist for a webhook created with token %j', async (token) => {
    const { id } = await makeWebhook(account, { token });
    const { status, body } = await account.get(pathOf(id));
    expect(status).toBe(404);
    expect(body).toEqual(errorBody(404, 'NotFound', 'Verification not found.'));
  });

  test('can be run again', async () => {
    const { id } = await makeWebhook(account, { token: 'verify-me' });
    const first = await newest(id);
    const before = await queued();
    const { status, body } = await account.post(pathOf(id));
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'OK', code: 200, message: 'Verification started', data: verification(id) });
    expect(body.data.id).not.toBe(first.id);
    expect(await newest(id)).toEqual(body.data);
    expect(await queued()).toBe(before + 1);
  });

  test('of a webhook without a token cannot be run', async () => {
    const { id } = await makeWebhook(account);
    const { status, body } = await account.post(pathOf(id));
    expect(status).toBe(422);
    const message = 'The webhook was created without a token, so it cannot be verified.';
    expect(body).toEqual(errorBody(422, 'ValidationError', message, { token: [message] }));
  });

  test('runs again after an edit that changes the uri, and not after an edit of name and status', async () => {
    const { id } = await makeWebhook(account, { token: 'verify-me' });
    const first = await newest(id);
    await account.put(`/developer/webhooks/${id}`, webhookInput({ name: 'renamed', status: 0 })).expect(200);
    expect(await newest(id)).toEqual(first);
    await account.put(`/developer/webhooks/${id}`, webhookInput({ uri: 'https://example.com/other' })).expect(200);
    expect((await newest(id)).id).not.toBe(first.id);
  });

  test('does not start at an edit of a webhook without a token, even if the edit has a token', async () => {
    const { id } = await makeWebhook(account);
    const edit = webhookInput({ uri: 'https://example.com/other', token: 'late' });
    await account.put(`/developer/webhooks/${id}`, edit).expect(200);
    await account.get(pathOf(id)).expect(404);
  });

  test.each([
    ['passed', null, null],
    ['failed', 'the receiver answered 500', 'Look into its log.'],
  ] as const)('that has %s shows it', async (state, reason, advice) => {
    const { id } = await makeWebhook(account, { token: 'verify-me' });
    await (
      await api.db.prisma()
    ).verification.updateMany({
      where: { webhookId: id },
      data: { state, reason, advice, attemptCount: 2, nextAttemptAt: null },
    });
    const shown = { ...verification(id), status: state, attempts: 2, reason, next_attempt_at: null };
    const withAdvice = advice === null ? shown : { ...shown, advice };
    expect(await newest(id)).toEqual(withAdvice);
  });
});
