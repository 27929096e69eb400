import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import { customer } from './api.js';
import { ringback, runCli } from './cli.js';
import { run, type Running } from './processes.js';

type Link = { id: string; url: string; expires_at: string };

let database: TestDatabase;
let env: NodeJS.ProcessEnv;
let api: Running;
let baseUrl = '';
let accountId: string;
let webhookId: string;
let otherWebhookId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, QUEUE_PREFIX: `e2e_${randomBytes(6).toString('hex')}`, PORT: '0' };
  api = run('apps/api/dist/main.js', { env });
  [, baseUrl = ''] = await api.waitFor(/"base_url":"([^"]+)"/);
  const account = (await ringback(['account', 'create', '--name', 'acme'], { env })) as Record<string, string>;
  accountId = account.id ?? '';
  const call = customer(baseUrl, account.access_token ?? '');
  const created = await call('POST', '/developer/webhooks', { name: 'one', uri: 'https://example.com/' });
  webhookId = created.body.data.id;
  const other = await call('POST', '/developer/webhooks', { name: 'two', uri: 'https://example.com/' });
  otherWebhookId = other.body.data.id;
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

const link = (...args: string[]) => ['portal-link', '--account', accountId, '--url', baseUrl, ...args];
const exchange = async (url: string) => {
  const session = new URL(url).hash.replace('#session=', '');
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ session });
  const answer = await fetch(`${baseUrl}/portal-sessions/exchange`, { method: 'POST', headers, body });
  return ((await answer.json()) as { data: Record<string, unknown> }).data;
};

test('portal-link prints a link that works', async () => {
  const { code, stdout, stderr } = await runCli(link(), { env });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^http:\/\/localhost:\d+\/portal\/#session=rb_portal_[\w-]{32}\n$/);
  const session = await exchange(stdout.trim());
  expect(session).toMatchObject({ account: { id: accountId, name: 'acme' }, webhook_ids: null, mask: false });
  expect(session.scopes).toEqual(['read', 'write', 'replay']);
  const call = customer(baseUrl, String(session.token));
  expect((await call('GET', `/developer/webhooks/${webhookId}`)).status).toBe(200);
});

test.each([
  [{ PUBLIC_URL: 'https://a.example/x/' }, [], 'https://a.example/x'],
  [{ PUBLIC_URL: 'https://a.example/x', API_PATH: '/v2' }, [], 'https://a.example/x'],
  [{ BASE_URL: 'https://a.example/x/api/v2' }, [], 'https://a.example/x'],
  [{ PUBLIC_URL: 'https://a.example' }, ['--url', 'https://b.example/x/api/v2/'], 'https://b.example/x'],
  [{ API_PATH: '/v2' }, ['--url', 'https://b.example/x/v2'], 'https://b.example/x'],
])('with %j and %j the link starts with %s', async (address, args, publicUrl) => {
  const words = ['portal-link', '--account', accountId, ...args];
  const { code, stdout } = await runCli(words, { env: { ...env, ...address } });
  expect([code, stdout.split('#')[0]]).toEqual([0, `${publicUrl}/portal/`]);
});

test('a contradiction in the environment is refused with one line', async () => {
  const address = { PUBLIC_URL: 'https://a.example/x', BASE_URL: 'https://a.example/api/v2' };
  const { code, stderr } = await runCli(['portal-link', '--account', accountId], { env: { ...env, ...address } });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^ringback: BASE_URL contradicts PUBLIC_URL[^\n]+\n$/)]);
});

test('the options of portal-link limit and describe the session', async () => {
  const options = ['--scopes', 'replay,read', '--webhook', webhookId, '--expires-in', '60', '--actor', 'Ann', '--mask'];
  const { id, url, expires_at, ...rest } = (await ringback(link(...options), { env })) as Link;
  expect([id, rest]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), {}]);
  const { token: _token, ...session } = await exchange(url);
  expect(session).toMatchObject({ scopes: ['read', 'replay'], webhook_ids: [webhookId], actor: 'Ann', mask: true });
  expect(new Date(String(session.expires_at))).toEqual(new Date(expires_at));
});

test('--scopes limits a session, and --webhook takes several ids', async () => {
  const { url } = (await ringback(link('--scopes', 'read', '--webhook', webhookId, otherWebhookId), { env })) as Link;
  const { scopes, webhook_ids } = await exchange(url);
  expect(scopes).toEqual(['read']);
  expect([webhook_ids].flat().sort()).toEqual([webhookId, otherWebhookId].sort());
});

test.each([
  [['--expires-in', '59'], /must be a whole number from 60 to 3600/],
  [['--scopes', 'admin'], /Allowed choices are read, write, replay/],
  [['--actor', ' '], /must have 1 to 255 characters/],
  [['--url', 'nowhere'], /must be an http or https URL/],
  [['--webhook', '180ebbb5-9b6f-4c51-a98a-0123456789ab'], /--webhook: the account has no such webhook/],
  [['--webhook', 'x'], /'--webhook <ids\.\.\.>' argument 'x' is invalid\. It must be a UUID\./],
  [['--account', '180ebbb5-9b6f-4c51-a98a-0123456789ab'], /--account: there is no account 180ebbb5/],
])('%j is refused with one line', async (args, complaint) => {
  const { code, stdout, stderr } = await runCli(link(...args), { env });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^ringback: [^\n]+\n$/);
  expect(stderr).toMatch(complaint);
});
