import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  errorBody,
  makeWebhook,
  startApi,
  type TestAccount,
  type TestApi,
  webhookInput,
  webhookNotFoundBody,
} from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
let id: string;
let path: string;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.makeAccount();
  ({ id } = await makeWebhook(account, { secret: 'first', rate_limit: 5 }));
  path = `/developer/webhooks/${id}`;
});

const currentTag = async () => String((await account.get(path).expect(200)).headers.etag);
const stale = errorBody(
  412,
  'PreconditionFailed',
  'The webhook was changed in the meantime. Fetch it again and send its new ETag in If-Match.',
);

describe('ETag', () => {
  test('is the same in show and in the response to the change before, and stays while nothing changes', async () => {
    const created = await account.post('/developer/webhooks', webhookInput()).expect(200);
    const own = `/developer/webhooks/${created.body.data.id}`;
    expect(created.headers).toMatchObject({ etag: expect.stringMatching(/^"[\w-]+"$/), 'cache-control': 'no-store' });
    for (const change of [
      () => account.get(own),
      () => account.patch(own, { name: 'b' }),
      () => account.post(`${own}/restore`),
      () => account.post(`${own}/resume`),
    ]) {
      const { headers } = await change().expect(200);
      expect((await account.get(own)).headers.etag).toBe(headers.etag);
      expect((await account.get(own)).headers.etag).toBe(headers.etag);
    }
  });

  test('changes with every field, with a pause and a deletion, and between edits of the same moment', async () => {
    const tags = [await currentTag()];
    const fields = [
      ...[{ name: 'b' }, { uri: 'https://example.org/' }, { status: 0 }, { secret: 'second' }, { secret: '' }],
      ...[{ signing: false }, { rate_limit: 6 }, { payload: { a: '{{id}}' } }, { payload: { a: '{{id}} ' } }],
    ];
    for (const field of fields) tags.push(String((await account.patch(path, field).expect(200)).headers.etag));
    await api.db.pool.query(`UPDATE webhooks SET paused_at = now(), pause_reason = 'gone' WHERE id = $1`, [id]);
    tags.push(await currentTag());
    const sent = Array.from({ length: 20 }, (_, index) => account.patch(path, { name: `name ${index}` }));
    for (const { headers } of await Promise.all(sent)) tags.push(String(headers.etag));
    await account.delete(path).expect(200);
    tags.push(String((await account.post(`${path}/restore`).expect(200)).headers.etag));
    expect(new Set(tags).size).toBe(tags.length);
  });

  test('in If-None-Match gets a 304 from show while the webhook has it', async () => {
    const tag = await currentTag();
    await account.get(path).set('If-None-Match', tag).expect(304);
    await account.patch(path, { name: 'b' }).expect(200);
    await account.get(path).set('If-None-Match', tag).expect(200);
  });
});

describe('If-Match', () => {
  test('with the current tag, `*` or a list that has it lets a change through', async () => {
    for (const header of [(tag: string) => tag, () => '*', (tag: string) => `"other", W/"weak" ,${tag}`]) {
      for (const method of ['put', 'patch'] as const)
        await account[method](path, webhookInput())
          .set('If-Match', header(await currentTag()))
          .expect(200);
      await account
        .post(`${path}/restore`)
        .set('If-Match', header(await currentTag()))
        .expect(200);
    }
    await account
      .delete(path)
      .set('If-Match', await currentTag())
      .expect(200);
    await account.post(`${path}/restore`).set('If-Match', '*').expect(200);
  });

  test('with a stale, a weak, a bare or no tag is a 412 for every change, and nothing changes', async () => {
    const old = await currentTag();
    await account.patch(path, { name: 'newer' }).expect(200);
    const before = await account.get(path);
    const tag = String(before.headers.etag);
    for (const header of [old, `W/${tag}`, tag.replaceAll('"', ''), '""', '"*"', 'x', '']) {
      for (const send of [
        () => account.put(path, webhookInput()),
        () => account.patch(path, { secret: '' }),
        () => account.delete(path),
        () => account.post(`${path}/restore`),
        () => account.post(path, { _method: 'PATCH', name: 'x' }),
      ]) {
        const { status, body } = await send().set('If-Match', header);
        expect([header, status, body]).toEqual([header, 412, stale]);
      }
    }
    expect((await account.get(path)).body).toEqual(before.body);
    expect(await currentTag()).toBe(tag);
  });

  test('does not hide a 404 or a 422', async () => {
    const { body } = await account.patch(path, { uri: 'x' }).set('If-Match', '"old"').expect(422);
    expect(body.errors).toEqual({ uri: ['The uri field must be a valid URL.'] });
    await account.delete(path).expect(200);
    for (const header of ['*', '"old"'])
      expect((await account.delete(path).set('If-Match', header).expect(404)).body).toEqual(webhookNotFoundBody);
  });

  test('lets exactly one of many concurrent changes of the same state through', async () => {
    for (let round = 0; round < 3; round += 1) {
      const tag = await currentTag();
      const changes = Array.from({ length: 8 }, (_, index) =>
        account.patch(path, { name: `round ${round} change ${index}` }).set('If-Match', tag),
      );
      const statuses = (await Promise.all(changes)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, ...Array.from({ length: 7 }, () => 412)]);
    }
  });
});

describe('PATCH', () => {
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

describe('unknown fields', () => {
  const names = ['method', 'headers', 'auth', 'timeout', 'retries', 'filters', 'batch_size', 'id', 'signing_secret'];
  const unknown = Object.fromEntries(names.map((name) => [name, 'x']));
  const warnings = names.map((name) => `Unknown field "${name}": it was ignored.`);

  test('of a create, an edit and a subscription are named in warnings, and ignored', async () => {
    const made = await account.post('/developer/webhooks', webhookInput(unknown)).expect(200);
    expect(made.body).toMatchObject({ data: { name: 'orders' }, warnings });
    for (const method of ['put', 'patch'] as const)
      expect((await account[method](path, webhookInput(unknown)).expect(200)).body.warnings).toEqual(warnings);
    const form = account.post('/developer/webhooks').set('Content-Type', 'application/x-www-form-urlencoded');
    const sent = await form.send('name=a&uri=https%3A%2F%2Fexample.com&headers[X-A]=1').expect(200);
    expect(sent.body.warnings).toEqual(['Unknown field "headers": it was ignored.']);
    const input = { event: 'sms:message:status', webhook_id: id, identiy: 'number:1' };
    const { body } = await account.post('/developer/subscriptions', input).expect(200);
    expect(body.warnings).toEqual(['Unknown field "identiy": it was ignored.']);
  });

  test('stand before the warnings of templates, and there are no warnings without any', async () => {
    const sent = webhookInput({ payload: { a: 1 }, method: 'GET' });
    const { body } = await account.post('/developer/webhooks', sent).expect(200);
    expect(body.warnings).toEqual([warnings[0], expect.stringMatching(/no placeholder/)]);
    for (const known of [{ token: 't' }, { _method: '' }, { access_token: 'x' }, { status: null, secret: '' }])
      for (const request of [account.post('/developer/webhooks', webhookInput(known)), account.patch(path, known)])
        expect((await request.expect(200)).body).not.toHaveProperty('warnings');
  });
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
