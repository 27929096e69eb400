import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { sign } from '@ringback/rules';
import { openQueueEngine, openQueues, type Queues } from '@ringback/queue';
import { backends, createTestDatabase, type TestDatabase } from '@ringback/testing';
import { runCommand } from './command.js';
import { run, type Running } from './processes.js';

const main = 'apps/cli/dist/main.js';

describe('sandbox receive', () => {
  const webhookId = randomUUID();
  const body = JSON.stringify({ id: 'b34e35ad:1', status: 'DELIVRD' });
  const good = { authorization: 'Bearer right', signature: sign(Buffer.from(body), webhookId) };
  let sandbox: Running;
  let origin: string;

  const receive = async (...options: string[]) => {
    const args = ['sandbox', 'receive', '--port', '0', '--webhook', randomUUID(), webhookId];
    sandbox = run(main, { args: [...args, '--bearer', 'right', ...options] });
    const [, port = ''] = await sandbox.waitFor(/receiving at http:\/\/localhost:(\d+)\//);
    origin = `http://127.0.0.1:${port}`;
  };
  const call = (headers: Record<string, string>, text = body) =>
    fetch(`${origin}/in?x=1`, { method: 'POST', headers, body: text, redirect: 'manual' });

  afterEach(async () => {
    expect(await sandbox.stop('SIGINT')).toBe(0);
  });

  test('prints each callback, that its bearer token and signature are valid, and its response', async () => {
    await receive();
    const more = { 'x-ringback-event': 'sms:message:status', 'x-ringback-delivery': 'd-1', 'x-ringback-attempt': '2' };
    const response = await call({ ...good, ...more });
    expect([response.status, await response.json()]).toEqual([200, { received: true }]);
    await sandbox.waitFor(/response {2}200/);
    for (const line of [
      /Z {2}POST \/in\?x=1\n/,
      /event {5}sms:message:status {2}delivery d-1 {2}attempt 2\n/,
      /bearer {4}ok\n/,
      new RegExp(`signature ok, of webhook ${webhookId}\n`),
      /"status": "DELIVRD"\n/,
    ]) {
      expect(sandbox.output()).toMatch(line);
    }
  });

  test.each([
    ['another Bearer', { ...good, authorization: 'Bearer left' }, /bearer {4}WRONG\n {2}signature ok/],
    ['no Bearer', { signature: good.signature }, /bearer {4}WRONG/],
    ['no Signature', { authorization: good.authorization }, /bearer {4}ok\n {2}signature absent/],
    ['a Signature of other bytes', { ...good, signature: sign(Buffer.from(`${body} `), webhookId) }, /signature WRONG/],
    ['a Signature in capitals', { ...good, signature: good.signature.toUpperCase() }, /signature WRONG/],
    ['a Signature with another key', { ...good, signature: sign(Buffer.from(body), 'x') }, /signature WRONG/],
  ])('says what is wrong with %s', async (_what, headers, line) => {
    await receive();
    expect((await call(headers)).status).toBe(200);
    await sandbox.waitFor(line);
  });

  test('fails the configured number of calls, then returns the configured response', async () => {
    await receive('--fail-first', '2', '--status', '202', '--delay', '50');
    const statuses = [];
    for (let index = 0; index < 4; index++) statuses.push((await call(good)).status);
    expect(statuses).toEqual([500, 500, 202, 202]);
    await sandbox.waitFor(/response {2}500[^]*response {2}500[^]*response {2}202[^]*response {2}202/);
  });

  test('simulates faults', async () => {
    await receive('--fault', 'redirect');
    expect((await call(good)).status).toBe(302);
    await sandbox.waitFor(/response {2}redirect/);
  });

  test('passes a verification', async () => {
    await receive();
    const response = await call(good, JSON.stringify({ validation_key: 'k', challenge: 'c-1' }));
    expect(await response.json()).toEqual({ challenge: 'c-1' });
  });

  test('names its option for the port if the port is in use', async () => {
    await receive();
    const port = new URL(origin).port;
    expect(await runCommand(main, { args: ['sandbox', 'receive', '--port', port] })).toEqual({
      code: 1,
      stdout: '',
      stderr: `ringback: --port: ${port} is in use; choose another port, or 0 for any free port\n`,
    });
  });

  test('accepts a body that is not JSON', async () => {
    await receive();
    expect((await call(good, 'not { JSON')).status).toBe(200);
    await sandbox.waitFor(/not \{ JSON\n/);
  });
});

describe.each(backends)('sandbox emit on $name', ({ redisUrl }) => {
  let database: TestDatabase;
  let env: NodeJS.ProcessEnv;
  let queues: Queues;
  const prefix = `e2e_${randomBytes(6).toString('hex')}`;
  const account = randomUUID();
  const ignore = () => undefined;

  beforeAll(async () => {
    database = await createTestDatabase();
    env = { DATABASE_URL: database.url, REDIS_URL: redisUrl ?? '', QUEUE_PREFIX: prefix };
    queues = openQueues({ redisUrl, databaseUrl: database.url, prefix, redisTimeoutMs: 60_000, onError: ignore });
  });

  afterAll(async () => {
    await queues.close();
    await database.drop();
  });

  const waiting = async () => {
    const { 'sms-events': sms, 'rcs-events': rcs } = await queues.countJobsByQueue();
    return { sms: sms.waiting, rcs: rcs.waiting };
  };

  test('pushes the requested number of sample events at the requested rate, as BullMQ jobs', async () => {
    const startedAt = Date.now();
    const emitting = run(main, {
      args: ['sandbox', 'emit', '--account', account, '--rate', '20', '--count', '40'],
      env,
    });
    expect(await emitting.ended).toBe(0);
    expect(emitting.output()).toMatch(/\r40 events\n$/);
    expect(await waiting()).toEqual({ sms: 40, rcs: 0 });
    const backend = openQueueEngine({ redisUrl, databaseUrl: database.url, prefix, redisTimeoutMs: 60_000 });
    const queue = backend.openQueue('sms-events', ignore);
    const [job, last] = [await queue.getJob('1'), await queue.getJob('40')];
    // The last job is pushed 39 intervals of 50 ms after `emit` has started, or later if the machine is busy.
    expect((last?.timestamp ?? 0) - startedAt).toBeGreaterThan(39 * 50 - 10);
    expect(job?.data).toEqual({ account_id: account, payload: expect.stringMatching(/^\{"id":"[^"]+:1",/) });
    expect(job?.opts).toMatchObject({ attempts: 0 });
    await queue.close();
    await backend.close();
  });

  test('pushes another kind of event for a webhook until Ctrl-C', async () => {
    const args = [
      'sandbox',
      'emit',
      '--account',
      account,
      '--webhook',
      randomUUID(),
      '--kind',
      'rcs-in',
      '--rate',
      '2000',
    ];
    const emitting = run(main, { args, env });
    await emitting.waitFor(/\r\d{3,} events/);
    expect(await emitting.stop('SIGINT')).toBe(0);
    const [, sent] = /.*\r(\d+) events\n$/.exec(emitting.output()) ?? [];
    expect(await waiting()).toMatchObject({ rcs: Number(sent) });
  });
});

test.each([
  [['emit'], /--account/],
  [['emit', '--account', 'x', '--rate', '0'], /--rate/],
  [['emit', '--account', 'x', '--count', '1.5'], /--count/],
  [['emit', '--account', 'x', '--kind', 'fax'], /--kind/],
  [['emit', '--account', 'x'], /set DATABASE_URL, or run `(npm start|npx ringback start)`/],
  [['receive', '--status', '999'], /--status/],
  [['receive', '--port', '70000'], /--port/],
])('sandbox %j is refused', async (args, complaint) => {
  const { code, stdout, stderr } = await runCommand(main, { args: ['sandbox', ...args] });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(complaint);
});

test('sandbox emit fails when the queue is unavailable', async () => {
  const env = { DATABASE_URL: 'postgresql://a:b@127.0.0.1:1/c', REDIS_URL: 'redis://127.0.0.1:1' };
  const { code, stderr } = await runCommand(main, { args: ['sandbox', 'emit', '--account', randomUUID()], env });
  expect(code).toBe(1);
  expect(stderr).toMatch(/ringback: connect ECONNREFUSED 127\.0\.0\.1:1\n$/);
});
