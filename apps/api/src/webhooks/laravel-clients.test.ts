import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { updateWebhook } from '@ringback/ledger';
import {
  errorBody,
  makeWebhook,
  startApi,
  type TestAccount,
  type TestApi,
  time,
  webhookInput,
} from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
let path: string;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.makeAccount();
  path = `/developer/webhooks/${(await makeWebhook(account)).id}`;
});

describe('clients written with Laravel', () => {
  test.each([
    [true, '1'],
    [false, '0'],
    ['true', '1'],
    ['false', '0'],
    ['', '1'],
  ])('may send the status %j', async (given, shown) => {
    expect(await makeWebhook(account, { status: given })).toMatchObject({ status: shown });
  });

  test('an empty status in an edit changes nothing', async () => {
    await account.patch(path, { status: 0 }).expect(200);
    expect((await account.patch(path, { status: '' }).expect(200)).body.data.status).toBe('0');
    const form = account.patch(path).set('Content-Type', 'application/x-www-form-urlencoded');
    expect((await form.send('status=&name=b').expect(200)).body.data).toMatchObject({ status: '0', name: 'b' });
  });

  test('may name the method in X-HTTP-Method-Override of a POST, but no method that the path lacks', async () => {
    const override = (method: string) => ({ 'X-HTTP-Method-Override': method });
    const { body } = await account.post(path, { name: 'b' }).set(override('patch')).expect(200);
    expect(body).toMatchObject({ message: 'Updated successfully', data: { name: 'b' } });
    for (const method of ['GET', 'TRACE']) await account.post(path, { name: 'c' }).set(override(method)).expect(405);
    await account.get(path).set(override('DELETE')).expect(200);
    await account.post(path).set(override('DELETE')).expect(200);
    await account.get(path).expect(404);
  });

  test('may send multipart/form-data, with nested names, but no files', async () => {
    const send = (change: (form: FormData) => void) => {
      const form = new FormData();
      form.append('name', 'caf\u00e9 "x"');
      form.append('uri', 'https://example.com/in?a={{id}}');
      change(form);
      const headers = { authorization: `Bearer ${account.token}` };
      const url = `http://127.0.0.1:${api.port}/api/v2/developer/webhooks`;
      return fetch(url, { method: 'POST', body: form, headers });
    };
    const response = await send((form) => {
      form.append('status', 'false');
      form.append('payload[to][]', '{{mobile}}');
      form.append('payload[to][]', 'line\r\nbreak');
      form.append('rate_limit', '7');
    });
    expect(await response.json()).toMatchObject({
      data: { name: 'caf\u00e9 "x"', status: '0', rate_limit: 7, payload: { to: ['{{mobile}}', 'line\r\nbreak'] } },
    });
    const refused = await send((form) => form.append('secret', new Blob(['x']), 'secret.txt'));
    const message = 'The field secret must not be a file.';
    expect([refused.status, await refused.json()]).toEqual([415, errorBody(415, 'UnsupportedMediaType', message)]);
    const broken = account.post('/developer/webhooks').set('Content-Type', 'multipart/form-data; boundary=x');
    const { body } = await broken.send('--x\r\nnothing').expect(400);
    expect(body).toEqual(errorBody(400, 'BadRequest', 'The request body is not valid multipart/form-data.'));
  });
});

describe('a webhook with an address and a name that only an import stores', () => {
  const imported = { name: 'n'.repeat(256), uri: 'http://example.com/in?text=hello world' };
  beforeEach(async () => {
    await updateWebhook(api.db, account.id, path.replace(/.*\//, ''), imported);
  });

  test('can be edited by a client that sends back what it got', async () => {
    const { data } = (await account.get(path).expect(200)).body;
    expect((await account.put(path, { ...data, status: 0 }).expect(200)).body.data).toMatchObject({
      ...imported,
      status: '0',
    });
    expect((await account.patch(path, { uri: imported.uri, secret: 'x' }).expect(200)).body.data).toMatchObject({
      ...imported,
      secret: 'x',
    });
  });

  test('cannot get another such address or name', async () => {
    const { body } = await account.put(path, { name: 'm'.repeat(256), uri: `${imported.uri} again` }).expect(422);
    expect(body.errors).toEqual({
      name: ['The name field must not be greater than 255 characters.'],
      uri: ['The uri field must be a valid URL.'],
    });
  });
});

describe('_method', () => {
  test.each([['put'], ['PUT'], ['Put']])('%s in the query of a POST edits', async (method) => {
    const made = await makeWebhook(account);
    const { body } = await account.post(
      `/developer/webhooks/${made.id}?_method=${method}`,
      webhookInput({ name: 'renamed' }),
    );
    expect(body).toEqual({
      status: 'OK',
      code: 200,
      message: 'Updated successfully',
      data: { ...made, name: 'renamed', updated_at: time },
    });
  });

  test('PUT in the body of a POST edits', async () => {
    const made = await makeWebhook(account);
    const input = webhookInput({ name: 'renamed', _method: 'PUT' });
    const { body } = await account.post(`/developer/webhooks/${made.id}`, input);
    expect(body.data).toEqual({ ...made, name: 'renamed', updated_at: time });
  });

  test.each([
    ['?_method=DELETE', undefined],
    ['', { _method: 'delete' }],
  ])('DELETE as %p %p of a POST deletes', async (query, sent) => {
    const { body } = await account.post(`${path}${query}`, sent);
    expect(body).toEqual({ status: 'OK', code: 200, message: 'Deleted successfully', data: [] });
    await account.get(path).expect(404);
  });

  test('on a GET is ignored', async () => {
    const { body } = await account.get(`${path}?_method=DELETE`);
    expect(body.message).toBe('OK');
  });

  test('with another value is a 405 with Allow, and changes nothing', async () => {
    for (const method of ['GET', 'POST', 'OPTIONS', 'TRACE', ['PUT'], 7]) {
      const answers = [await account.post(path, webhookInput({ name: 'renamed', _method: method }))];
      if (typeof method === 'string') answers.push(await account.post(`${path}?_method=${method}`, webhookInput()));
      for (const { status, headers } of answers)
        expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD, PUT, PATCH, DELETE']);
    }
    expect((await account.get(path)).body.data.name).toBe('orders');
    expect((await account.post(`${path}?_method=PATCH`, webhookInput({ name: 'renamed' }))).body.data.name).toBe(
      'renamed',
    );
  });

  test('that is empty is ignored', async () => {
    const { body } = await account.post('/developer/webhooks?_method=', webhookInput({ _method: null }));
    expect(body.message).toBe('Created successfully');
  });
});
