import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { listNewestChanges, platformScopes, updateAccount } from '@ringback/ledger';
import { type Client, errorBody, makeWebhook, startApi, type TestAccount, type TestApi } from '../api.fixture.js';
import { operations } from '../operations.js';

let api: TestApi;
let platform: Client;
let account: TestAccount;
beforeAll(async () => {
  api = await startApi();
  platform = await api.makePlatform(['act']);
  account = await api.makeAccount();
});
afterAll(() => api.close());

const routes = operations.map(({ route }) => route).filter((route) => route.includes(' /developer'));
const forbidden = (message: string) => errorBody(403, 'Forbidden', message);

/** Sends a request to a route, with unknown ids. */
function call(client: Client, route: string, accountId: string) {
  const [method = '', path = ''] = route.split(' ');
  const filled = path.replace(/\{\w+\}/g, '0199f3a0-0000-7abc-8def-0123456789ab');
  const body = method === 'GET' || method === 'DELETE' ? undefined : {};
  return client[method.toLowerCase() as 'get'](filled, body).set('X-Account-Id', accountId);
}

describe.each(routes)('%s', (route) => {
  test('works for the account that a platform names, as with a token of the account', async () => {
    const own = await call(account, route, account.id).unset('X-Account-Id');
    const acting = await call(platform, route, account.id.toUpperCase());
    expect([acting.status, acting.body.message]).toEqual([own.status, own.body.message]);
    expect([401, 403]).not.toContain(acting.status);
  });

  test('needs the scope act, an account, and a platform token', async () => {
    const others = await api.makePlatform(platformScopes.filter((scope) => scope !== 'act'));
    const refused = await call(others, route, account.id);
    expect([refused.status, refused.body]).toEqual([403, forbidden('This token lacks the scope "act".')]);
    for (const id of [randomUUID(), 'x', '']) {
      const { status, body } = await call(platform, route, id);
      expect([id, status, body]).toEqual([id, 404, errorBody(404, 'NotFound', 'Account not found.')]);
    }
    expect((await call(platform, route, account.id).unset('X-Account-Id')).status).toBe(401);
    expect((await call(api.clientOf('rb_platform_unknown'), route, account.id)).status).toBe(401);
    const own = await call(account, route, account.id);
    const message = 'X-Account-Id is only for platform tokens. This token acts for its own account.';
    expect([own.status, own.body]).toEqual([403, forbidden(message)]);
  });
});

test('what a platform changes belongs to the account, and the history names the platform token', async () => {
  const { id } = await api.makeAccount();
  const post = (path: string, body: object) => platform.post(path, body).set('X-Account-Id', id);
  const { body } = await post('/developer/webhooks', { name: 'orders', uri: 'https://example.com/' }).expect(200);
  const [change] = await listNewestChanges(api.db, { accountId: id, limit: 1 });
  expect(change).toMatchObject({ action: 'webhook.created', objectId: body.data.id });
  expect(change?.actor).toMatch(/^platform_token:[0-9a-f-]{36}$/);
  await account.get(`/developer/webhooks/${body.data.id}`).expect(404);
  const foreign = await makeWebhook(account);
  await platform.get(`/developer/webhooks/${foreign.id}`).set('X-Account-Id', id).expect(404);
});

test('a platform acts for a suspended account, and is not limited per minute', async () => {
  const strict = await api.variant({ rateLimitPerMinute: 1 });
  const { id } = await api.makeAccount();
  await updateAccount(api.db, id, { status: 'suspended' });
  const get = () => strict.clientOf(platform.token).get('/developer/webhooks').set('X-Account-Id', id);
  for (let count = 0; count < 3; count++) await get().expect(200);
});

test('the token is not read from the query', async () => {
  const path = `/api/v2/developer/webhooks?access_token=${platform.token}`;
  expect((await api.raw.get(path).set('X-Account-Id', account.id)).status).toBe(401);
});
