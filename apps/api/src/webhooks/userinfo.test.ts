import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { errorBody, makeWebhook, startApi, type TestAccount, type TestApi, webhookInput } from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

const given = 'https://user-canary:pass-canary@example.com/in?a={{id}}#b';
const shown = 'https://********@example.com/in?a={{id}}#b';
const message =
  'The uri field has ******** in place of a user and password. That keeps those of the webhook while the user, ' +
  'scheme, host and port stay the same. Otherwise write them out.';
const refusal = errorBody(422, 'ValidationError', message, { uri: [message] });

const storedUserinfo = async (id: string) =>
  (await api.db.pool.query('SELECT uri, userinfo FROM webhooks WHERE id = $1', [id])).rows[0];

test('a user and password are masked in every response, in the change history, and in the column of the uri', async () => {
  const made = await account.post('/developer/webhooks', webhookInput({ uri: given })).expect(200);
  const path = `/developer/webhooks/${made.body.data.id}`;
  const preview = { event: 'sms:message:status', uri: given };
  const texts = [
    made.text,
    (await account.get(path)).text,
    (await account.get('/developer/webhooks')).text,
    (await account.patch(path, { uri: given.replace('/in', '/out') })).text,
    (await account.put(path, webhookInput({ uri: given }))).text,
    (await account.post('/developer/webhooks/preview', preview).expect(200)).text,
    (await account.get('/developer/changes')).text,
  ];
  expect(texts.filter((text) => text.includes('canary'))).toEqual([]);
  expect(texts.filter((text) => text.includes('https://********@example.com/in'))).toHaveLength(texts.length - 1);
  expect(made.body.data.uri).toBe(shown);
  expect(await storedUserinfo(made.body.data.id)).toEqual({ uri: shown, userinfo: 'user-canary:pass-canary' });
});

describe('an edit of a webhook whose uri has a user and password', () => {
  let id: string;
  let path: string;
  beforeEach(async () => {
    ({ id } = await makeWebhook(account, { uri: given, token: 'token' }));
    path = `/developer/webhooks/${id}`;
  });

  test('that sends back what was shown keeps them, and changes what else it has', async () => {
    const { body } = await account.get(path);
    const verification = (await account.get(`${path}/verification`)).body.data.id;
    const edited = await account.put(path, { ...body.data, name: 'renamed' }).expect(200);
    expect(edited.body.data).toMatchObject({ name: 'renamed', uri: shown });
    expect(await storedUserinfo(id)).toEqual({ uri: shown, userinfo: 'user-canary:pass-canary' });
    const [change] = (await account.get('/developer/changes?filter[action]=webhook.updated')).body.data;
    expect(change.changed).toEqual([{ field: 'name', before: 'orders', after: 'renamed' }]);
    expect((await account.get(`${path}/verification`)).body.data.id).toBe(verification);
  });

  test('to another path of the same server keeps them', async () => {
    for (const uri of ['https://********@example.com/new', 'https://user-canary:********@example.com/newer']) {
      await account.patch(path, { uri }).expect(200);
      expect((await storedUserinfo(id)).userinfo).toBe('user-canary:pass-canary');
    }
    expect((await account.get(path)).body.data.uri).toBe('https://********@example.com/newer');
  });

  test.each([
    'https://********@example.org/in',
    'http://********@example.com/in',
    'https://********@example.com:8443/in',
    'https://other:********@example.com/in',
    'https://********:other@example.com/in',
  ])('to %s is refused, and changes nothing', async (uri) => {
    for (const method of ['put', 'patch'] as const) {
      const { status, body } = await account[method](path, webhookInput({ uri, name: 'renamed' }));
      expect([status, body]).toEqual([422, refusal]);
    }
    expect((await account.get(path)).body.data).toMatchObject({ name: 'orders', uri: shown });
  });

  test('with others replaces them, and without any removes them; each starts a verification', async () => {
    const verificationId = async () => (await account.get(`${path}/verification`)).body.data.id;
    const ids = [await verificationId()];
    for (const [uri, userinfo] of [
      [given.replace('pass-', 'word-'), 'user-canary:word-canary'],
      [given.replace('user-canary:pass-canary@', ''), null],
    ] as const) {
      const { etag } = (await account.get(path)).headers;
      const edited = await account.patch(path, { uri }).expect(200);
      expect(edited.headers.etag).not.toBe(etag);
      expect((await storedUserinfo(id)).userinfo).toBe(userinfo);
      ids.push(await verificationId());
    }
    expect(new Set(ids).size).toBe(3);
    const [, change] = (await account.get('/developer/changes?filter[action]=webhook.updated')).body.data;
    expect(change.changed).toEqual([
      { field: 'uri', before: 'https://********@example.com/in', after: 'https://********@example.com/in' },
    ]);
  });
});

test('a new webhook, or one without a user and password, can’t have the mask', async () => {
  const { status, body } = await account.post('/developer/webhooks', webhookInput({ uri: shown }));
  expect([status, body]).toEqual([422, refusal]);
  const { id } = await makeWebhook(account, { uri: 'https://example.com/in' });
  expect((await account.patch(`/developer/webhooks/${id}`, { uri: shown })).body).toEqual(refusal);
});
