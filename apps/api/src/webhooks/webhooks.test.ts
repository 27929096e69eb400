import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  makeWebhook,
  startApi,
  type TestAccount,
  type TestApi,
  time,
  uuid,
  webhookInput,
  webhookNotFoundBody,
} from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

const webhook = {
  id: uuid,
  name: 'orders',
  uri: 'https://example.com/in',
  secret: null,
  verification_code: null,
  status: '1',
  created_at: time,
  updated_at: time,
};

describe('creating a webhook', () => {
  test('with name and uri alone answers 200 with an active webhook, status as text', async () => {
    const { status, body } = await account.post('/developer/webhooks', webhookInput());
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'OK', code: 200, message: 'Created successfully', data: webhook });
  });

  test('with all specified fields returns all of them', async () => {
    const input = webhookInput({ status: 0, secret: 's3cret', token: 'verify-me' });
    const { body } = await account.post('/developer/webhooks', input);
    const data = { ...webhook, status: '0', secret: 's3cret', verification_code: 'verify-me' };
    expect(body).toEqual({ status: 'OK', code: 200, message: 'Created successfully', data });
  });

  test('sets created_at and updated_at to the current time', async () => {
    const before = Date.now();
    const { created_at: created, updated_at: updated } = await makeWebhook(account);
    expect(Date.parse(String(created))).toBeGreaterThanOrEqual(before - 1_000);
    expect(Date.parse(String(created))).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(Math.abs(Date.parse(String(updated)) - Date.parse(String(created)))).toBeLessThan(1_000);
  });

  test.each([
    [undefined, '1'],
    [1, '1'],
    [0, '0'],
    ['1', '1'],
    ['0', '0'],
  ])('with status %p answers status %p', async (given, shown) => {
    expect(await makeWebhook(account, { status: given })).toEqual({ ...webhook, status: shown });
  });

  test.each([[''], [null]])('with secret and token %p has neither', async (nothing) => {
    expect(await makeWebhook(account, { secret: nothing, token: nothing })).toEqual(webhook);
  });

  test('with an existing name creates a second webhook', async () => {
    const [first, second] = [await makeWebhook(account), await makeWebhook(account)];
    expect(second.id).not.toBe(first.id);
  });

  test('with unknown fields ignores them', async () => {
    const strange = {
      id: 'mine',
      created_at: 'x',
      account_id: 'x',
      verification_code: 'x',
      deleted_at: 'x',
      constructor: 1,
    };
    expect(await makeWebhook(account, strange)).toEqual(webhook);
  });

  test('trims the name', async () => {
    expect(await makeWebhook(account, { name: '  orders \n' })).toEqual(webhook);
  });

  test('keeps a name in any script', async () => {
    const name = '注文 🙂 <b>"x"</b> & заказ';
    expect(await makeWebhook(account, { name })).toEqual({ ...webhook, name });
  });

  test.each([
    ['HTTPS://Example.COM:443/a/../b?x=1&&y'],
    ['http://example.com'],
    ['https://exämple.com/ü?q=ö'],
    ['https://example.com/in?id={{ id }}&m={{mobile}}'],
  ])('returns the uri %s exactly as given', async (uri) => {
    const { id } = await makeWebhook(account, { uri });
    const { body } = await account.get(`/developer/webhooks/${id}`);
    expect(body.data.uri).toBe(uri);
  });

  test('with payload and signing: false shows both', async () => {
    const payload = { message_id: '{{id}}', nested: [{ z: 1, a: '{{ mobile }}' }] };
    const data = await makeWebhook(account, { payload, signing: false });
    expect(data).toEqual({ ...webhook, payload, signing: false });
    expect(JSON.stringify(data.payload)).toBe(JSON.stringify(payload));
  });

  test('with payload null and signing true shows neither', async () => {
    expect(await makeWebhook(account, { payload: null, signing: true })).toEqual(webhook);
  });

  test('with an empty payload shows it: it is a template too', async () => {
    expect(await makeWebhook(account, { payload: {} })).toEqual({ ...webhook, payload: {} });
  });
});

describe('showing a webhook', () => {
  test.each([
    [1, 1],
    ['0', 0],
  ])('created with status %p has status %p, a number', async (given, shown) => {
    const { id } = await makeWebhook(account, { status: given, secret: 'x', token: 'y' });
    const { status, body } = await account.get(`/developer/webhooks/${id}`);
    expect(status).toBe(200);
    const data = { ...webhook, id, secret: 'x', verification_code: 'y', status: shown };
    expect(body).toEqual({ status: 'OK', code: 200, message: 'OK', data });
  });

  test('by its id in capitals is the same webhook', async () => {
    const { id } = await makeWebhook(account);
    const { body } = await account.get(`/developer/webhooks/${id.toUpperCase()}`);
    expect(body.data).toEqual({ ...webhook, id, status: 1 });
  });
});

describe('editing a webhook', () => {
  const edited = { name: 'renamed', uri: 'https://example.org/other' };

  test('answers 200 with the webhook as it is now, status as text', async () => {
    const { id } = await makeWebhook(account);
    const { status, body } = await account.put(`/developer/webhooks/${id}`, { ...edited, status: 0, secret: 'new' });
    expect(status).toBe(200);
    const data = { ...webhook, ...edited, id, status: '0', secret: 'new' };
    expect(body).toEqual({ status: 'OK', code: 200, message: 'Updated successfully', data });
    const { body: shown } = await account.get(`/developer/webhooks/${id}`);
    expect(shown.data).toEqual({ ...data, status: 0 });
  });

  test('keeps created_at and moves updated_at forward', async () => {
    const before = await makeWebhook(account);
    const { body } = await account.put(`/developer/webhooks/${before.id}`, edited);
    expect(body.data.created_at).toBe(before.created_at);
    expect(body.data.updated_at >= String(before.updated_at)).toBe(true);
  });

  test('keeps status, secret, token, payload and signing when they are absent', async () => {
    const all = { status: 0, secret: 's', token: 't', payload: { a: 1 }, signing: false };
    const { id } = await makeWebhook(account, all);
    const { body } = await account.put(`/developer/webhooks/${id}`, edited);
    const kept = { status: '0', secret: 's', verification_code: 't', payload: { a: 1 }, signing: false };
    expect(body.data).toEqual({ ...webhook, ...edited, id, ...kept });
  });

  test.each([[''], [null]])('with secret %p clears it', async (nothing) => {
    const { id } = await makeWebhook(account, { secret: 's' });
    const { body } = await account.put(`/developer/webhooks/${id}`, { ...edited, secret: nothing });
    expect(body.data).toEqual({ ...webhook, ...edited, id });
  });

  test.each([['other'], [null], [''], [17], ['ü']])('with token %p ignores it', async (token) => {
    const { id } = await makeWebhook(account, { token: 'first' });
    const { status, body } = await account.put(`/developer/webhooks/${id}`, { ...edited, token });
    expect(status).toBe(200);
    expect(body.data.verification_code).toBe('first');
  });

  test('with payload null and signing true makes the webhook plain again', async () => {
    const { id } = await makeWebhook(account, { payload: { a: 1 }, signing: false });
    const { body } = await account.put(`/developer/webhooks/${id}`, { ...edited, payload: null, signing: true });
    expect(body.data).toEqual({ ...webhook, ...edited, id });
  });

  test('replaces the payload as a whole', async () => {
    const { id } = await makeWebhook(account, { payload: { a: 1, b: 2 } });
    const { body } = await account.put(`/developer/webhooks/${id}`, { ...edited, payload: { b: 3 } });
    expect(body.data.payload).toEqual({ b: 3 });
  });

  test('without name and uri is refused, and changes nothing', async () => {
    const { id } = await makeWebhook(account);
    const { status, body } = await account.put(`/developer/webhooks/${id}`, { status: 0 });
    expect(status).toBe(422);
    expect(body).toEqual({
      status: 'ValidationError',
      code: 422,
      message: 'The name field is required. (and 1 more error)',
      errors: { name: ['The name field is required.'], uri: ['The uri field is required.'] },
    });
    expect((await account.get(`/developer/webhooks/${id}`)).body.data).toEqual({ ...webhook, id, status: 1 });
  });

  test('may make an inactive webhook active again', async () => {
    const { id } = await makeWebhook(account, { status: 0 });
    const { body } = await account.put(`/developer/webhooks/${id}`, { ...edited, status: '1' });
    expect(body.data.status).toBe('1');
  });
});

describe('editing a webhook by PATCH', () => {
  let path: string;
  beforeEach(async () => {
    path = `/developer/webhooks/${(await makeWebhook(account, { rate_limit: 5 })).id}`;
  });

  test('changes only the fields that it has; PUT asks for name and uri', async () => {
    const before = (await account.get(path)).body.data;
    const { body } = await account.patch(path, { rate_limit: 7 }).expect(200);
    expect(body.data).toEqual({ ...before, status: '1', rate_limit: 7, updated_at: body.data.updated_at });
    for (const field of [{ name: 'b' }, { uri: 'https://example.org/b' }, { secret: 's' }, { status: 0 }, {}])
      await account.patch(path, field).expect(200);
    const { data } = (await account.get(path)).body;
    expect(data).toMatchObject({ name: 'b', uri: 'https://example.org/b', secret: 's', status: 0, rate_limit: 7 });
    const { errors } = (await account.put(path, { rate_limit: 8 }).expect(422)).body;
    expect(Object.keys(errors)).toEqual(['name', 'uri']);
  });

  test('refuses a name or uri that is there but empty', async () => {
    for (const value of ['', null]) {
      const { body } = await account.patch(path, { name: value, uri: value }).expect(422);
      expect(body.errors).toEqual({ name: ['The name field is required.'], uri: ['The uri field is required.'] });
    }
  });
});

describe('deleting a webhook', () => {
  test('answers 200 with empty data', async () => {
    const { id } = await makeWebhook(account);
    const { status, body } = await account.delete(`/developer/webhooks/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'OK', code: 200, message: 'Deleted successfully', data: [] });
  });

  test('hides it from show, edit and delete, and from the list', async () => {
    const { id } = await makeWebhook(account);
    await account.delete(`/developer/webhooks/${id}`);
    const answers = [
      await account.get(`/developer/webhooks/${id}`),
      await account.put(`/developer/webhooks/${id}`, webhookInput()),
      await account.delete(`/developer/webhooks/${id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    for (const { body } of answers) expect(body).toEqual(webhookNotFoundBody);
    expect((await account.get('/developer/webhooks')).body.data).toEqual([]);
  });

  test('makes it inactive', async () => {
    const { id } = await makeWebhook(account);
    await account.delete(`/developer/webhooks/${id}`);
    const { body } = await account.get('/developer/webhooks?filter[trashed]=only');
    expect(body.data).toEqual([{ ...webhook, id, status: '0', deleted_at: time }]);
  });
});

describe('restoring a webhook', () => {
  test('that was deleted answers 200 with the active webhook, status as text', async () => {
    const { id } = await makeWebhook(account, { secret: 's', status: 0 });
    await account.delete(`/developer/webhooks/${id}`);
    const { status, body } = await account.post(`/developer/webhooks/${id}/restore`);
    expect(status).toBe(200);
    const data = { ...webhook, id, secret: 's' };
    expect(body).toEqual({ status: 'OK', code: 200, message: 'Restored successfully', data });
    expect((await account.get(`/developer/webhooks/${id}`)).body.data).toEqual({ ...data, status: 1 });
  });

  test('that is live and inactive makes it active', async () => {
    const { id } = await makeWebhook(account, { status: 0 });
    const { body } = await account.post(`/developer/webhooks/${id}/restore`, {});
    expect(body).toEqual({ status: 'OK', code: 200, message: 'Restored successfully', data: { ...webhook, id } });
  });
});

test('a webhook whose secrets cannot be decrypted can be shown, listed, edited and deleted', async () => {
  const { id } = await makeWebhook(account, { secret: 's3cret', token: 't0ken' });
  const { id: other } = await makeWebhook(account, { secret: 'readable' });
  const sealed = `v1:gone:${'A'.repeat(60)}`;
  const data = { secret: sealed, verificationCode: sealed, signingSecret: sealed };
  await (await api.db.prisma()).webhook.update({ where: { id }, data });
  const path = `/developer/webhooks/${id}`;
  const unread = { secret: null, verification_code: null, unreadable: ['secret', 'verification_code'] };
  expect((await account.get(path).expect(200)).body.data).toMatchObject(unread);
  const { body: list } = await account.get('/developer/webhooks').expect(200);
  expect(list.data).toEqual([
    expect.objectContaining({ id: other, secret: 'readable' }),
    expect.objectContaining(unread),
  ]);
  expect(list.data[0]).not.toHaveProperty('unreadable');
  const edited = await account.put(path, webhookInput({ uri: 'https://example.com/elsewhere' })).expect(200);
  expect(edited.body.data).toMatchObject(unread);
  expect(await (await api.db.prisma()).webhook.findUnique({ where: { id } })).toMatchObject(data);
  expect((await account.post(`${path}/verification`).expect(409)).body.message).toContain('verification code');
  expect((await account.get(`${path}/signing-secret`).expect(409)).body.message).toContain('signing secret');
  const { body: rotated } = await account.post(`${path}/signing-secret/rotate`).expect(200);
  expect(rotated.data.previous_signs_until).toBeNull();
  const mended = await account.put(path, webhookInput({ secret: 'new' })).expect(200);
  expect(mended.body.data).toMatchObject({ secret: 'new', unreadable: ['verification_code'] });
  await (await api.db.prisma()).webhook.update({ where: { id }, data });
  await account.delete(path).expect(200);
  expect(await (await api.db.prisma()).webhook.findUnique({ where: { id } })).toMatchObject({ ...data, active: false });
  // Without a key, no account can be created while an encrypted secret is stored.
  await (
    await api.db.prisma()
  ).webhook.update({
    where: { id },
    data: { secret: null, verificationCode: null, signingSecret: null },
  });
});

test('a template keeps the key __proto__ and its order in every response', async () => {
  const payload = '{"z":1,"__proto__":{"to":"{{mobile}}"},"a":[{"__proto__":"{{id}}"}]}';
  const body = `{"name":"orders","uri":"https://example.com/in","payload":${payload}}`;
  const { text, body: answer } = await account.post('/developer/webhooks', body).expect(200);
  const path = `/developer/webhooks/${answer.data.id}`;
  const others = [
    await account.get(path),
    await account.get('/developer/webhooks'),
    await account.put(path, webhookInput()),
    await account.put(path, body),
    await account.post(`${path}/restore`),
  ];
  for (const shown of [text, ...others.map((other) => other.text)]) expect(shown).toContain(`"payload":${payload}`);
});

test('a template keeps the digits of its numbers', async () => {
  const payload = '{"big":12345678901234567890,"price":2.0000,"list":[1e3,-0],"id":"{{id}}"}';
  const body = `{"name":"orders","uri":"https://example.com/in","payload": ${payload.replaceAll(',', ' , ')}}`;
  const { text, body: made } = await account.post('/developer/webhooks', body).expect(200);
  const path = `/developer/webhooks/${made.data.id}`;
  const kept = await account.patch(path, webhookInput());
  for (const shown of [text, kept.text, (await account.get(path)).text, (await account.put(path, body)).text])
    expect(shown).toContain(`"payload":${payload}`);
  const preview = `{"event":"sms:message:status","payload":${payload},"sample":{"id":9007199254740993}}`;
  const { body: shown, text: all } = await account.post('/developer/webhooks/preview', preview).expect(200);
  expect(shown.data.body).toBe(payload.replace('"{{id}}"', '9007199254740993'));
  expect(all).toContain('"sample":{"id":9007199254740993}');
});
