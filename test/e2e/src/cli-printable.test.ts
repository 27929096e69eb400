import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { customer } from './api.js';
import { ringback, runCli } from './cli.js';
import { run, type Running } from './processes.js';

// Set the window's title, go to the start of the line, end the line, reverse the text direction, clear the screen.
const hostile = 'a\x1b]0;pwned\x07\rb\nc\u202ed\x9b2J\x7f';
const dangerous = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

let database: TestDatabase;
let env: NodeJS.ProcessEnv;
let account: { id: string; access_token: string };
let receiver: Receiver;
let programs: Running[];
let webhookId: string;
let deliveryId: string;
let baseUrl: string;

const cli = (...args: string[]) => runCli(args, { env });

beforeAll(async () => {
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, QUEUE_PREFIX: `e2e_${randomBytes(6).toString('hex')}`, PORT: '0' };
  env = { ...env, EGRESS_ALLOWED_CIDRS: '127.0.0.0/8', SMS_RETRIES: '0', LOG_FORMAT: 'json' };
  account = (await ringback(['account', 'create', '--name', hostile], { env })) as typeof account;
  receiver = await startReceiver({ answer: { status: 500, body: hostile } });
  programs = ['api', 'worker'].map((app) => run(`apps/${app}/dist/main.js`, { env }));
  const [started] = await programs[0]!.waitFor(/\{.*api\.started.*\}/);
  baseUrl = `http://127.0.0.1:${JSON.parse(started).port}/api/v2`;
  await programs[1]!.waitFor(/worker\.started/);
  const call = customer(baseUrl, account.access_token);
  const { body } = await call('POST', '/developer/webhooks', { name: hostile, uri: `${receiver.origin}/in` });
  webhookId = body.data.id;
  const payload = { id: randomUUID(), status: hostile };
  const event = { event: 'sms:message:status', webhook_id: webhookId, payload };
  const useless = { ...event, webhook_id: randomUUID(), payload: { id: hostile } };
  const published = await runCli(['event', 'publish'], { env, input: JSON.stringify([event, useless]) });
  expect(published.code).toBe(0);
  const failed = ['delivery', 'list', '--webhook', webhookId, '--state', 'failed'];
  deliveryId = await until(async () => ((await ringback(failed, { env })) as { id: string }[])[0]?.id);
});
afterAll(async () => {
  await Promise.all(programs.map((program) => program.stop()));
  await receiver.close();
  await database.drop();
});

describe('control characters from outside are printed in a form that a terminal does not obey', () => {
  test.each([
    ['account list', () => ['account', 'list'], 'a\\x1b]0;pwned\\x07\\rb\\nc\\u202ed\\x9b2J\\x7f'],
    ['webhook list', () => ['webhook', 'list', '--account', account.id], '\\x1b]0;pwned\\x07\\rb\\nc\\u202e'],
    ['delivery list', () => ['delivery', 'list', '--account', account.id], 'failed'],
    ['delivery show', () => ['delivery', 'show', deliveryId], '\\x1b]0;pwned\\x07\\rb\\nc\\u202e'],
    ['event rejected', () => ['event', 'rejected'], 'webhook_id names no webhook'],
    ['changes', () => ['changes', '--account', account.id], 'c\\u202ed\\x9b2J\\x7f'],
    ['replay list', () => ['replay', 'list', '--account', account.id], '(none)'],
    ['a complaint', () => ['event', 'retry', hostile], "value 'a\\x1b]0;pwned\\x07"],
    ['a complaint of the parser', () => [hostile], '\\x1b]0;pwned\\x07'],
  ])('%s, as text and as JSON', async (_what, args, shown) => {
    const text = await cli(...args());
    expect(text.stdout + text.stderr).not.toMatch(dangerous);
    expect(text.stdout + text.stderr).toContain(shown);
    const json = await cli(...args(), '--json');
    expect(json.stdout + json.stderr).not.toMatch(dangerous);
    expect(json.code).toBe(text.code);
    if (json.code === 0) expect(JSON.parse(json.stdout)).toEqual(expect.any(Object));
  });

  test('JSON output has the original text', async () => {
    const listed = await ringback(['account', 'list'], { env });
    expect(listed).toMatchObject([{ name: hostile }]);
  });

  test('sandbox receive', async () => {
    const sandbox = run('apps/cli/dist/main.js', {
      args: ['sandbox', 'receive', '--port', '0', '--webhook', webhookId],
    });
    const [, port] = await sandbox.waitFor(/receiving at http:\/\/localhost:(\d+)\//);
    await fetch(`http://127.0.0.1:${port}/in`, {
      method: 'POST',
      body: hostile,
      headers: { 'x-ringback-event': '\x9b2J' },
    });
    await sandbox.waitFor(/response {2}/);
    expect(sandbox.output()).not.toMatch(dangerous);
    expect(sandbox.output()).toContain('a\\x1b]0;pwned\\x07');
    expect(await sandbox.stop('SIGINT')).toBe(0);
  });
});
