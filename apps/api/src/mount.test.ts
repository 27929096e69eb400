import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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

const proxies = [
  ['removes', (prefix: string, path: string) => path.slice(prefix.length)],
  ['keeps', (_prefix: string, path: string) => path],
] as const;

const addresses = [
  ['/callbacks', '/api/v2'],
  ['/a/b', ''],
  // The path of the public URL looks like one of the service.
  ['/portal', '/api/v2'],
  ['/api/v2', '/api/v2'],
  ['/v2', '/v2'],
  ['/developer', ''],
] as const;

describe.each(proxies)('behind a proxy that %s the path of the public URL', (_what, forward) => {
  test.each(addresses)('%s, everything is found, with the API at "%s"', async (prefix, apiPath) => {
    const publicUrl = `https://api.test${prefix}`;
    const elsewhere = await api.variant({ publicUrl, baseUrl: `${publicUrl}${apiPath}` });
    const get = (path: string) => elsewhere.raw.get(forward(prefix, `${prefix}${path}`));
    const { status, body } = await get(`${apiPath}/developer/webhooks?access_token=${account.token}`);
    expect([status, body.meta?.path]).toEqual([200, `${publicUrl}${apiPath}/developer/webhooks`]);
    const { servers, paths } = (await get(`${apiPath}/openapi.json`)).body;
    expect([servers, paths['/healthz'].get.servers]).toEqual([
      [{ url: `${publicUrl}${apiPath}` }],
      [{ url: publicUrl }],
    ]);
    expect((await get('/portal/config.json')).body.api).toBe(`..${apiPath}`);
    expect((await get('/docs/start.js')).text).toContain(`"..${apiPath}/openapi.json"`);
    for (const path of [
      '/docs',
      '/docs/',
      '/docs/swagger-ui.css',
      '/portal/element.js',
      '/healthz',
      '/readyz',
      '/metrics',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 200]);
    expect((await get('/docs/nothing')).status).toBe(404);
    const platform = await api.makePlatform();
    const opened = elsewhere.raw.post(forward(prefix, `${prefix}${apiPath}/portal-sessions`));
    const { body: session } = await opened
      .set('Authorization', `Bearer ${platform.token}`)
      .send({ account_id: account.id });
    expect(session.data.url).toMatch(new RegExp(`^${publicUrl}/portal/#session=[\\w-]+$`));
  });
});

test('/docs is a page at the root', async () => {
  const { status, text, headers } = await api.raw.get('/docs');
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(text).toContain('"docs/start.js"');
  expect((await api.raw.get('/docs/')).text).toContain('"./start.js"');
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
