import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  makeWebhook,
  queuesWith,
  startApi,
  type TestAccount,
  type TestApi,
  webhookNotFoundBody,
} from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => void (api = await startApi({ callbackTimeoutMs: 1 })));
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

const event = 'sms:message:status';

describe('a test call', () => {
  test('that no worker claims in time gets a 503, and is deleted', async () => {
    const { id } = await makeWebhook(account);
    const { status, body } = await account.post(`/developer/webhooks/${id}/test`, { event });
    const message = 'No worker started the test call in time. Nothing was sent. Try again later.';
    expect([status, body]).toEqual([503, { status: 'ServiceUnavailable', code: 503, message }]);
    expect(await (await api.db.prisma()).testCall.count()).toBe(0);
  });

  test('that cannot be queued gets a 503, and does not count towards the limit', async () => {
    const { id } = await makeWebhook(account);
    const enqueueTestCall = () => Promise.reject(new Error('Connection is closed.'));
    const away = await api.variant({ queues: queuesWith(api.queues, { enqueueTestCall }) });
    const client = away.clientOf(account.token);
    for (let call = 0; call < 6; call++) await client.post(`/developer/webhooks/${id}/test`, { event }).expect(503);
    expect(await (await api.db.prisma()).testCall.count()).toBe(0);
  });

  test('is one of at most four concurrent test calls of the account in all processes; others get a 429', async () => {
    const { id } = await makeWebhook(account);
    const other = await api.variant({});
    const clients = [account, other.clientOf(account.token)];
    const calls = [0, 1, 0, 1, 0, 1].map((index) => clients[index]?.post(`/developer/webhooks/${id}/test`, { event }));
    const answers = await Promise.all(calls);
    expect(answers.map((answer) => answer?.status).sort()).toEqual([429, 429, 503, 503, 503, 503]);
    const refused = answers.find((answer) => answer?.status === 429);
    const message = 'The account has 4 test calls under way. Try again later.';
    expect(refused?.body).toEqual({ status: 'TooManyRequests', code: 429, message });
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    await account.post(`/developer/webhooks/${id}/test`, { event }).expect(503);
  });

  test.each([
    [{}, { event: ['The event field is required.'] }],
    [{ event: 'sms' }, { event: ['The selected event is invalid.'] }],
    [{ event, payload: 7 }, { payload: ['payload must be an object, or the JSON text of one'] }],
    [{ event, payload: {} }, { 'payload.id': ['payload.id is required'] }],
  ])('with %j is refused', async (input, errors) => {
    const { id } = await makeWebhook(account);
    const { body } = await account.post(`/developer/webhooks/${id}/test`, input).expect(422);
    expect(body.errors).toEqual(errors);
  });

  test('of a webhook of another account is not found', async () => {
    const { id } = await makeWebhook(await api.makeAccount());
    const { body } = await account.post(`/developer/webhooks/${id}/test`, { event }).expect(404);
    expect(body).toEqual(webhookNotFoundBody);
  });
});
