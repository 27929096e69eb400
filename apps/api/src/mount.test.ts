import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestAccount, type TestApi } from './api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => {
  api = await startApi();
  account = await api.makeAccount();
});
afterAll(() => api.close());

test.each([
  ['https://api.test', ''],
  ['https://api.test/v9', '/v9'],
  ['https://api.test/a/b/api/v2', '/a/b/api/v2'],
])('with the base URL %s, the API is at its path and health at the root', async (baseUrl, mount) => {
  const elsewhere = await api.variant({ baseUrl });
  const path = `${mount}/developer/webhooks?access_token=${account.token}`;
  const { status, body } = await elsewhere.raw.get(path);
  expect(status).toBe(200);
  expect(body.meta.path).toBe(`${baseUrl}/developer/webhooks`);
  expect((await elsewhere.raw.get('/healthz')).status).toBe(200);
  expect((await elsewhere.raw.get('/nothing')).status).toBe(404);
});

test('/docs is a page at the root', async () => {
  const { status, text, headers } = await api.raw.get('/docs');
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(text).toContain('docs/start.js');
});

const webhooks = '/api/v2/developer/webhooks';
const fromElsewhere = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };

test.each([
  ['a list', 'get', webhooks, 200],
  ['an unknown path', 'get', '/api/v2/nothing', 404],
  ['the health check', 'get', '/healthz', 200],
  ['a preflight', 'options', webhooks, 204],
] as const)('%s has the headers of helmet, does not name Express and allows no other origin', async (...row) => {
  const [, method, path, status] = row;
  const request = api.raw[method](path).set({ authorization: `Bearer ${account.token}`, ...fromElsewhere });
  const { headers } = await request.expect(status);
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'strict-transport-security': expect.stringMatching(/^max-age=\d{8}/),
    'content-security-policy': expect.stringContaining('default-src'),
    'referrer-policy': 'no-referrer',
  });
  const names = Object.keys(headers).filter((name) => /^(x-powered-by|server|access-control-.*)$/.test(name));
  expect(names).toEqual([]);
});
