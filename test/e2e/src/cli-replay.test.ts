import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { type Database, listNewestDeliveries, openDatabase } from '@ringback/ledger';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { sampleEvent } from '@ringback/rules';
import { createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { customer } from './api.js';
import { ringback, runCli } from './cli.js';
import { run, type Running } from './processes.js';

type Account = { id: string; access_token: string };
type Replay = { id: string; state: string; replayed: number };

const main = 'apps/cli/dist/main.js';
const isTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

let database: TestDatabase;
let db: Database;
let env: NodeJS.ProcessEnv;
let account: Account;
let api: Running;
let receiver: Receiver;
let call: ReturnType<typeof customer>;
const cli = (...args: string[]) => runCli(args, { env });
const json = async <T>(...args: string[]) => (await ringback(args, { env })) as T;
const runWorker = async () => {
  const worker = run('apps/worker/dist/main.js', { env });
  await worker.waitFor(/worker\.started/);
  return worker;
};

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, connections: 1, connectTimeoutMs: 60_000 });
  env = { DATABASE_URL: database.url, QUEUE_PREFIX: `e2e_${randomBytes(6).toString('hex')}`, PORT: '0' };
  env = { ...env, EGRESS_ALLOWED_CIDRS: '127.0.0.0/8', LOG_FORMAT: 'json', SMS_RETRIES: '0' };
  account = await json<Account>('account', 'create', '--name', 'acme');
  receiver = await startReceiver();
  api = run('apps/api/dist/main.js', { env });
  const [, baseUrl = ''] = await api.waitFor(/"base_url":"([^"]+)"/);
  call = customer(baseUrl, account.access_token);
});
afterAll(async () => {
  await api.stop();
  await receiver.close();
  await db.close();
  await database.drop();
});

/** Creates a webhook with `count` failed deliveries, and returns its id. No worker runs afterwards. */
async function createFailedDeliveries(count: number): Promise<string> {
  receiver.answerWith({ status: 500 });
  const { body } = await call('POST', '/developer/webhooks', { name: 'in', uri: `${receiver.origin}/in` });
  const id: string = body.data.id;
  const worker = await runWorker();
  const events = Array.from({ length: count }, () => sampleEvent('sms', { accountId: account.id, webhookId: id }));
  await runCli(['event', 'publish'], { env, input: JSON.stringify(events) });
  const countFailed = async () =>
    (await listNewestDeliveries(db, { webhookId: id, state: 'failed', limit: 10 })).length;
  await until(async () => (await countFailed()) >= count, 'all deliveries have failed');
  await worker.stop();
  return id;
}

test('ringback replay counts, starts and follows a replay to its end, and lists it', async () => {
  const webhook = await createFailedDeliveries(3);
  const counted = (...args: string[]) => json('replay', 'start', '--webhook', webhook, '--dry-run', ...args);
  expect(await counted()).toEqual({ count: 3, complete: true });
  expect(await counted('--state', 'delivered,skipped')).toMatchObject({ count: 0 });
  expect(await counted('--state', 'failed')).toMatchObject({ count: 3 });
  expect(await counted('--response-code', '500', '--event', 'sms:message:status')).toMatchObject({ count: 3 });
  expect(await counted('--since', '2020-01-01', '--until', '2020-01-02T00:00')).toMatchObject({ count: 0 });

  const started = await json<Replay>('replay', 'start', '--webhook', webhook, '--rate', '9', '--error', 'status');
  const filter = { status: 'failed,skipped', error: 'status' };
  const common = {
    id: started.id,
    webhook_id: webhook,
    reason: null,
    filter,
    rate: 9,
    total: 3,
    created_at: isTime,
    updated_at: isTime,
  };
  expect(started).toEqual({ ...common, state: 'running', replayed: 0, finished_at: null });
  const again = await cli('replay', 'start', '--webhook', webhook);
  expect([again.code, again.stderr]).toEqual([1, `ringback: webhook ${webhook} already has a running replay\n`]);

  receiver.answerWith({ status: 200 });
  const [worker, { code, stdout, stderr }] = await Promise.all([
    runWorker(),
    cli('replay', 'show', started.id, '--follow'),
  ]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^state: done$[^]*^replayed: 3$/m)]);
  expect(stderr).toMatch(new RegExp(`^replay ${started.id}\nmaking deliveries due\n(  … [0-2] of 3\n)*  … 3 of 3\n$`));
  const finished = { ...common, state: 'done', replayed: 3, finished_at: isTime };
  expect(await json('replay', 'show', started.id, '--follow')).toEqual(finished);
  expect(await json('replay', 'list', '--account', account.id, '--webhook', webhook)).toEqual([finished]);
  const done = await cli('replay', 'cancel', started.id);
  expect([done.code, done.stderr]).toEqual([1, `ringback: replay ${started.id} had already ended\n`]);
  await worker.stop();
});

test('ringback replay cancel ends a replay, and the command that follows it', async () => {
  const webhook = await createFailedDeliveries(1);
  const following = run(main, { env, args: ['replay', 'start', '--webhook', webhook, '--follow'] });
  const [, id = ''] = await following.waitFor(/replay (\S+)\nmaking deliveries due\n {2}… 0 of 1\n/);
  expect(await json<Replay>('replay', 'cancel', id)).toMatchObject({ id, state: 'cancelled', finished_at: isTime });
  expect(await following.ended).toBe(1);
  expect(following.output()).toMatch(/^state: cancelled$/m);
  const [newest] = await json<Replay[]>('replay', 'list', '--account', account.id, '--limit', '10');
  expect(newest).toMatchObject({ id, state: 'cancelled', replayed: 0 });
});

const none = randomUUID();
test.each([
  [['start', '--webhook', none], new RegExp(`--webhook: there is no webhook ${none}`)],
  [['start'], /required option '--webhook <id>'/],
  [['start', '--webhook', none, '--state', 'pending'], /--state.*Each must be one of delivered, failed, skipped/],
  [['start', '--webhook', none, '--rate', '0'], /--rate.*whole number from 1 to 1000/],
  [['start', '--webhook', none, '--error', 'unknown'], /--error.*timeout/],
  [['start', '--webhook', none, '--since', 'now'], /--since.*a time such as/],
  [['list', '--account', none], new RegExp(`--account: there is no account ${none}`)],
  [['show', none], new RegExp(`there is no replay ${none}`)],
  [['cancel', 'x'], /UUID/],
])('ringback replay %j is refused in one line', async (args, complaint) => {
  const { code, stdout, stderr } = await cli('replay', ...args);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^ringback: [^\n]+\n$/);
  expect(stderr).toMatch(complaint);
});
