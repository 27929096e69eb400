import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { customer } from './api.js';
import { ringback, runCli } from './cli.js';
import { run, type Running } from './processes.js';

let database: TestDatabase;
let env: NodeJS.ProcessEnv;
let api: Running;
let baseUrl = '';
let accountId: string;
let accessToken: string;
beforeAll(async () => {
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, QUEUE_PREFIX: `e2e_${randomBytes(6).toString('hex')}`, PORT: '0' };
  api = run('apps/api/dist/main.js', { env });
  [, baseUrl = ''] = await api.waitFor(/"base_url":"([^"]+)"/);
  const account = (await ringback(['account', 'create', '--name', 'acme'], { env })) as Record<string, string>;
  accountId = account.id ?? '';
  accessToken = account.access_token ?? '';
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

test.each([
  [['--scopes', 'read'], ['read']],
  [
    ['--scopes', 'replay', '--scopes', 'read'],
    ['read', 'replay'],
  ],
  [
    ['--scopes', 'write, read'],
    ['read', 'write'],
  ],
])('token create %j creates a token with exactly these scopes', async (args, scopes) => {
  const token = (await ringback(['token', 'create', '--account', accountId, ...args], { env })) as {
    id: string;
    access_token: string;
    scopes: string[];
  };
  expect(token.scopes).toEqual(scopes);
  const listed = await ringback(['token', 'list', '--account', accountId], { env });
  expect(listed).toContainEqual(expect.objectContaining({ id: token.id, scopes }));

  const call = customer(baseUrl, token.access_token);
  expect((await call('GET', '/developer/webhooks')).status).toBe(200);
  const { status, body } = await call('DELETE', '/developer/webhooks/nonsense');
  const refused = { status: 'Forbidden', code: 403, message: 'This token lacks the scope "write".' };
  expect([status, body]).toEqual(
    scopes.includes('write') ? [404, expect.objectContaining({ message: 'Webhook not found.' })] : [403, refused],
  );
});

test.each(['all', '', 'read,', 'READ'])('token create --scopes %j is refused', async (scope) => {
  const args = ['token', 'create', '--account', accountId, '--scopes', scope];
  const line = `argument '${scope}' is invalid. Allowed choices are read, write, replay.`;
  expect(await runCli(args, { env })).toEqual({
    code: 1,
    stdout: '',
    stderr: `ringback: option '--scopes <list>' ${line}\n`,
  });
});

test('changes shows what customers and operators did, and --account those of one account', async () => {
  const webhook = { name: 'orders', uri: 'https://example.com/in?key=secret' };
  // On a busy machine the API may be late, and respond with 503.
  const { body } = await until(async () => {
    const response = await customer(baseUrl, accessToken)('POST', '/developer/webhooks', webhook);
    return response.status === 200 ? response : undefined;
  }, 'the webhook is created');
  const other = (await ringback(['account', 'create', '--name', 'other'], { env })) as { id: string };
  const token = (await ringback(['platform-token', 'create'], { env })) as { id: string };
  const [newest] = (await ringback(['changes', '--limit', '100'], { env })) as unknown[];
  expect(newest).toMatchObject({ account_id: null, actor: 'operator', action: 'platform_token.created' });
  expect(newest).toMatchObject({ object_type: 'platform_token', object_id: token.id });

  const [own] = (await ringback(['changes', '--account', accountId, '--limit', '100'], { env })) as unknown[];
  expect(own).toEqual({
    id: expect.any(String),
    account_id: accountId,
    at: expect.any(String),
    actor: expect.stringMatching(/^token:[0-9a-f-]{36}$/),
    action: 'webhook.created',
    object_type: 'webhook',
    object_id: body.data.id,
    changed: [
      { field: 'name', before: null, after: 'orders' },
      { field: 'uri', before: null, after: 'https://example.com/in' },
      { field: 'status', before: null, after: '1' },
    ],
  });
  const others = (await ringback(['changes', '--account', other.id], { env })) as { action: string }[];
  expect(others.map(({ action }) => action).sort()).toEqual(['account.created', 'token.created']);
  const unknown = await runCli(['changes', '--account', token.id], { env });
  expect([unknown.code, unknown.stderr]).toEqual([1, `ringback: --account: there is no account ${token.id}\n`]);
});
