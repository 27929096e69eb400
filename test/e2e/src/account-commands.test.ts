import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import pg from 'pg';
import { ringback, runCli } from './cli.js';

let database: TestDatabase;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url };
});
afterAll(() => database.drop());

async function makeWebhook(accountId: string): Promise<string> {
  const client = new pg.Client(database.url);
  await client.connect();
  const sql = `INSERT INTO webhooks (account_id, name, uri) VALUES ($1, 'hook', 'http://127.0.0.1:1/') RETURNING id`;
  const { rows } = await client.query<{ id: string }>(sql, [accountId]).finally(() => client.end());
  return rows[0]!.id;
}

const unknownId = '180ebbb5-9b6f-4c51-a98a-0123456789ab';
const account = async (...args: string[]) => (await ringback(['account', ...args], { env })) as Record<string, unknown>;
const create = async (...args: string[]) => String((await account('create', '--name', 'acme', ...args)).id);

test('an account is shown, changed, suspended, activated and deleted', async () => {
  const id = await create('--external-id', '4711');
  const shown = { id, name: 'acme', external_id: '4711', status: 'active' };
  expect(await account('show', id)).toMatchObject(shown);
  expect(await account('update', id, '--name', 'Acme Ltd')).toMatchObject({ ...shown, name: 'Acme Ltd' });
  expect(await account('update', id, '--external-id', '')).toMatchObject({ name: 'Acme Ltd', external_id: null });
  expect(await account('suspend', id)).toMatchObject({ id, status: 'suspended' });
  expect(await account('list', '--status', 'suspended')).toMatchObject([{ id }]);
  expect(await account('activate', id)).toMatchObject({ id, status: 'active' });
  expect(await account('list', '--status', 'suspended')).toEqual([]);
  expect(await account('callback-token', id)).toEqual({ id, callback_token: expect.stringMatching(/^rb_callback_/) });
  expect(await account('delete', id)).toEqual({ id, deleted: true });
  const { code, stderr } = await runCli(['account', 'show', id], { env });
  expect([code, stderr]).toEqual([1, `ringback: there is no account ${id}\n`]);
});

test('account list finds by name and by external id, and says when there are more', async () => {
  const id = await create('--external-id', 'list-1');
  const other = await create();
  expect(await account('list', '--external-id', 'list-1')).toMatchObject([{ id }]);
  expect(await account('list', '--name', 'ACM', '--limit', '2')).toMatchObject([{ id: other }, { id }]);
  const { stderr } = await runCli(['account', 'list', '--limit', '1'], { env });
  expect(stderr).toContain('only the newest 1 are listed');
});

test('account delete needs --force while deliveries are pending', async () => {
  const id = await create();
  const webhookId = await makeWebhook(id);
  await ringback(['event', 'sample', 'sms', '--account', id, '--webhook', webhookId], { env });
  const { code, stderr } = await runCli(['account', 'delete', id], { env });
  const message = 'the account has pending deliveries; with --force they end as skipped';
  expect([code, stderr]).toEqual([1, `ringback: ${message}\n`]);
  expect(await account('delete', id, '--force')).toEqual({ id, deleted: true });
  expect(await ringback(['delivery', 'list', '--account', id], { env })).toMatchObject([{ state: 'skipped' }]);
});

test.each([
  [['account', 'show', unknownId], `there is no account ${unknownId}`],
  [['account', 'suspend', unknownId], `there is no account ${unknownId}`],
  [['account', 'delete', unknownId], `there is no account ${unknownId}`],
  [['account', 'callback-token', unknownId], `there is no account ${unknownId}`],
  [['account', 'update', unknownId], 'give --name, --external-id or --other-installation'],
])('ringback %j fails with a message', async (args, line) => {
  expect(await runCli(args, { env })).toEqual({ code: 1, stdout: '', stderr: `ringback: ${line}\n` });
});

test('platform-token create takes scopes, and names them when one is unknown', async () => {
  const create = (scope: string) => ['platform-token', 'create', '--scope', scope];
  expect(await ringback(create('act,accounts'), { env })).toMatchObject({ scopes: ['accounts', 'act'] });
  const { code, stderr } = await runCli(create('root'), { env });
  expect(code).toBe(1);
  expect(stderr).toContain('Allowed choices are events, portal, accounts, act, outcomes, import.');
});
