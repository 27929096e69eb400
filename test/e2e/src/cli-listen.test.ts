import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import { customer } from './api.js';
import { runCommand } from './command.js';
import { ringback, runCli } from './cli.js';
import { run, type Running } from './processes.js';

type Account = { id: string; access_token: string };
const main = 'apps/cli/dist/main.js';
const unknownId = '180ebbb5-9b6f-4c51-a98a-0123456789ab';

let database: TestDatabase;
let env: NodeJS.ProcessEnv;
let account: Account;
const cli = (...args: string[]) => runCli(args, { env });

beforeAll(async () => {
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, QUEUE_PREFIX: `e2e_${randomBytes(6).toString('hex')}`, PORT: '0' };
  env = { ...env, EGRESS_ALLOWED_CIDRS: '127.0.0.0/8', LOG_FORMAT: 'json' };
  account = (await ringback(['account', 'create', '--name', 'acme'], { env })) as Account;
});
afterAll(() => database.drop());

describe('ringback listen', () => {
  let programs: Running[];
  let [remote, local]: Receiver[] = [];
  let baseUrl: string;
  let webhookId: string;

  beforeAll(async () => {
    // The remote receiver fails. Callbacks are forwarded whatever the response was.
    [remote, local] = await Promise.all([startReceiver({ answer: { status: 500 } }), startReceiver()]);
    programs = ['api', 'worker'].map((app) => run(`apps/${app}/dist/main.js`, { env }));
    const started = await programs[0]!.waitFor(/\{.*api\.started.*\}/);
    await programs[1]!.waitFor(/worker\.started/);
    baseUrl = `http://127.0.0.1:${JSON.parse(started[0]).port}/api/v2`;
    const uri = `${remote!.origin}/in?id={{id}}`;
    const call = customer(baseUrl, account.access_token);
    const { body } = await call('POST', '/developer/webhooks', { name: 'in', uri, secret: 's3cret' });
    webhookId = body.data.id;
    await ringback(['event', 'sample', 'sms', '--account', account.id, '--webhook', webhookId], { env });
    await remote!.waitFor(1);
  });
  afterAll(async () => {
    await Promise.all(programs.map((program) => program.stop()));
    await Promise.all([remote?.close(), local?.close()]);
  });

  test.each([
    ['--account', () => account.id],
    ['--token', () => account.access_token],
  ])('repeats new callbacks to a local port, byte for byte, with %s', async (option, value) => {
    const [before, localBefore] = [remote!.calls.length, local!.calls.length];
    const to = `${local!.origin}/here?own=1`;
    const args = ['listen', option, value(), '--url', baseUrl, '--forward', to, '--bearer', 's3cret', '--json'];
    const listening = run(main, { env, args });
    programs.push(listening);
    await listening.waitFor(/listening: /);
    await ringback(['event', 'sample', 'sms', '--account', account.id, '--webhook', webhookId], { env });
    const sent = (await remote!.waitFor(before + 1))[before]!;
    const repeated = (await local!.waitFor(localBefore + 1))[localBefore]!;
    expect(repeated.body.equals(sent.body)).toBe(true);
    const { host: _host, connection: _connection, ...headers } = sent.headers;
    expect(repeated.headers).toMatchObject(headers);
    expect(repeated.path).toBe(`/here?own=1&${sent.path.split('?')[1]}`);
    const [line] = await listening.waitFor(/\{.*\}/);
    const delivery_id = sent.headers['x-ringback-delivery'];
    expect(JSON.parse(line)).toMatchObject({ delivery_id, event: 'sms:message:status', forwarded: true, status: 200 });
    expect(await listening.stop('SIGINT')).toBe(0);
    expect(local!.calls).toHaveLength(localBefore + 1);
  });

  test('continues when no process listens at the local port, and says so', async () => {
    const closed = await startReceiver();
    await closed.close();
    const listening = run(main, { env, args: ['listen', '--account', account.id, '--forward', closed.origin] });
    programs.push(listening);
    await listening.waitFor(/listening: /);
    await ringback(['event', 'sample', 'rcs-in', '--account', account.id, '--webhook', webhookId], { env });
    await listening.waitFor(/rcs:message:in {2}\S+ {2}ECONNREFUSED/);
    expect(await listening.stop('SIGTERM')).toBe(0);
  });

  test('prints the target before it sends the token, and sends the token only to a Ringback API', async () => {
    const other = await startReceiver({ answer: { status: 200, body: '{"info":{"title":"Something else"}}' } });
    const { code, stdout, stderr } = await cli(
      'listen',
      '--forward',
      local!.origin,
      '--token',
      'x',
      '--url',
      other.origin,
    );
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `ringback: the API is ${other.origin}\nringback: the server at ${other.origin} is not Ringback; no token was sent\n`,
    );
    expect(other.calls.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/openapi.json', undefined],
    ]);
    await other.close();
  });

  test('calls the API at PUBLIC_URL or BASE_URL, else of the `npm start` in the folder; there is no other default', async () => {
    const home = mkdtempSync(join(tmpdir(), 'ringback-listen-'));
    const args = ['listen', '--token', account.access_token, '--forward', local!.origin];
    const withoutAddress = await runCommand(main, { args, cwd: home });
    expect(withoutAddress).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^ringback: the address of the API is unknown: give --url [^\n]+\n$/),
    });
    mkdirSync(join(home, '.data'));
    writeFileSync(
      join(home, '.data/running.json'),
      JSON.stringify({ pid: process.pid, publicUrl: new URL(baseUrl).origin, baseUrl }),
    );
    const listening = run(main, { args, cwd: home });
    programs.push(listening);
    await listening.waitFor(/listening: /);
    expect(listening.output()).toMatch(`ringback: the API is ${baseUrl}\n`);
    expect(await listening.stop('SIGINT')).toBe(0);
    const withBaseUrl = await runCommand(main, { args, cwd: home, env: { BASE_URL: 'http://127.0.0.1:1/x' } });
    expect(withBaseUrl.stderr).toMatch(/^ringback: the API is http:\/\/127\.0\.0\.1:1\/x\n/);
    const publicAddress = { PUBLIC_URL: 'http://127.0.0.1:1/callbacks', API_PATH: '/v2' };
    const withPublicUrl = await runCommand(main, { args, cwd: home, env: publicAddress });
    expect(withPublicUrl.stderr).toMatch(/^ringback: the API is http:\/\/127\.0\.0\.1:1\/callbacks\/v2\n/);
    rmSync(home, { recursive: true });
  });

  test.each([
    [[], /give --account or --token/],
    [['--token', () => account.access_token, '--webhook', unknownId], /--webhook: there is no webhook/],
    [['--account', () => account.id, '--webhook', unknownId], /--webhook: there is no webhook/],
    [['--account', unknownId], /--account: there is no account 180ebbb5/],
    [['--token', 'x', '--url', 'http://127.0.0.1:1'], /http:\/\/127\.0\.0\.1:1 cannot be reached \(/],
    [['--token', 'x'], /responded with 401/],
  ])('with %j ends with 1 and one line', async (args, complaint) => {
    const url = args.includes('--url') ? [] : ['--url', baseUrl];
    const words = args.map((arg) => (typeof arg === 'string' ? arg : arg()));
    const { code, stdout, stderr } = await cli('listen', '--forward', local!.origin, ...url, ...words);
    const complaints = stderr.replace(/^ringback: the API is .*\n/, '');
    expect([code, stdout, complaints]).toEqual([1, '', expect.stringMatching(/^ringback: [^\n]+\n$/)]);
    expect(stderr).toMatch(complaint);
  });

  test('webhook list shows the webhooks of an account, without their secrets', async () => {
    const listed = await ringback(['webhook', 'list', '--account', account.id], { env });
    expect(listed).toMatchObject([{ id: webhookId, name: 'in', status: '1', deleted_at: null }]);
    expect(JSON.stringify(listed)).not.toContain('s3cret');
  });

  test('webhook list --include-deleted, or --deleted, shows deleted webhooks too', async () => {
    const call = customer(baseUrl, account.access_token);
    const { body } = await call('POST', '/developer/webhooks', { name: 'gone', uri: 'https://example.com/' });
    await call('DELETE', `/developer/webhooks/${body.data.id}`);
    const list = (...options: string[]) => ringback(['webhook', 'list', '--account', account.id, ...options], { env });
    expect(await list()).toMatchObject([{ id: webhookId }]);
    const gone = { id: body.data.id, status: '0', deleted_at: expect.any(String) };
    expect(await list('--include-deleted')).toMatchObject([gone, { id: webhookId }]);
  });
});
