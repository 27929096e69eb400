import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createPlatformToken, listNewestChanges, platformScopes, setOtherInstallation } from '@ringback/ledger';
import { type Client, errorBody, makeWebhook, startApi, type TestApi, time, uuid } from '../api.fixture.js';
import { operations } from '../operations.js';

let api: TestApi;
let platform: Client;
beforeAll(async () => {
  api = await startApi();
  platform = await api.makePlatform();
});
afterAll(() => api.close());

const root = '/platform/accounts';
const notFound = errorBody(404, 'NotFound', 'Account not found.');
let externalId: string;
beforeEach(() => void (externalId = randomUUID()));

async function makeAccount(fields: object = {}): Promise<Record<string, string> & { id: string }> {
  const { body } = await platform.post(root, { name: 'acme', ...fields }).expect(200);
  return body.data;
}

/** An access token that the platform makes for the account. */
async function tokenOf(id: string): Promise<Client> {
  const { body } = await platform.post(`${root}/${id}/tokens`, {}).expect(200);
  return api.clientOf(body.data.token);
}

/** Pushes an event, and returns it as it is stored. */
async function push(accountId: string, fields: object = {}) {
  const event = { event: 'sms:message:status', account_id: accountId, payload: { id: randomUUID() }, ...fields };
  const { body } = await platform.post('/events', event).expect(202);
  return (await api.db.prisma()).event.findFirst({ where: { id: body.data[0].id } });
}

const pendingCount = async (accountId: string) =>
  (await api.db.prisma()).delivery.count({ where: { accountId, state: 'pending' } });

/** An account with a webhook that gets all status reports, and one pending delivery. */
async function makeBusyAccount() {
  const account = await makeAccount({ external_id: externalId });
  const client = await tokenOf(account.id);
  const webhook = await makeWebhook(client);
  await client.post('/developer/subscriptions', { event: 'sms:message:status', webhook_id: webhook.id }).expect(200);
  expect(await push(account.id)).toMatchObject({ state: 'routed' });
  return { id: account.id, client, webhook };
}

describe('an endpoint of accounts', () => {
  const routes = operations.filter(({ route }) => route.includes(root));

  test.each(routes.map(({ route }) => route))('%s needs a platform token with the scope accounts', async (route) => {
    const [method = '', path = ''] = route.split(' ');
    const filled = path.replace(/\{\w+\}/g, randomUUID());
    const call = (client: Client) => client[method.toLowerCase() as 'get'](filled, method === 'GET' ? undefined : {});
    const account = await api.makeAccount();
    for (const client of [api.clientOf('rb_platform_unknown'), account]) expect((await call(client)).status).toBe(401);
    const other = platformScopes.filter((scope) => scope !== 'accounts');
    const refused = await call(await api.makePlatform(other));
    const message = 'This token lacks the scope "accounts".';
    expect([refused.status, refused.body]).toEqual([403, errorBody(403, 'Forbidden', message)]);
    expect(refused.headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="accounts"');
    expect([401, 403]).not.toContain((await call(await api.makePlatform(['accounts']))).status);
  });

  const ofOne = routes.map(({ route }) => route).filter((route) => route.includes('{id}'));
  test.each(ofOne)('%s finds neither an unknown id nor a malformed one', async (route) => {
    const [method = '', path = ''] = route.split(' ');
    const ids = method === 'PUT' ? ['x', "'"] : [randomUUID(), 'x', "'"];
    for (const id of ids) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : { name: 'x' };
      const answer = await platform[method.toLowerCase() as 'get'](
        path.replace('{id}', id).replace('{token_id}', randomUUID()),
        body,
      );
      expect([id, answer.status, answer.body]).toEqual([id, 404, notFound]);
    }
  });
});

test('the scopes of a platform token are events and portal, unless others are given', async () => {
  const standard = api.clientOf((await createPlatformToken(api.db, { name: 'standard' })).token);
  const { id } = await makeAccount();
  const event = { event: 'sms:message:status', account_id: id, payload: { id: 'x' } };
  await standard.post('/events', event).expect(202);
  await standard.post('/portal-sessions', { account_id: id }).expect(200);
  await standard.get(root).expect(403);
  const manager = await api.makePlatform(['accounts']);
  const lacks = (scope: string) => errorBody(403, 'Forbidden', `This token lacks the scope "${scope}".`);
  expect((await manager.post('/events', event)).body).toEqual(lacks('events'));
  expect((await manager.post('/portal-sessions', { account_id: id })).body).toEqual(lacks('portal'));
  expect((await manager.delete(`/portal-sessions/${randomUUID()}`)).body).toEqual(lacks('portal'));
});

describe('an account', () => {
  test('is created with a callback token, which no other response shows', async () => {
    const { body } = await platform.post(root, { name: ' acme ', external_id: externalId }).expect(200);
    const { callback_token, ...account } = body.data;
    expect(body).toMatchObject({ status: 'OK', code: 200, message: 'Account created' });
    const times = { created_at: time, updated_at: time };
    expect(account).toEqual({ id: uuid, name: 'acme', external_id: externalId, status: 'active', ...times });
    expect(callback_token).toMatch(/^rb_callback_/);
    const shown = await platform.get(`${root}/${account.id}`).expect(200);
    expect(shown.body).toMatchObject({ message: 'OK', data: account });
    expect(shown.body.data).toEqual(account);
    expect((await platform.get(`${root}/${account.id}/tokens`)).body.data).toEqual([]);
  });

  test('is created with the id in the path, once, and changed after that', async () => {
    const id = randomUUID();
    const put = (name: string) => platform.put(`${root}/${id.toUpperCase()}`, { name }).expect(200);
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(put));
    const messages = answers.map(({ body }) => body.message).sort();
    expect(messages).toEqual(['Account created', 'Account updated', 'Account updated', 'Account updated']);
    expect(answers.filter(({ body }) => 'callback_token' in body.data)).toHaveLength(1);
    expect(answers.map(({ body }) => body.data.id)).toEqual([id, id, id, id]);
  });

  test('keeps the fields that a change leaves out, and the history names the platform', async () => {
    const { id } = await makeAccount({ external_id: externalId });
    const patched = await platform.patch(`${root}/${id}`, { name: 'Acme Ltd' }).expect(200);
    expect(patched.body).toMatchObject({
      message: 'Account updated',
      data: { name: 'Acme Ltd', external_id: externalId },
    });
    await platform.put(`${root}/${id}`, { name: 'Acme Ltd', external_id: '' }).expect(200);
    await platform.patch(`${root}/${id}`, {}).expect(200);
    expect((await platform.get(`${root}/${id}`)).body.data.external_id).toBeNull();
    const changes = await listNewestChanges(api.db, { accountId: id, limit: 10 });
    expect(changes.map(({ action, changed }) => [action, changed])).toEqual([
      ['account.updated', [{ field: 'external_id', before: externalId, after: null }]],
      ['account.updated', [{ field: 'name', before: 'acme', after: 'Acme Ltd' }]],
      ['account.created', expect.anything()],
    ]);
    expect(changes[0]?.actor).toMatch(/^platform_token:[0-9a-f-]{36}$/);
  });

  test('cannot have the external id of another one', async () => {
    await makeAccount({ external_id: externalId });
    const { id } = await makeAccount();
    const message = 'The external_id has already been taken.';
    const taken = errorBody(422, 'ValidationError', message, { external_id: [message] });
    for (const answer of [
      await platform.post(root, { name: 'b', external_id: externalId }),
      await platform.put(`${root}/${randomUUID()}`, { name: 'b', external_id: externalId }),
      await platform.patch(`${root}/${id}`, { external_id: externalId }),
    ]) {
      expect([answer.status, answer.body]).toEqual([422, taken]);
    }
  });

  test.each([
    [{}, { name: ['The name field is required.'] }],
    [{ name: 'a', status: 'paused' }, { status: ['The status field must be one of active, suspended.'] }],
    [{ name: 'a', external_id: 7 }, { external_id: ['The external_id field must be a string.'] }],
    [
      { name: 'a', tokens: 1 },
      { tokens: ['The tokens field is not supported. Supported: name, external_id, status, theme.'] },
    ],
    [
      { name: 'a', theme: { accent: 'red' } },
      { 'theme.accent': ['The theme.accent field must be a colour such as #1a2b3c.'] },
    ],
  ])('%j is a 422', async (body, errors) => {
    const answer = await platform.post(root, body).expect(422);
    expect(answer.body.errors).toEqual(errors);
  });

  test('has a theme, which its sessions show unless theirs says otherwise, over that of the operator', async () => {
    const operatorTheme = { name: 'Operator', accent: '#111111', font: 'Georgia' };
    const theme = { name: 'Acme', accent: '#0a7cff' };
    const themed = await api.variant({ theme: operatorTheme });
    const openedTheme = async (accountId: string, session: object = {}) => {
      const client = themed.clientOf(platform.token);
      const { body } = await client.post('/portal-sessions', { account_id: accountId, ...session }).expect(200);
      const link = new URL(body.data.url).hash.replace('#session=', '');
      return (await client.post('/portal-sessions/exchange', { session: link }).expect(200)).body.data.theme;
    };
    const { id, ...created } = await makeAccount({ theme });
    expect(created.theme).toEqual(theme);
    expect(await openedTheme(id)).toEqual({ ...theme, font: 'Georgia' });
    expect(await openedTheme(id, { theme: { accent: '#222222' } })).toEqual({
      ...{ name: 'Acme', accent: '#222222', font: 'Georgia' },
    });
    await platform.put(`${root}/${id}`, { name: 'acme' }).expect(200);
    expect((await platform.get(`${root}/${id}`)).body.data.theme).toEqual(theme);
    await platform.patch(`${root}/${id}`, { theme: { text: '#333333' } }).expect(200);
    const { body: listed } = await platform.get(root);
    expect(listed.data.find((account: { id: string }) => account.id === id).theme).toEqual({ text: '#333333' });
    const cleared = await platform.patch(`${root}/${id}`, { theme: null }).expect(200);
    expect(cleared.body.data).not.toHaveProperty('theme');
    expect(await openedTheme(id)).toEqual(operatorTheme);
    await platform.patch(`${root}/${id}`, { theme: null }).expect(200);
    const changes = await listNewestChanges(api.db, { accountId: id, limit: 10 });
    const ofAccount = changes.filter(({ objectType }) => objectType === 'account');
    expect(ofAccount.map(({ action, changed }) => [action, changed.filter(({ field }) => field === 'theme')])).toEqual([
      ['account.updated', [{ field: 'theme' }]],
      ['account.updated', [{ field: 'theme' }]],
      ['account.created', [{ field: 'theme' }]],
    ]);
  });

  test('has a logo only from an origin that the portal allows, and no theme of before after it is created again', async () => {
    const message =
      'The theme.logo_url field has the origin https://x.example, which PORTAL_LOGO_ORIGINS does not allow.';
    const refused = { theme: { logo_url: 'https://x.example/a.png' } };
    const { id } = await makeAccount({ theme: { logo_url: 'https://api.test/a.png' } });
    for (const answer of [
      await platform.post(root, { name: 'b', ...refused }),
      await platform.put(`${root}/${id}`, { name: 'b', ...refused }),
      await platform.patch(`${root}/${id}`, refused),
    ])
      expect([answer.status, answer.body.errors]).toEqual([422, { 'theme.logo_url': [message] }]);
    const allowing = await api.variant({ logoOrigins: ['https://x.example'] });
    const { body } = await allowing.clientOf(platform.token).patch(`${root}/${id}`, refused).expect(200);
    expect(body.data.theme).toEqual(refused.theme);
    await platform.delete(`${root}/${id}`).expect(200);
    expect((await platform.put(`${root}/${id}`, { name: 'b' }).expect(200)).body.data).not.toHaveProperty('theme');
  });

  test('gets another callback token, of which the history has no value', async () => {
    const { id, callback_token: old } = await makeAccount();
    const { body } = await platform.post(`${root}/${id}/callback-token`).expect(200);
    expect(body).toMatchObject({ message: 'Callback token replaced', data: { id } });
    expect(body.data.callback_token).toMatch(/^rb_callback_/);
    expect(body.data.callback_token).not.toBe(old);
    const [change] = await listNewestChanges(api.db, { accountId: id, limit: 1 });
    expect(change).toMatchObject({
      action: 'callback_token.rotated',
      objectType: 'account',
      objectId: id,
      changed: [],
    });
  });

  test('gets access tokens, which the platform lists and revokes', async () => {
    const { id } = await makeAccount();
    const tokens = `${root}/${id}/tokens`;
    const { body } = await platform.post(tokens, { name: 'desk', scopes: ['read'] }).expect(200);
    const client = api.clientOf(body.data.token);
    await client.get('/developer/webhooks').expect(200);
    await client.post('/developer/webhooks', {}).expect(403);
    expect((await platform.get(tokens)).body.data).toMatchObject([
      { id: body.data.id, name: 'desk', scopes: ['read'] },
    ]);
    const other = await makeAccount();
    await platform.delete(`${root}/${other.id}/tokens/${body.data.id}`).expect(404);
    await platform.delete(`${tokens}/${body.data.id}`).expect(200);
    await client.get('/developer/webhooks').expect(401);
    expect((await platform.delete(`${tokens}/x`)).body).toEqual(errorBody(404, 'NotFound', 'Access token not found.'));
  });
});

describe('the list of accounts', () => {
  test('is newest first and paged by cursors, also from an account that was deleted meanwhile', async () => {
    const tag = randomUUID();
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) ids.unshift((await makeAccount({ name: `${tag} ${index}` })).id);
    const page = async (query: string) => (await platform.get(`${root}?filter[name]=${tag}&per_page=2${query}`)).body;
    const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
    const first = await page('');
    expect(idsOf(first)).toEqual(ids.slice(0, 2));
    await platform.delete(`${root}/${ids[1]}`).expect(200);
    const second = await page(`&cursor=${first.meta.next_cursor}`);
    expect(idsOf(second)).toEqual(ids.slice(2, 4));
    const last = await page(`&cursor=${second.meta.next_cursor}`);
    expect([idsOf(last), last.meta.next_cursor]).toEqual([ids.slice(4), null]);
    expect(idsOf(await page(`&cursor=${second.meta.prev_cursor}`))).toEqual([ids[0]]);
  });

  test('is filtered by a part of the name, by external id and by status', async () => {
    const tag = randomUUID();
    const a = await makeAccount({ name: `${tag} 50%`, external_id: externalId });
    const b = await makeAccount({ name: `${tag} 500`, status: 'suspended' });
    const found = async (query: string) =>
      (await platform.get(`${root}?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await found(`filter[name]=${tag.toUpperCase()} 50%25`)).toEqual([a.id]);
    expect(await found(`filter[name]=${tag} 50%25,${tag} 500`)).toEqual([b.id, a.id]);
    expect(await found(`filter[external_id]=${externalId}`)).toEqual([a.id]);
    expect(await found(`filter[name]=${tag}&filter[status]=suspended`)).toEqual([b.id]);
    expect(await found(`filter[name]=${tag}&filter[status]=active`)).toEqual([a.id]);
    await platform.get(`${root}?filter[status]=x`).expect(422);
    await platform.get(`${root}?filter[id]=x`).expect(400);
    await platform.get(`${root}?cursor=x`).expect(422);
  });
});

describe('a suspended account', () => {
  const suspended = errorBody(403, 'Forbidden', 'This account is suspended.');
  const setStatus = (id: string, status: string) => platform.patch(`${root}/${id}`, { status }).expect(200);

  test('is refused with its tokens, its portal sessions and their links, until it is active again', async () => {
    const { id } = await makeAccount();
    const client = await tokenOf(id);
    const open = async () => (await platform.post('/portal-sessions', { account_id: id }).expect(200)).body.data;
    const linkOf = ({ url }: { url: string }) => url.split('#session=')[1];
    const exchange = (session: unknown) => platform.post('/portal-sessions/exchange', { session });
    const { body } = await exchange(linkOf(await open())).expect(200);
    const unused = await open();
    const portal = api.clientOf(body.data.token);
    await setStatus(id, 'suspended');
    for (const answer of [
      await client.get('/developer/webhooks'),
      await client.post('/portal-sessions', {}),
      await portal.get('/developer/webhooks'),
      await exchange(linkOf(unused)),
      await platform.post('/portal-sessions', { account_id: id }),
    ]) {
      expect([answer.status, answer.body]).toEqual([403, suspended]);
    }
    await setStatus(id, 'active');
    await client.get('/developer/webhooks').expect(200);
    await portal.get('/developer/webhooks').expect(200);
    await exchange(linkOf(unused)).expect(200);
  });

  test('has its events kept as rejected, whether they name the account or a webhook', async () => {
    const { id, webhook } = await makeBusyAccount();
    await setStatus(id, 'suspended');
    const rejected = { state: 'rejected', reason: 'This account is suspended.', envelope: expect.any(String) };
    expect(await push(id)).toMatchObject({ accountId: id, ...rejected });
    expect(await push(id, { account_id: undefined, webhook_id: webhook.id })).toMatchObject({
      accountId: id,
      ...rejected,
    });
    await setStatus(id, 'active');
    expect(await push(id)).toMatchObject({ state: 'routed' });
  });
});

describe('the deletion of an account', () => {
  test('is refused while deliveries are pending, and ends them as skipped if it is forced', async () => {
    const { id, client, webhook } = await makeBusyAccount();
    const refused = await platform.delete(`${root}/${id}`);
    const message = 'The account has pending deliveries. With force=true they end as skipped.';
    expect([refused.status, refused.body]).toEqual([409, errorBody(409, 'Conflict', message)]);
    await client.get('/developer/webhooks').expect(200);
    await platform.delete(`${root}/${id}?force=maybe`).expect(422);
    const { body } = await platform.delete(`${root}/${id}?force=true`).expect(200);
    expect(body).toEqual({ status: 'OK', code: 200, message: 'Account deleted', data: [] });
    const deliveries = await (await api.db.prisma()).delivery.findMany({ where: { accountId: id } });
    expect(deliveries).toMatchObject([{ state: 'skipped', reason: 'account deleted', dueAt: null }]);
    await client.get('/developer/webhooks').expect(401);
    expect((await platform.get(`${root}/${id}`)).body).toEqual(notFound);
    expect((await platform.delete(`${root}/${id}`)).body).toEqual(notFound);
    expect(await push(id)).toMatchObject({ state: 'rejected', reason: 'account_id names no account' });
    const byWebhook = await push(id, { account_id: undefined, webhook_id: webhook.id });
    expect(byWebhook).toMatchObject({ state: 'rejected', reason: 'webhook_id names no webhook' });
    await platform.post('/portal-sessions', { account_id: id }).expect(404);
  });

  test('frees the external id, and a PUT creates the account again without its webhooks', async () => {
    const { id, client } = await makeBusyAccount();
    await setOtherInstallation(api.db, id, 'https://b.ringback.example.com');
    await platform.delete(`${root}/${id}?force=true`).expect(200);
    expect(await pendingCount(id)).toBe(0);
    const { body } = await platform.put(`${root}/${id}`, { name: 'again', external_id: externalId }).expect(200);
    expect(body).toMatchObject({ message: 'Account created', data: { id, status: 'active', external_id: externalId } });
    expect(body.data.callback_token).toMatch(/^rb_callback_/);
    await client.get('/developer/webhooks').expect(401);
    const again = await tokenOf(id);
    expect((await again.get('/developer/webhooks')).body.data).toEqual([]);
    // The other half of its history was that of the deleted account.
    await again.get('/developer/messages/m-1').expect(404);
    expect(await push(id)).toMatchObject({ state: 'unrouted' });
  });
});
