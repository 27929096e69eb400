import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '@ringback/ledger';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import { customer } from './api.js';
import { readAllRows } from './read-all-rows.js';
import { ringback, runCli } from './cli.js';
import { run, type Running } from './processes.js';

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const [k1, k2, k3] = [newKey('k1'), newKey('k2'), newKey('k3')];
const marked = (what: string) => `marked-${what}-${randomBytes(6).toString('hex')}`;

let receiver: Receiver;
let database: TestDatabase;
let db: Database;
let running: Running[] = [];

beforeAll(async () => {
  receiver = await startReceiver({
    answer: ({ body }) => ({ status: 200, body: JSON.stringify({ challenge: JSON.parse(body.toString()).challenge }) }),
  });
});
beforeEach(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, connections: 1, connectTimeoutMs: 60_000 });
});
afterEach(async () => {
  await Promise.all(running.map((program) => program.stop()));
  running = [];
  await db.close();
  await database.drop();
});
afterAll(() => receiver.close());

const envOf = (keys: string) => ({
  DATABASE_URL: database.url,
  SECRETS_KEYS: keys,
  PORT: '0',
  EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
  LOG_FORMAT: 'json',
});
type Account = { id: string; access_token: string; callback_token: string };
const createAccount = async (keys: string) =>
  (await ringback(['account', 'create', '--name', 'acme'], { env: envOf(keys) })) as Account;
const rotate = (keys: string) => ringback(['secrets', 'rotate'], { env: envOf(keys) });
const sendTo = (webhookId: string, keys: string) =>
  ringback(['event', 'sample', 'sms', '--account', account.id, '--webhook', webhookId], { env: envOf(keys) });
let account: Account;

function start(app: 'api' | 'worker', keys: string): Running {
  const program = run(`apps/${app}/dist/main.js`, { env: envOf(keys) });
  running.push(program);
  return program;
}

async function startApi(keys: string) {
  const [, baseUrl = ''] = await start('api', keys).waitFor(/"base_url":"([^"]+)"/);
  return customer(baseUrl, account.access_token);
}

async function startWorker(keys: string): Promise<Running> {
  const worker = start('worker', keys);
  await worker.waitFor(/worker\.started/);
  return worker;
}

/** The bearer token of the first call to the path. */
async function bearerAt(path: string): Promise<string | undefined> {
  for (let count = 1; ; count++) {
    const calls = await receiver.waitFor(count);
    const call = calls.find((received) => received.path.startsWith(path));
    if (call) return call.headers.authorization;
  }
}

const advice = 'run the command with the SECRETS_KEYS of the API and the workers';

test('a command without the key names the variable to set, and says whose keys the variable must have', async () => {
  account = await createAccount(k1);
  const args = ['account', 'create', '--name', 'second'];
  const { code, stdout, stderr } = await runCli(args, { env: envOf('') });
  expect([code, stdout]).toEqual([1, '']);
  const location = `accounts.callback_token of ${account.id}`;
  expect(stderr).toBe(`ringback: SECRETS_KEYS has no key "k1", which ${location} was encrypted with; ${advice}\n`);
  const unset = await runCli(['secrets', 'rotate'], { env: envOf('') });
  expect(unset.stderr).toBe(`ringback: SECRETS_KEYS is not set, so there is no key to encrypt with; ${advice}\n`);
});

test('a secret of a customer is returned by the API and used in callbacks, and no row contains it in clear', async () => {
  account = await createAccount(k1);
  const call = await startApi(k1);
  await startWorker(k1);
  const [secret, token, later] = [marked('secret'), marked('token'), marked('later')];
  const [userinfo, password] = [marked('user'), marked('password')];
  const body = { name: 'hook', uri: `${receiver.origin}/sealed`, secret, token };
  const { body: created } = await call('POST', '/developer/webhooks', body);
  expect(created.data).toMatchObject({ secret, verification_code: token });
  const { id } = created.data;
  expect(await bearerAt(`/sealed?token=${token}`)).toBe(`Bearer ${secret}`);
  const { body: plain } = await call('POST', '/developer/webhooks', {
    name: 'hook',
    uri: `${receiver.origin}/callback-token`,
  });
  await sendTo(plain.data.id, k1);
  expect(await bearerAt('/callback-token')).toBe(`Bearer ${account.callback_token}`);
  const basic = `${userinfo}:${password}`;
  const withUser = { name: 'hook', uri: `${receiver.origin.replace('//', `//${basic}@`)}/basic` };
  const { body: named } = await call('POST', '/developer/webhooks', withUser);
  await sendTo(named.data.id, k1);
  expect(await bearerAt('/basic')).toBe(`Basic ${Buffer.from(basic).toString('base64')}`);
  expect((await call('DELETE', `/developer/webhooks/${named.data.id}`)).status).toBe(200);

  const texts = await readAllRows(database.url);
  expect(texts).toContain(id);
  for (const text of [secret, token, userinfo, password, account.callback_token, account.access_token])
    expect(texts).not.toContain(text);

  const edited = await call('PUT', `/developer/webhooks/${id.toUpperCase()}`, {
    name: 'hook',
    uri: body.uri,
    secret: later,
  });
  expect(edited.body.data).toMatchObject({ secret: later, verification_code: token });
  expect((await call('GET', '/developer/webhooks')).body.data).toMatchObject([{ secret: null }, { secret: later }]);
  expect(await readAllRows(database.url)).not.toContain(later);
  const cleared = await call('PUT', `/developer/webhooks/${id}`, { name: 'hook', uri: body.uri, secret: null });
  expect(cleared.body.data).toMatchObject({ secret: null, verification_code: token });
});

test('an unencrypted database can be read; a rotation encrypts it, and a second rotation works', async () => {
  account = await createAccount('');
  const [secret, token] = [marked('secret'), marked('token')];
  const inClear = await startApi('');
  expect(running[0]!.output()).toMatch(/"level":"warn","message":"secrets\.unencrypted"/);
  const body = { name: 'hook', uri: `${receiver.origin}/once-clear`, secret, token };
  const { id } = (await inClear('POST', '/developer/webhooks', body)).body.data;
  const before = (await inClear('GET', `/developer/webhooks/${id}`)).body.data;
  expect(await readAllRows(database.url)).toContain(secret);

  const call = await startApi(k1);
  expect((await call('GET', `/developer/webhooks/${id}`)).body.data).toEqual(before);
  // The secret, the code, the signing secret and the callback token.
  expect(await rotate(k1)).toEqual({ encrypted: 4, left: 0, unreadable: 0 });
  const texts = await readAllRows(database.url);
  for (const text of [secret, token, account.callback_token]) expect(texts).not.toContain(text);
  expect(await rotate(k1)).toEqual({ encrypted: 0, left: 0, unreadable: 0 });

  expect(await rotate(`${k2},${k1}`)).toEqual({ encrypted: 4, left: 0, unreadable: 0 });
  expect((await readAllRows(database.url)).match(/v1:k\d:/g)).toEqual(['v1:k2:', 'v1:k2:', 'v1:k2:', 'v1:k2:']);
  const fresh = await startApi(k2);
  expect((await fresh('GET', `/developer/webhooks/${id}`)).body.data).toEqual(before);
});

test('a rotation of more rows than one batch encrypts all rows, and counts those that no key decrypts', async () => {
  account = await createAccount(k1);
  await db.pool.query(
    `INSERT INTO webhooks (account_id, name, uri, secret) SELECT $1, 'many', 'https://example.com', 'secret ' || n FROM generate_series(1, 1201) n`,
    [account.id],
  );
  await db.pool.query(`UPDATE webhooks SET secret = 'v1:lost:' || repeat('A', 60) WHERE secret = 'secret 7'`);
  const { code, stdout } = await runCli(['secrets', 'rotate', '--json'], { env: envOf(`${k2},${k1}`) });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({ encrypted: 1201, left: 1, unreadable: 1 });
});

test('a secret whose key is missing uses up no attempt, is sent to no receiver, and delays no other delivery', async () => {
  account = await createAccount(k1);
  const call = await startApi(k1);
  const worker = await startWorker(k1);
  const make = async (path: string) =>
    (await call('POST', '/developer/webhooks', { name: 'hook', uri: `${receiver.origin}${path}`, secret: 'x' })).body
      .data.id;
  const [lost, fine] = [await make('/lost'), await make('/fine')];
  await db.pool.query(`UPDATE webhooks SET secret = 'v1:lost:' || repeat('A', 60) WHERE id = $1`, [lost]);
  await sendTo(lost, k1);
  await sendTo(fine, k1);
  expect(await bearerAt('/fine')).toBe('Bearer x');
  const said = `SECRETS_KEYS has no key \\"lost\\", which webhooks.secret of ${lost} was encrypted with`;
  await worker.waitFor(/"message":"webhook\.secret_unreadable"/);
  expect(worker.output()).toContain(said);
  const list = ['delivery', 'list', '--webhook', lost];
  expect(await ringback(list, { env: envOf(k1) })).toMatchObject([
    { state: 'pending', attempt_count: 0, attempts: [] },
  ]);
  const { status, body } = await call('GET', `/developer/webhooks/${lost}`);
  expect([status, body.data.secret, body.data.unreadable]).toEqual([200, null, ['secret']]);
  expect((await call('GET', `/developer/webhooks/${fine}`)).status).toBe(200);
});

test.each(['api', 'worker'] as const)('a start of the %s with the wrong keys ends with one line', async (app) => {
  account = await createAccount(k1);
  const location = `accounts.callback_token of ${account.id}`;
  const startRefused = async (keys: string) => {
    const program = start(app, keys);
    return [await program.ended, program.output()];
  };
  const missing = `ringback: SECRETS_KEYS has no key "k1", which ${location} was encrypted with\n`;
  // If one of the keys decrypts a value, another value that no key decrypts does not prevent the start.
  const { id } = await (
    await db.prisma()
  ).webhook.create({
    data: { accountId: account.id, name: 'lost', uri: receiver.origin, secret: `v1:lost:${'A'.repeat(60)}` },
  });
  const fits = start(app, `${k3},${k1}`);
  await fits.waitFor(/\.started"/);
  await fits.stop();
  await (await db.prisma()).webhook.delete({ where: { id } });
  expect(await startRefused('')).toEqual([1, missing]);
  expect(await startRefused(k2)).toEqual([1, missing]);
  expect(await startRefused(k3.replace('k3', 'k1'))).toEqual([
    1,
    `ringback: the key "k1" of SECRETS_KEYS does not decrypt ${location}: it is another key, or the value was changed\n`,
  ]);
  expect(await startRefused('hunter2')).toEqual([
    1,
    'ringback: SECRETS_KEYS must be keys of 32 bytes, separated by commas, each as name:base64; number 1 is not\n',
  ]);
});

test.each(['api', 'worker'] as const)('a start of the %s before the migrations ends with one line', async (app) => {
  await db.pool.query('DROP SCHEMA public CASCADE');
  await db.pool.query('CREATE SCHEMA public');
  const program = start(app, k1);
  const line = 'ringback: the database has no tables of Ringback; run `ringback migrate` first\n';
  expect([await program.ended, program.output()]).toEqual([1, line]);
});

test('an account cannot be created unencrypted when other secrets are encrypted', async () => {
  account = await createAccount(k1);
  await expect(createAccount('')).rejects.toThrow('SECRETS_KEYS has no key "k1"');
});
