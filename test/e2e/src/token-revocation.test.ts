import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sampleEvent } from '@ringback/rules';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import { customer } from './api.js';
import { ringback, runCli } from './cli.js';
import { run, type Running } from './processes.js';

let database: TestDatabase;
let env: NodeJS.ProcessEnv;
let api: Running;
let baseUrl = '';

beforeAll(async () => {
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, PORT: '0', LOG_FORMAT: 'json' };
  api = run('apps/api/dist/main.js', { env });
  [, baseUrl = ''] = await api.waitFor(/"base_url":"([^"]+)"/);
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const unknownId = '180ebbb5-9b6f-4c51-a98a-0123456789ab';

test('an access token that is revoked is refused from the next request on, and the others are not', async () => {
  const account = (await ringback(['account', 'create', '--name', 'acme'], { env })) as {
    id: string;
    access_token: string;
  };
  const of = ['--account', account.id];
  const further = (await ringback(['token', 'create', ...of], { env })) as { id: string; access_token: string };
  const call = customer(baseUrl, further.access_token);
  expect((await call('GET', '/developer/webhooks')).status).toBe(200);

  const scopes = ['read', 'write', 'replay'];
  const revoked = { id: further.id, account_id: account.id, scopes, created_at: time, revoked_at: time };
  expect(await ringback(['token', 'revoke', further.id], { env })).toEqual(revoked);
  const refused = await call('GET', '/developer/webhooks');
  expect(refused).toEqual({ status: 401, body: { status: 'Unauthenticated', code: 401, message: 'Unauthenticated.' } });
  expect((await customer(baseUrl, account.access_token)('GET', '/developer/webhooks')).status).toBe(200);

  const listed = await ringback(['token', 'list', ...of], { env });
  expect(listed).toEqual([
    revoked,
    { id: expect.any(String), account_id: account.id, scopes, created_at: time, revoked_at: null },
  ]);
  const [before] = listed as unknown[];
  expect(await ringback(['token', 'revoke', further.id], { env })).toEqual(before);
});

test('a platform token that is revoked is refused from the next request on', async () => {
  const token = (await ringback(['platform-token', 'create', '--name', 'smsc'], { env })) as {
    id: string;
    platform_token: string;
  };
  const call = customer(baseUrl, token.platform_token);
  const event = sampleEvent('sms', { accountId: unknownId });
  expect((await call('POST', '/events', event)).status).toBe(202);
  const scopes = ['events', 'portal'];
  const revoked = { id: token.id, name: 'smsc', scopes, created_at: time, revoked_at: time };
  expect(await ringback(['platform-token', 'revoke', token.id], { env })).toEqual(revoked);
  expect((await call('POST', '/events', event)).status).toBe(401);
  expect(await ringback(['platform-token', 'list'], { env })).toEqual([revoked]);
});

test.each([
  [['token', 'revoke', unknownId], `there is no token ${unknownId}`],
  [['token', 'revoke', 'x'], "command-argument value 'x' is invalid for argument 'id'. It must be a UUID."],
  [['platform-token', 'revoke', 'x'], "command-argument value 'x' is invalid for argument 'id'. It must be a UUID."],
  [['token', 'list', '--account', unknownId], `--account: there is no account ${unknownId}`],
  [['platform-token', 'revoke', unknownId], `there is no platform-token ${unknownId}`],
])('ringback %j fails with a message that names the wrong value', async (args, line) => {
  expect(await runCli(args, { env })).toEqual({ code: 1, stdout: '', stderr: `ringback: ${line}\n` });
});
