import http from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type Client,
  errorBody,
  makeWebhook,
  startApi,
  type TestAccount,
  type TestApi,
  webhookInput,
} from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
let platform: Client;
beforeAll(async () => {
  api = await startApi();
  platform = await api.makePlatform();
});
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

type Sent = { token: string; path: string; type: string; headers?: Record<string, string> };

/** Sends a body in these chunks, each with a write of its own. */
const sendChunks = ({ token, path, type, headers }: Sent, chunks: Buffer[]) =>
  new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const all = { authorization: `Bearer ${token}`, 'content-type': type, ...headers };
    const target = { port: api.port, method: 'POST', path: `/api/v2${path}`, headers: all };
    const request = http.request(target, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    request.on('error', reject);
    for (const chunk of chunks) request.write(chunk);
    request.end();
  });

const [json, form] = ['application/json', 'application/x-www-form-urlencoded'];
const asForm = (path: string, fields: string, method: 'post' | 'put' | 'patch' = 'post') =>
  account[method](path).set('Content-Type', form).send(fields);

test('a body that is not valid UTF-8 is a 400, in whatever chunks, encoding and content type', async () => {
  const path = '/developer/webhooks';
  const bad = Buffer.from('{"name":"caf\xe9","uri":"https://example.com"}', 'latin1');
  const half = Buffer.from('{"name":"\xf0\x9f\x98"}', 'latin1');
  const bodies: [Sent, Buffer[]][] = [
    [{ token: account.token, path, type: json }, [bad]],
    [{ token: account.token, path, type: json }, [bad.subarray(0, 13), bad.subarray(13)]],
    [{ token: account.token, path, type: json }, [half.subarray(0, 11), half.subarray(11)]],
    [{ token: account.token, path, type: json, headers: { 'content-encoding': 'gzip' } }, [gzipSync(bad)]],
    [{ token: account.token, path, type: form }, [Buffer.from('name=caf\xe9', 'latin1')]],
    [{ token: account.token, path, type: form }, [Buffer.from('name=caf%E9')]],
    [{ token: account.token, path, type: form }, [Buffer.from('na%FFme=x')]],
    [{ token: platform.token, path: '/events', type: json }, [Buffer.from('{"event":"\xff"}', 'latin1')]],
  ];
  for (const [sent, chunks] of bodies) {
    expect(await sendChunks(sent, chunks)).toEqual({
      status: 400,
      body: errorBody(400, 'BadRequest', 'The request body is not valid UTF-8.'),
    });
  }
});

test('a character that is split over chunks is decoded', async () => {
  const body = Buffer.from(JSON.stringify(webhookInput({ name: 'é😀' })));
  const sent = { token: account.token, path: '/developer/webhooks', type: json };
  const bytes = Array.from(body, (_byte, at) => body.subarray(at, at + 1));
  expect(await sendChunks(sent, bytes)).toMatchObject({ status: 200, body: { data: { name: 'é😀' } } });
});

test('a client that ends its side of the connection after a body gets its event stored', async () => {
  const body = JSON.stringify({ event: 'sms:message:status', account_id: account.id, payload: { id: 'half-closed' } });
  const headers = `Host: x\r\nAuthorization: Bearer ${platform.token}\r\nContent-Type: ${json}`;
  const head = `POST /api/v2/events HTTP/1.1\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n`;
  for (let round = 0; round < 5; round++) {
    const socket = connect({ port: api.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.end(head + body);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 202 /);
    socket.destroy();
  }
});

test('a body that is not an object is a 422', async () => {
  const { id } = await makeWebhook(account);
  const message = 'The request body must be a JSON object.';
  const writes: [string, 'post' | 'put' | 'patch'][] = [
    ['/developer/webhooks', 'post'],
    [`/developer/webhooks/${id}`, 'put'],
    [`/developer/webhooks/${id}`, 'patch'],
    ['/developer/webhooks/preview', 'post'],
    [`/developer/webhooks/${id}/test`, 'post'],
    ['/developer/subscriptions', 'post'],
  ];
  for (const [path, method] of writes) {
    for (const sent of ['[]', '[{"name":"n","uri":"https://example.com"}]', 'null', '1', '"text"', 'true']) {
      const { status, body } = await account[method](path, sent);
      expect([path, sent, status, body]).toEqual([
        ...[path, sent, 422, errorBody(422, 'ValidationError', message, { body: [message] })],
      ]);
    }
  }
});

test('a wrong type gives one error for its field', async () => {
  const { id } = await makeWebhook(account);
  const values = [1.5, 1e300, -1, true, [], {}, [[1]], 'x', ' '];
  const fields = {
    '/developer/webhooks': ['name', 'uri', 'payload', 'status', 'secret', 'token', 'signing', 'rate_limit'],
    '/developer/webhooks/preview': ['event', 'uri', 'payload', 'sample'],
    '/developer/subscriptions': ['event', 'identity', 'webhook_id'],
    [`/developer/webhooks/${id}/test`]: ['event', 'payload'],
    [`/developer/webhooks/${id}/replay`]: ['filter', 'dry_run', 'rate'],
    '/events': ['event', 'account_id', 'webhook_id', 'identity', 'event_id', 'payload'],
  };
  const right = { event: 'sms:message:status', account_id: account.id, webhook_id: id, payload: { id: 'x' } };
  const cases = Object.entries(fields).flatMap(([path, names]) =>
    names.flatMap((name) => values.map((value) => ({ path, name, value }))),
  );
  for (const { path, name, value } of cases) {
    const isEvent = path === '/events';
    const valid = isEvent ? right : path.includes('replay') ? { dry_run: true } : webhookInput({ event: right.event });
    const { body } = await (isEvent ? platform : account).post(path, { ...valid, [name]: value });
    const errors = Object.entries<string[]>(body.errors ?? {}).filter(([field]) => field.split('.')[0] === name);
    expect([path, name, value, errors.filter(([, texts]) => texts.length !== 1)]).toEqual([path, name, value, []]);
  }
});

describe('a form', () => {
  test('creates and edits a webhook, with every kind of value', async () => {
    const template = '{"text":"{{ text }}","big":12345678901234567890}';
    const fields = new URLSearchParams({
      name: ' caf\u00e9 & co ',
      uri: 'https://example.com/in?a={{id}}&b=c+d',
      secret: 's%cret',
      status: '0',
      signing: 'false',
      rate_limit: '7',
      payload: template,
      unknown: 'x',
    });
    const { body: made, text } = await asForm('/developer/webhooks', fields.toString()).expect(200);
    expect(made.data).toMatchObject({
      name: 'caf\u00e9 & co',
      uri: 'https://example.com/in?a={{id}}&b=c+d',
      secret: 's%cret',
      status: '0',
      signing: false,
      rate_limit: 7,
    });
    expect(text).toContain(`"payload":${template}`);
    const path = `/developer/webhooks/${made.data.id}`;
    const edit = 'name=a&name=b&uri=https%3A%2F%2Fexample.com&status=1&signing=1&rate_limit=&payload=&secret=';
    for (const method of ['put', 'patch'] as const) {
      const { body: edited } = await asForm(path, edit, method).expect(200);
      expect(edited.data).toMatchObject({ name: 'b', secret: null, status: '1' });
      for (const field of ['signing', 'rate_limit', 'payload']) expect(edited.data).not.toHaveProperty(field);
    }
    const { body: nested } = await asForm(
      '/developer/webhooks',
      `${edit}&payload[to][]={{mobile}}&payload[to][]=x&payload[id]={{id}}&payload[gap][1]=b&payload[gap][]=c`,
    );
    expect(nested.data.payload).toEqual({ to: ['{{mobile}}', 'x'], id: '{{id}}', gap: { 1: 'b', 2: 'c' } });
    await asForm(path, '_method=DELETE').expect(200);
    await account.get(path).expect(404);
  });

  test('is accepted for subscriptions, previews and replays', async () => {
    const { id } = await makeWebhook(account);
    const event = 'event=sms%3Amessage%3Astatus';
    const { body: made } = await asForm('/developer/subscriptions', `${event}&identity=+number%3A1+&webhook_id=${id}`);
    expect(made.data).toMatchObject({ identity: 'number:1', webhook_id: id });
    const uri = 'uri=https%3A%2F%2Fexample.com%2F%3Fa%3D%7B%7Bid%7D%7D';
    const { body: preview } = await asForm('/developer/webhooks/preview', `${event}&${uri}&sample={"id":7}`);
    expect(preview.data).toMatchObject({ url: 'https://example.com/?a=7', sample: { id: 7 } });
    for (const filter of ['filter[status]=failed&filter[response_code]=500', 'filter={"status":"failed"}']) {
      const { body: count } = await asForm(`/developer/webhooks/${id}/replay`, `dry_run=true&rate=5&${filter}`);
      expect(count.data).toEqual({ count: 0, complete: true });
    }
  });

  test('gets errors for its fields', async () => {
    const { status, body } = await asForm(
      '/developer/webhooks',
      'name=&uri=x&signing=maybe&rate_limit=many&payload=[1]',
    );
    expect([status, body.errors]).toEqual([
      422,
      {
        name: ['The name field is required.'],
        uri: ['The uri field must be a valid URL.'],
        signing: ['The signing field must be true or false.'],
        rate_limit: ['The rate limit field must be an integer between 1 and 1000.'],
        payload: ['The payload field must be an object.'],
      },
    ]);
  });

  test('has the limits of a JSON body, must be UTF-8, and is refused for events', async () => {
    const large = await asForm('/developer/webhooks', `name=${'x'.repeat(64 * 1024)}`);
    expect(large.status).toBe(413);
    const deep = await asForm('/developer/webhooks', `payload${'[a]'.repeat(5_000)}=x`);
    expect([deep.status, deep.body.message]).toEqual([400, 'The request body is nested too deeply.']);
    const latin = await account
      .post('/developer/webhooks')
      .set('Content-Type', `${form}; charset=latin1`)
      .send('name=x');
    expect(latin.status).toBe(415);
    const events = await platform.post('/events').set('Content-Type', form).send('event=x');
    expect([events.status, events.body.message]).toEqual([
      415,
      'The request body must be application/json or application/x-ndjson.',
    ]);
    const proto = await asForm('/developer/webhooks', '__proto__[name]=x&constructor=y&uri=https://example.com');
    expect(proto.body.errors).toEqual({ name: ['The name field is required.'] });
  });
});

test('the last value of a repeated parameter counts, at any position', async () => {
  for (const name of ['first', 'second', 'third']) await makeWebhook(account, { name });
  const names = async (query: string) => {
    const { body } = await account.get(`/developer/webhooks?${query}`).expect(200);
    return body.data.map(({ name }: { name: string }) => name);
  };
  expect(await names('filter[name]=first&filter[name]=second')).toEqual(['second']);
  expect(await names('per_page=1&per_page=2&page=1&page=2')).toEqual(['first']);
  // Node parses a thousand parameters by default.
  expect(await names(`per_page=1&page=1${'&x'.repeat(2_000)}&page=3`)).toEqual(['first']);
  const path = '/api/v2/developer/webhooks';
  await api.raw.get(`${path}?access_token=wrong&access_token=${account.token}`).expect(200);
  await api.raw.get(`${path}?access_token=${account.token}&access_token=wrong`).expect(401);
  const { body } = await account.get('/developer/webhooks');
  const webhook = `/developer/webhooks/${body.data[0].id}`;
  await account.post(`${webhook}?_method=DELETE&_method=PUT`, webhookInput({ name: 'edited' })).expect(200);
  await account.get('/developer/deliveries?cursor=wrong&cursor=').expect(200);
});
