import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { eventNames } from '@ringback/rules';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { ringback } from './cli.js';
import { homeOf, run, type Running } from './processes.js';

const theme = { name: 'Acme Connect', accent: '#0a7cff', background: '#ffffff' };
const names = {
  PRODUCT_NAME: 'Acme Connect',
  HEADER_PREFIX: 'X-Acme-',
  USER_AGENT: 'acme/{version}',
  CALLBACK_HEADERS: '{"X-Tenant":"{{account_id}}","X-Region":"eu"}',
  PORTAL_THEME: JSON.stringify(theme),
};

let database: TestDatabase;
let receiver: Receiver;
let api: Running;
let worker: Running;
let baseUrl = '';
let account: { id: string; access_token: string };
let platformToken = '';
beforeAll(async () => {
  database = await createTestDatabase();
  receiver = await startReceiver();
  const env = {
    DATABASE_URL: database.url,
    QUEUE_PREFIX: `e2e_${randomBytes(6).toString('hex')}`,
    PORT: '0',
    EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
    RETRY_TIME_SCALE: '0.0002',
    LOG_FORMAT: 'json',
    ...names,
  };
  api = run('apps/api/dist/main.js', { env });
  worker = run('apps/worker/dist/main.js', { env });
  [, baseUrl = ''] = await api.waitFor(/"base_url":"([^"]+)"/);
  await worker.waitFor(/worker\.started/);
  account = (await ringback(['account', 'create', '--name', 'acme'], { env })) as typeof account;
  const created = await ringback(['platform-token', 'create'], { env });
  platformToken = (created as { platform_token: string }).platform_token;
});
afterAll(async () => {
  await Promise.all([api.stop(), worker.stop()]);
  await receiver.close();
  await database.drop();
});

/** Everything that a customer or receiver got, by what it was an answer to. */
const seen = new Map<string, string>();

async function request(path: string, { method = 'GET', token = account.access_token, ...more }: Options = {}) {
  const { body, headers } = more;
  const url = path.startsWith('http') ? path : `${baseUrl}${path}`;
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  seen.set(`${method} ${path} ${JSON.stringify(body)}`, `${JSON.stringify([...response.headers])} ${text}`);
  const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined;
  return { status: response.status, json, text };
}
type Options = { method?: string; token?: string; body?: unknown; headers?: Record<string, string> };

/** Package names in code samples may stay. */
const withoutPackages = (text: string) => text.replace(/@ringback\/\w+/g, '');

const expectNoName = () => {
  const found = [...seen].flatMap(([what, text]) => {
    const match = /.{0,60}ringback.{0,60}/is.exec(withoutPackages(text));
    return match ? [`${what}: ${match[0]}`] : [];
  });
  expect(found).toEqual([]);
  expect(seen.size).toBeGreaterThan(0);
  seen.clear();
};

test('callbacks, test calls and verifications have the names of the operator', async () => {
  const uri = `${receiver.origin}/hook`;
  const created = await request('/developer/webhooks', { method: 'POST', body: { name: 'a', uri, token: 'code' } });
  const { id } = created.json.data;
  let testCallCount = 0;
  for (const event of eventNames) {
    const { status } = await request(`/developer/webhooks/${id}/test`, { method: 'POST', body: { event } });
    if (status === 200) testCallCount++;
  }
  expect(testCallCount).toBeGreaterThan(0);
  const event = { event: 'sms:message:status', webhook_id: id, payload: { id: 'm:1' } };
  await request('/events', { method: 'POST', token: platformToken, body: event });
  const { calls } = receiver;
  const testCalls = () => calls.filter(({ headers }) => headers['x-acme-test'] === 'true');
  const isVerified = () => calls.some(({ path }) => path.includes('token=code'));
  const isDelivered = () => calls.some(({ body }) => body.toString() === JSON.stringify(event.payload));
  await until(() => testCalls().length === testCallCount && isVerified() && isDelivered(), 'the calls came');
  for (const { path, headers, body } of calls) seen.set(path, JSON.stringify(headers) + body.toString());
  for (const { headers } of calls)
    expect(headers).toMatchObject({ 'user-agent': expect.stringMatching(/^acme\/\d/), 'x-region': 'eu' });
  const callback = calls.find(({ body }) => body.toString() === JSON.stringify(event.payload));
  expect(callback?.headers).toMatchObject({
    'x-tenant': account.id,
    'x-acme-event': 'sms:message:status',
    'x-acme-attempt': '1',
  });
  const list = await until(async () => {
    const { json } = await request('/developer/deliveries');
    return json.data[0]?.state === 'delivered' && json;
  }, 'it was delivered');
  const shown = await request(`/developer/deliveries/${list.data[0].id}`);
  expect(shown.text).toContain('X-Acme-Delivery');
  const curl = await request(`/developer/deliveries/${list.data[0].id}/curl`);
  expect(curl.json.data.command).toContain("-H 'X-Region: eu'");
  expectNoName();
});

test('answers and errors of the API, its document and its page do not have the word', async () => {
  const { json: document } = await request('/openapi.json');
  expect(document.info.title).toBe('Acme Connect');
  expect(JSON.stringify(document)).toContain('`X-Acme-Delivery`');
  const origin = new URL(baseUrl).origin;
  expect((await request(`${origin}/docs`)).text).toContain('<title>Acme Connect API</title>');
  await request(`${origin}/docs/start.js`);
  await request(`${origin}/nothing`);
  const loop = await request('/developer/webhooks', { headers: { 'X-Acme-Delivery': 'x' } });
  expect([loop.status, loop.json.message]).toEqual([
    508,
    'This is a callback of Acme Connect. Its webhook must not point back at Acme Connect.',
  ]);
  const id = 'b7e0c1d2-9b6f-4c51-a98a-0123456789ab';
  for (const [path, methods] of Object.entries<object>(document.paths)) {
    for (const method of Object.keys(methods)) {
      const url = (methods as Record<string, { servers?: unknown }>)[method]?.servers ? `${origin}${path}` : path;
      if (url.endsWith('/metrics')) continue;
      const target = url.replace(/\{[^}]+\}/g, id);
      const hasBody = /^(post|put|patch)$/.test(method);
      for (const body of hasBody ? [{}, '{', { name: 1, uri: 'x' }] : [undefined])
        await request(target, { method: method.toUpperCase(), ...(body === undefined ? {} : { body }) });
      await request(target, { method: method.toUpperCase(), token: 'wrong', ...(hasBody ? { body: {} } : {}) });
      await request(target, { method: 'OPTIONS' });
    }
  }
  expectNoName();
});

test('the portal does not have the word, and has the theme of the operator below that of the session', async () => {
  const origin = new URL(baseUrl).origin;
  const fields = { account_id: account.id, theme: { accent: '#112233' } };
  const link = await request('/portal-sessions', { method: 'POST', token: platformToken, body: fields });
  const session = new URL(link.json.data.url).hash.replace('#session=', '');
  const opened = await request('/portal-sessions/exchange', { method: 'POST', body: { session } });
  expect(opened.json.data.theme).toEqual({ ...theme, accent: '#112233' });
  expect((await request(`${origin}/portal/config.json`)).json.header_prefix).toBe('X-Acme-');
  await request(`${origin}/portal/`);
  await request(`${origin}/portal/element.js`);
  const files = readdirSync(`${homeOf('apps/')}apps/portal/dist/assets`);
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) expect((await request(`${origin}/portal/assets/${file}`)).status).toBe(200);
  expectNoName();
});
