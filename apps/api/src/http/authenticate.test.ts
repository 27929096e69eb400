import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAccessToken, createAccount, type Scope, scopes } from '@ringback/ledger';
import { type Client, errorBody, makeWebhook, startApi, type TestAccount, type TestApi } from '../api.fixture.js';
import { createApp } from '../app.js';
import { routesOf } from '../openapi/routes.fixture.js';
import { operations } from '../operations.js';

let api: TestApi;
let account: TestAccount;
let webhookId: string;
beforeAll(async () => {
  api = await startApi();
  account = await api.makeAccount();
  webhookId = (await makeWebhook(account)).id;
});
afterAll(() => api.close());

const tokenWith = async (...granted: Scope[]): Promise<Client> =>
  api.clientOf((await createAccessToken(api.db, account.id, granted))!.token);
const tokenWithout = (scope: Scope) => tokenWith(...scopes.filter((other) => other !== scope));
const refusal = (scope: Scope) => errorBody(403, 'Forbidden', `This token lacks the scope "${scope}".`);

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
const methodOf = (text: string): Method =>
  (['get', 'post', 'put', 'patch', 'delete'] as const).find((method) => method === text.toLowerCase()) ?? 'get';

/** Sends a request to a mounted route, with unknown ids. */
function call(client: Client, route: string) {
  const [method = '', path = ''] = route.split(' ');
  const filled = path.replace(/\{\w+\}/g, '0199f3a0-0000-7abc-8def-0123456789ab');
  const verb = methodOf(method);
  return client[verb](filled, verb === 'post' || verb === 'put' || verb === 'patch' ? {} : undefined);
}

describe('every mounted route', () => {
  test('refuses a token without the scope for any id, and accepts a token with that scope alone', async () => {
    const routes = routesOf(createApp(api.deps)).filter((route) => route.split(' ')[1]?.startsWith('/developer'));
    expect(routes.length).toBeGreaterThan(20);
    const accepted: string[] = [];
    for (const route of routes) {
      const { scope, callerKind } = operations.find((operation) => operation.route === route)!;
      if (callerKind !== undefined && callerKind !== 'account') throw new Error(`${route} has no scope`);
      const refused = await call(await tokenWithout(scope), route);
      expect([route, refused.status, refused.body]).toEqual([route, 403, refusal(scope)]);
      expect(refused.headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
      if ((await call(await tokenWith(scope), route)).status !== 403) accepted.push(route);
    }
    expect(accepted).toEqual(routes);
  });

  test('requires read for reading, write for changing, and replay for sending again', () => {
    const exceptions = operations.filter(
      ({ route, scope, callerKind }) =>
        callerKind !== 'platform' && scope !== undefined && (scope === 'read') !== /^GET/.test(route),
    );
    expect(exceptions.map(({ route, scope }) => [route, scope])).toEqual([
      // Shows a secret.
      ['GET /developer/webhooks/{id}/signing-secret', 'write'],
      // Saves and sends nothing.
      ['POST /developer/webhooks/preview', 'read'],
    ]);
    expect(operations.filter(({ scope }) => scope === 'replay').map(({ id }) => id)).toEqual([
      'resendDelivery',
      'startReplay',
      'cancelReplay',
    ]);
  });
});

describe('a token without the scope', () => {
  test('gets a refusal that does not reveal whether an id exists or a body is valid', async () => {
    const reader = await tokenWith('read');
    for (const id of [webhookId, '0199f3a0-0000-7abc-8def-0123456789ab', 'nonsense']) {
      expect((await reader.put(`/developer/webhooks/${id}`, { name: '' })).body).toEqual(refusal('write'));
      expect((await reader.delete(`/developer/webhooks/${id}`)).body).toEqual(refusal('write'));
      expect((await reader.post(`/developer/deliveries/${id}/resend`)).body).toEqual(refusal('replay'));
    }
    expect((await account.get(`/developer/webhooks/${webhookId}`)).status).toBe(200);
  });

  test.each(['/DEVELOPER/Webhooks/', '/developer/webhooks?page=1', '/developer/webhooks/?'])(
    'is refused at %s, too',
    async (path) => {
      const writer = await tokenWithout('read');
      expect((await writer.get(path)).body).toEqual(refusal('read'));
      expect((await writer.head(path)).status).toBe(403);
      const { status } = await api.raw.get(`/api/v2${path}`).query({ access_token: writer.token });
      expect(status).toBe(403);
    },
  );

  test('is refused for the method in `_method`', async () => {
    const replayer = await tokenWith('replay');
    const path = `/developer/webhooks/${webhookId}`;
    expect((await replayer.post(`${path}?_method=DELETE`)).body).toEqual(refusal('write'));
    expect((await replayer.post(path, { _method: 'put' })).body).toEqual(refusal('write'));
    // This path has no POST operation.
    expect((await replayer.post(path, {})).status).toBe(405);
  });

  test('gets 401, 404, 405, 415 and 429 like any token', async () => {
    const replayer = await tokenWith('replay');
    expect((await api.clientOf('rb_access_unknown').get('/developer/webhooks')).status).toBe(401);
    expect((await replayer.get('/developer/nothing')).status).toBe(404);
    const patched = await replayer.patch('/developer/webhooks', {});
    expect([patched.status, patched.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
    expect((await replayer.options('/developer/webhooks')).status).toBe(204);
    expect((await replayer.post('/developer/webhooks', 'x').set('Content-Type', 'text/plain')).status).toBe(415);
    const strict = await api.variant({ rateLimitPerMinute: 1 });
    const { token } = await tokenWith('replay');
    const first = await strict.clientOf(token).get('/developer/webhooks');
    expect([first.status, first.headers['x-ratelimit-remaining']]).toEqual([403, '0']);
    expect((await strict.clientOf(token).get('/developer/webhooks')).status).toBe(429);
  });
});

describe('scopes of a token', () => {
  test('are all scopes by default, also for tokens that are older than scopes', async () => {
    const { accessToken, id } = await createAccount(api.db, { name: 'old' });
    await api.db.pool.query(
      `INSERT INTO access_tokens (account_id, hash) VALUES ($1, encode(sha256('rb_access_old'), 'hex'))`,
      [id],
    );
    for (const token of [accessToken, 'rb_access_old']) {
      const client = api.clientOf(token);
      const webhook = await makeWebhook(client);
      expect((await client.get(`/developer/webhooks/${webhook.id}`)).status).toBe(200);
      expect((await client.post(`/developer/webhooks/${webhook.id}/replay`, { dry_run: true })).status).toBe(200);
    }
  });

  test('are in the OpenAPI document, with the 403', async () => {
    const { body } = await api.raw.get('/api/v2/openapi.json');
    const { security, responses, description } = body.paths['/developer/webhooks/{id}/replay'].post;
    expect(security).toEqual([
      { account: ['replay'] },
      { accountInQuery: ['replay'] },
      { platform: ['act'], actingFor: [] },
    ]);
    expect(responses['403']).toEqual({ $ref: '#/components/responses/Forbidden' });
    expect(body.paths['/events'].post.security).toEqual([{ platform: ['events'] }]);
    expect(description).toMatch(/Scope: `replay`\.$/);
  });
});
