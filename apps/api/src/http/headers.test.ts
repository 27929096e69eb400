import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openApi, type TestAccount, type TestApi } from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => {
  api = await openApi();
  account = await api.makeAccount();
});
afterAll(() => api.close());

const webhooks = '/api/v2/developer/webhooks';
const fromElsewhere = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };

test.each([
  ['a list', 'get', webhooks, 200],
  ['a path that is none', 'get', '/api/v2/nothing', 404],
  ['the health', 'get', '/healthz', 200],
  ['a preflight', 'options', webhooks, 204],
] as const)('%s has the headers of helmet, says nothing of Express and is for no other origin', async (...row) => {
  const [, method, path, status] = row;
  const asked = api.raw[method](path).set({ authorization: `Bearer ${account.token}`, ...fromElsewhere });
  const { headers } = await asked.expect(status);
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
