import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { type EventSample, sampleEvent } from '@ringback/rules';
import { createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { customer } from './api.js';
import { runCli } from './cli.js';
import { runCommand } from './command.js';
import { run, type Running } from './processes.js';

type Row = Record<string, unknown>;
type Account = { id: string; name: string; access_token: string; callback_token: string };

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isUuid = expect.stringMatching(uuid);
const isTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let database: TestDatabase;
let env: NodeJS.ProcessEnv;
let account: Account;

const main = 'apps/cli/dist/main.js';
const cli = (args: string[], input?: string) => runCli(args, { env, ...(input === undefined ? {} : { input }) });

/** The JSON document that a command prints with --json. The command prints nothing else. */
async function json<T>(args: string[], input?: string): Promise<T> {
  const { code, stdout, stderr } = await cli([...args, '--json'], input);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stdout);
}

async function expectError(args: string[], message: RegExp, input?: string): Promise<void> {
  const { code, stdout, stderr } = await cli(args, input);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^ringback: [^\n]+\n$/);
  expect(stderr).toMatch(message);
}

beforeAll(async () => {
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, QUEUE_PREFIX: `e2e_${randomBytes(6).toString('hex')}` };
  account = await json<Account>(['account', 'create', '--name', 'acme']);
});

afterAll(() => database.drop());

async function execute(sql: string, url = database.url): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

const eventsOfAccount = (count: number): EventSample[] =>
  Array.from({ length: count }, () => sampleEvent('sms', { accountId: account.id }));
const rejected = () => json<Row[]>(['event', 'rejected']);
/** Creates an event of an unknown account, which is rejected and listed as such. */
const eventOfUnknownAccount = (): EventSample => sampleEvent('rcs-in', { accountId: randomUUID() });

describe('accounts and tokens', () => {
  test('account create prints the account with its tokens, in this order', () => {
    expect(Object.keys(account)).toEqual(['id', 'name', 'access_token', 'callback_token']);
    expect(account).toEqual({
      id: isUuid,
      name: 'acme',
      access_token: expect.stringMatching(/^rb_access_[\w-]{32}$/),
      callback_token: expect.stringMatching(/^rb_callback_[\w-]{32}$/),
    });
  });

  test('account create without --json prints the same fields as lines', async () => {
    const { code, stdout } = await cli(['account', 'create', '--name', ' Müller & Søn ']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^id: \S+\nname: Müller & Søn\naccess_token: rb_access_\S+\ncallback_token: rb_callback_\S+\n$/,
    );
  });

  test('account list prints the accounts without tokens', async () => {
    const accounts = await json<Row[]>(['account', 'list']);
    const times = { created_at: isTime, updated_at: isTime };
    expect(accounts).toContainEqual({ id: account.id, name: 'acme', external_id: null, status: 'active', ...times });
    expect(JSON.stringify(accounts)).not.toContain('rb_');
  });

  test('token create creates another access token', async () => {
    const token = await json<Row>(['token', 'create', '--account', account.id]);
    expect(token).toEqual({
      id: isUuid,
      account_id: account.id,
      access_token: expect.stringMatching(/^rb_access_/),
      scopes: ['read', 'write', 'replay'],
    });
    expect(token.access_token).not.toBe(account.access_token);
  });

  test('platform-token create creates a platform token', async () => {
    const token = await json<Row>(['platform-token', 'create']);
    const text = expect.stringMatching(/^rb_platform_/);
    expect(token).toEqual({ id: isUuid, name: 'platform', platform_token: text, scopes: ['events', 'portal'] });
    expect(await json<Row>(['platform-token', 'create', '--name', 'smsc-1'])).toMatchObject({ name: 'smsc-1' });
  });
});

describe('event publish', () => {
  test('accepts one event from standard input', async () => {
    const [event] = eventsOfAccount(1);
    const first = await json<Row[]>(['event', 'publish'], JSON.stringify(event));
    expect(first).toEqual([{ id: isUuid, state: 'unrouted', reason: null }]);
    expect(await json<Row[]>(['event', 'publish'], JSON.stringify(event))).toEqual([
      { ...first[0], state: 'duplicate' },
    ]);
    const filters = [
      '--account',
      account.id,
      '--message-id',
      String(event?.payload.id),
      '--since',
      '2020-01-01T00:00:00Z',
    ];
    const listed = await json<Row[]>(['event', 'list', '--state', 'duplicate', ...filters]);
    expect(listed).toMatchObject([{ id: first[0]?.id, state: 'unrouted', duplicates: 1, last_duplicate_at: isTime }]);
    expect(await json<Row[]>(['event', 'list', '--until', '2020-01-01T00:00:00Z', '--account', account.id])).toEqual(
      [],
    );
  });

  test('makes an event that event list finds by its message alone, among those of one day, which stderr says', async () => {
    const [event] = eventsOfAccount(1);
    const [published] = await json<Row[]>(['event', 'publish'], JSON.stringify(event));
    const byMessage = ['event', 'list', '--message-id', String(event?.payload.id)];
    const { code, stdout, stderr } = await cli([...byMessage, '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([0, [expect.objectContaining({ id: published?.id })]]);
    expect(stderr).toMatch(
      /^ringback: only events since \S+Z are searched; --account ID [^\n]+ --since TIME [^\n]+\n$/,
    );
    for (const bound of [
      ['--account', account.id],
      ['--since', '2020-01-01'],
    ])
      expect(await json<Row[]>([...byMessage, ...bound])).toMatchObject([{ id: published?.id }]);
    const earlier = await cli([...byMessage, '--until', '2026-01-31T12:00:00Z', '--json']);
    expect(JSON.parse(earlier.stdout)).toEqual([]);
    expect(earlier.stderr).toContain('since 2026-01-30T12:00:00.000Z');
  });

  test('accepts an array from a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ringback-cli-'));
    const file = join(folder, 'events.json');
    writeFileSync(file, JSON.stringify(eventsOfAccount(3)));
    const published = await json<Row[]>(['event', 'publish', '--file', file]);
    expect(published.map(({ state }) => state)).toEqual(['unrouted', 'unrouted', 'unrouted']);
    expect(new Set(published.map(({ id }) => id)).size).toBe(3);
    rmSync(folder, { recursive: true });
  });

  test('accepts more events than POST /events', async () => {
    const published = await json<Row[]>(['event', 'publish'], JSON.stringify(eventsOfAccount(2_100)));
    expect(new Set(published.map(({ id }) => id)).size).toBe(2_100);
  });

  test('keeps the text of each payload as it is in the file', async () => {
    const payload = `{"id": "${randomUUID()}",  "credits": 2.0000, "n": 12345678901234567890, "a": 1, "a": 2}`;
    const event = `{"event": "sms:message:status", "account_id": "${randomUUID()}", "payload": ${payload}}`;
    const [published] = await json<Row[]>(['event', 'publish'], `[\n  ${event}\n]`);
    const stored = (await rejected()).find(({ id }) => id === published?.id);
    expect(JSON.parse(String(stored?.envelope)).payload).toBe(payload);
  });

  test('accepts an empty array', async () => {
    expect(await json<Row[]>(['event', 'publish'], '[]')).toEqual([]);
  });

  test('accepts an event for an unknown account, which is then listed as rejected', async () => {
    const [published] = await json<Row[]>(['event', 'publish'], JSON.stringify(eventOfUnknownAccount()));
    expect(published).toMatchObject({ id: isUuid, state: 'rejected', reason: expect.any(String) });
    expect(await rejected()).toContainEqual(expect.objectContaining({ id: published?.id, reason: published?.reason }));
  });

  test('names the index of the first invalid event, and stores no event of the array', async () => {
    const before = await rejected();
    const events = [eventOfUnknownAccount(), { ...eventOfUnknownAccount(), payload: { id: '' } }, 7];
    await expectError(
      ['event', 'publish', '--json'],
      /event 1: payload\.id .*nothing was stored/,
      JSON.stringify(events),
    );
    expect(await rejected()).toEqual(before);
  });

  test.each([
    ['input that is not JSON', '{"event":', /standard input is not JSON/],
    ['empty input', '', /standard input is not JSON/],
    ['a number', '7', /event 0: .*object/],
    ['an unknown event', JSON.stringify({ event: 'sms:sent', payload: { id: '1' } }), /event 0: event must be one of/],
  ])('refuses %s', async (_what, input, message) => {
    await expectError(['event', 'publish', '--json'], message, input);
  });

  test('refuses a file that does not exist', async () => {
    await expectError(['event', 'publish', '--file', '/nowhere/events.json'], /\/nowhere\/events\.json/);
  });
});

describe('event sample', () => {
  test.each(['sms', 'rcs-status', 'rcs-in'])('pushes a sample of the kind %s', async (kind) => {
    const [published, ...more] = await json<Row[]>(['event', 'sample', kind, '--account', account.id]);
    expect([published?.state, more]).toEqual(['unrouted', []]);
  });

  test('fails for an unknown account, an unknown webhook or a webhook of another account, and stores nothing', async () => {
    const before = await rejected();
    const [none, foreign] = [randomUUID(), randomUUID()];
    const other = await json<Account>(['account', 'create', '--name', 'other']);
    await execute(`INSERT INTO webhooks (id, account_id, name, uri)
      VALUES ('${foreign}', '${other.id}', 'foreign', 'https://x.example/')`);
    const sample = ['event', 'sample', 'sms', '--json', '--account'];
    await expectError([...sample, none], new RegExp(`--account: there is no account ${none}\n`));
    const named = [...sample, account.id, '--webhook'];
    await expectError([...named, none], new RegExp(`--webhook: there is no webhook ${none}\n`));
    await expectError([...named, foreign], new RegExp(`--webhook: ${foreign} is a webhook of another account\n`));
    expect(await rejected()).toEqual(before);
  });
});

describe('rejected events', () => {
  test('are listed with their original text, newest first, up to the limit', async () => {
    const event = eventOfUnknownAccount();
    const [published] = await json<Row[]>(['event', 'publish'], JSON.stringify(event));
    const { stdout } = await cli(['event', 'rejected', '--limit', '1', '--json']);
    const [newest, ...older]: Row[] = JSON.parse(stdout);
    expect(older).toEqual([]);
    expect(newest).toEqual({
      id: published?.id,
      event: 'rcs:message:in',
      reason: published?.reason,
      received_at: isTime,
      envelope: expect.stringContaining(String(event.payload.id)),
    });
  });

  test('and deliveries: only the newest are listed, and stderr says so when there are more', async () => {
    await json<Row[]>(
      ['event', 'publish'],
      JSON.stringify([eventOfUnknownAccount(), eventOfUnknownAccount(), eventOfUnknownAccount()]),
    );
    const { code, stdout, stderr } = await cli(['event', 'rejected', '--limit', '2', '--json']);
    expect([code, stderr]).toEqual([0, 'ringback: only the newest 2 are listed; there are more (--limit)\n']);
    const all = await json<Row[]>(['event', 'rejected', '--limit', '10000']);
    expect(JSON.parse(stdout)).toEqual(all.slice(0, 2));
    expect(await json<Row[]>(['event', 'rejected', '--limit', String(all.length)])).toEqual(all);
    await execute(`INSERT INTO webhooks (account_id, name, uri) VALUES ('${account.id}', 'off', 'https://x.example/')`);
    await execute(`INSERT INTO deliveries (event_id, account_id, webhook_id, channel, state, due_at)
      SELECT e.id, w.account_id, w.id, 'sms', 'skipped', NULL FROM webhooks w, (SELECT id FROM events LIMIT 51) e WHERE w.name = 'off'`);
    const brief = await cli(['delivery', 'list']);
    expect(brief.stderr).toBe('ringback: only the newest 50 are listed; there are more (--limit)\n');
    expect(brief.stdout.trim().split('\n')).toHaveLength(1 + 50);
    expect(await json<Row[]>(['delivery', 'list', '--limit', '51'])).toHaveLength(51);
  });

  test('stay rejected when they are retried and still invalid', async () => {
    const [published] = await json<Row[]>(['event', 'publish'], JSON.stringify(eventOfUnknownAccount()));
    await expectError(['event', 'retry', String(published?.id), '--json'], /is rejected again: /);
    expect(await rejected()).toContainEqual(expect.objectContaining({ id: published?.id }));
  });

  test('cannot be retried when they do not exist', async () => {
    const id = randomUUID();
    await expectError(['event', 'retry', id], new RegExp(`there is no event ${id}\n`));
    await expectError(['event', 'retry', 'one'], /'one' is invalid for argument 'id'. It must be a UUID.\n/);
  });
});

describe('deliveries', () => {
  // Each look is a command, which takes much CPU time.
  const [maxWaitMs, everyMs] = [100_000, 100];
  let api: Running;
  let worker: Running;
  let receiver: Receiver;
  let webhook: { id: string };
  let call: ReturnType<typeof customer>;

  /** The names of the fields of an object and of its nested objects. */
  const namesIn = (object: object = {}): unknown[] =>
    Object.entries(object).map(([name, value]) =>
      typeof value === 'object' && value !== null && name !== 'headers' ? [name, namesIn(value)] : name,
    );

  beforeAll(async () => {
    receiver = await startReceiver({ answer: { status: 500, body: 'no' } });
    const settings = { ...env, PORT: '0', EGRESS_ALLOWED_CIDRS: '127.0.0.0/8', SMS_RETRIES: '0', LOG_FORMAT: 'json' };
    api = run('apps/api/dist/main.js', { env: settings });
    worker = run('apps/worker/dist/main.js', { env: settings });
    const [, baseUrl = ''] = await api.waitFor(/"base_url":"([^"]+)"/);
    const hook = { name: 'hook', uri: `${receiver.origin}/in` };
    call = customer(baseUrl, account.access_token);
    webhook = (await call('POST', '/developer/webhooks', hook)).body.data;
    await worker.waitFor(/worker\.started/);
  });

  afterAll(async () => {
    expect(await Promise.all([api.stop(), worker.stop()])).toEqual([0, 0]);
    await receiver.close();
  });

  /** Resolves with the only delivery of the event when the delivery has failed. */
  const failedDeliveryOf = (event: unknown) => {
    const list = () => json<Row[]>(['delivery', 'list', '--event-id', String(event), '--state', 'failed']);
    return until(async () => (await list())[0], 'the delivery has failed', maxWaitMs, everyMs);
  };

  test('are listed with their attempts', async () => {
    const args = ['event', 'sample', 'sms', '--account', account.id, '--webhook', webhook.id];
    const [published] = await json<Row[]>(args);
    expect(published).toEqual({ id: isUuid, state: 'routed', reason: null });
    expect(await failedDeliveryOf(published?.id)).toEqual({
      id: isUuid,
      event_id: published?.id,
      webhook_id: webhook.id,
      state: 'failed',
      reason: null,
      attempt_count: 1,
      due_at: null,
      created_at: isTime,
      updated_at: isTime,
      attempts: [
        {
          number: 1,
          kind: 'scheduled',
          started_at: isTime,
          request: { method: 'POST', url: `${receiver.origin}/in` },
          response: { code: 500, headers: expect.any(Object), body: 'no' },
          timings: expect.objectContaining({ total_ms: expect.any(Number) }),
          remote_address: '127.0.0.1',
          error: 'status',
          error_code: null,
          advice: expect.stringMatching(/^The receiver had an error/),
          warnings: [],
        },
      ],
    });
    const { stdout } = await cli(['delivery', 'list', '--webhook', webhook.id]);
    expect(stdout.split('\n')[0]).toMatch(
      /^id +webhook_id +event_id +state +reason +attempt_count +due_at +created_at +updated_at$/,
    );
    expect(await json(['delivery', 'list', '--webhook', webhook.id, '--state', 'delivered'])).toEqual([]);
  });

  test('are shown as they were sent, and can be sent again', async () => {
    const args = ['event', 'sample', 'sms', '--account', account.id, '--webhook', webhook.id];
    const [published] = await json<Row[]>(args);
    const id = String((await failedDeliveryOf(published?.id)).id);
    const shown = await json<Row & { attempts: Row[] }>(['delivery', 'show', id]);
    expect(shown).toMatchObject({ id, account_id: account.id, state: 'failed', payload: expect.stringMatching(/^\{/) });
    const request = { headers: { Authorization: 'Bearer ********' }, body: shown.payload };
    expect(shown.attempts).toMatchObject([{ kind: 'scheduled', request, remote_address: '127.0.0.1' }]);
    const { account_id: _operators, ...common } = shown;
    const { body: inApi } = await call('GET', `/developer/deliveries/${id}`);
    expect(Object.keys(inApi.data)).toEqual(expect.arrayContaining(Object.keys(common)));
    expect(namesIn(inApi.data.attempts[0])).toEqual(namesIn(shown.attempts[0]));
    expect((await cli(['delivery', 'show', id])).stdout).toMatch(/^account_id: .*\n[^]*\nattempt 1\nkind: /);
    expect(await json(['delivery', 'resend', id])).toMatchObject({ id, state: 'pending' });
    const countAttempts = async () => (await json<typeof shown>(['delivery', 'show', id])).attempts.length;
    await until(async () => (await countAttempts()) === 2, 'the second attempt is recorded', maxWaitMs, everyMs);
    expect(await failedDeliveryOf(published?.id)).toMatchObject({ id, attempt_count: 2 });
    const none = randomUUID();
    for (const command of ['show', 'resend'])
      await expectError(['delivery', command, none], new RegExp(`there is no delivery ${none}\n`));
  });

  test('an event published while the queue is unavailable, and then again, has one delivery', async () => {
    const event = JSON.stringify(sampleEvent('sms', { webhookId: webhook.id }));
    const away = { ...env, REDIS_URL: 'redis://127.0.0.1:1' };
    const first = await runCli(['event', 'publish', '--json'], { env: away, input: event });
    expect([first.code, JSON.parse(first.stdout)]).toMatchObject([0, [{ state: 'routed' }]]);
    const [published] = await json<Row[]>(['event', 'publish'], event);
    expect(JSON.parse(first.stdout)).toMatchObject([{ id: published?.id }]);
    await failedDeliveryOf(published?.id);
    expect(await json(['delivery', 'list', '--event-id', String(published?.id)])).toHaveLength(1);
  });

  test('a rejected event is ingested by a retry after the cause is corrected', async () => {
    const newcomer = randomUUID();
    const [published] = await json<Row[]>(
      ['event', 'publish'],
      JSON.stringify(sampleEvent('rcs-status', { accountId: newcomer })),
    );
    expect(published?.state).toBe('rejected');
    await execute(`INSERT INTO accounts (id, name, callback_token) VALUES ('${newcomer}', 'new', 'x')`);
    const id = String(published?.id);
    const retried = await json<Row>(['event', 'retry', id]);
    expect(retried).toEqual({ id: expect.any(String), state: 'unrouted', reason: null });
    expect(await rejected()).not.toContainEqual(expect.objectContaining({ id }));
    await expectError(['event', 'retry', id], new RegExp(`there is no event ${id}\n`));
    await expectError(['event', 'retry', String(retried.id)], /event \S+ is unrouted, not rejected\n/);
  });

  test.each([
    ['account', 'account'],
    ['webhook', 'webhook'],
    ['event-id', 'event'],
  ])('are not listed for a --%s that does not exist', async (option, object) => {
    const id = randomUUID();
    const message = new RegExp(`--${option}: there is no ${object} ${id}\n`);
    await expectError(['delivery', 'list', `--${option}`, id, '--json'], message);
  });

  test.each(['account', 'webhook', 'event-id'])('are not listed for a --%s that is not a UUID', async (option) => {
    await expectError(['delivery', 'list', `--${option}`, 'x', '--json'], new RegExp(`--${option}.*UUID`));
  });
});

describe('an error is one line on stderr, with exit code 1', () => {
  test.each([
    [['frobnicate'], /unknown command 'frobnicate'/],
    [['account', 'creat'], /unknown command 'creat'/],
    [['account', 'create'], /required option '--name <name>' not specified/],
    [['account', 'create', '--name', '  '], /--name/],
    [['token', 'create', '--account', 'x'], /--account.*UUID/],
    [['token', 'list', '--account', 'x'], /--account.*UUID/],
    [['token', 'create', '--account', randomUUID()], /--account: there is no account/],
    [['event', 'sample', 'fax', '--account', randomUUID()], /'fax' is invalid/],
    [['event', 'sample', 'sms', '--account', 'x'], /--account.*UUID/],
    [['event', 'retry'], /missing required argument 'id'/],
    [['event', 'rejected', '--limit', '0'], /--limit.*whole number/],
    [['delivery', 'list', '--state', 'lost'], /--state.*pending, delivered, failed, skipped/],
  ])('%j', async (args, message) => {
    await expectError([...args, '--json'], message);
  });

  test.each([
    ['no database', { DATABASE_URL: '' }, /set DATABASE_URL, or run `(npm start|npx ringback start)`/],
    ['a database of another kind', { DATABASE_URL: 'mysql://x/y' }, /DATABASE_URL must look like/],
    ['a database that is away', { DATABASE_URL: 'postgresql://a:b@127.0.0.1:1/c' }, /DATABASE_URL: cannot be reached/],
  ])('%s', async (_what, settings, message) => {
    for (const args of [['account', 'list'], ['migrate']]) {
      const { code, stdout, stderr } = await runCli([...args, '--json'], { env: settings });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^ringback: [^\n]+\n$/);
      expect(stderr).toMatch(message);
    }
  });
});

test('migrate applies missing migrations, and nothing when it runs again', async () => {
  const name = `cli_${randomBytes(6).toString('hex')}`;
  await execute(`CREATE DATABASE ${name}`);
  const fresh = { ...env, DATABASE_URL: Object.assign(new URL(database.url), { pathname: `/${name}` }).href };
  const before = await runCli(['account', 'list', '--json'], { env: fresh });
  expect(before).toEqual({
    code: 1,
    stdout: '',
    stderr: 'ringback: the database has no tables of Ringback; run `ringback migrate` first\n',
  });
  const migrate = async () => JSON.parse((await runCli(['migrate', '--json'], { env: fresh })).stdout);
  const applied = await migrate();
  expect(applied).toContainEqual({ migration: expect.stringMatching(/^\d{14}_\w+$/) });
  expect(await migrate()).toEqual([]);

  const message = async () => (await runCli(['account', 'list', '--json'], { env: fresh })).stderr;
  const change = (sql: string) => execute(sql, fresh.DATABASE_URL);
  await change(`UPDATE "_prisma_migrations" SET migration_name = '29990101000000_later'
    WHERE migration_name = (SELECT max(migration_name) FROM "_prisma_migrations")`);
  expect(await message()).toMatch(
    /^ringback: the database lacks 1 of the migrations of this version, from \d{14}_\w+ on; run `ringback migrate` first\n$/,
  );
  await change(`INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at)
    VALUES ('x', 'x', '${applied.at(-1).migration}', now())`);
  expect(await message()).toBe('');
  await change('ALTER TABLE accounts RENAME COLUMN name TO title');
  // On a busy machine the command may not find the newer migration in time.
  await until(
    async () => /^ringback: a newer release of Ringback has migrated the database; .*\n$/.test(await message()),
    'the command names the newer release',
  );
  await execute(`DROP DATABASE ${name}`);
});

test('migrate ends with one line when PostgreSQL ends its session', async () => {
  const holder = new pg.Client(database.url);
  await holder.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE "_prisma_migrations" IN ACCESS EXCLUSIVE MODE');
    const ended = runCommand(main, { args: ['migrate'], env });
    // A transaction sees one snapshot of the sessions until it is cleared.
    const refresh = () => holder.query('SELECT pg_stat_clear_snapshot()');
    const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'relation'`;
    await until(async () => (await refresh()) && ((await holder.query(terminate)).rowCount ?? 0) > 0, 'migrate waits');
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^ringback: [^\n]+\n$/)]);
  } finally {
    await holder.end();
  }
});

describe('a folder in which `npm start` runs', () => {
  let home: string;
  const inHome = (args: string[]) => runCommand(main, { args: [...args, '--json'], cwd: home });
  const leave = (running: object) => {
    mkdirSync(join(home, '.data'), { recursive: true });
    writeFileSync(join(home, '.data/running.json'), JSON.stringify(running));
  };

  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'ringback-home-'));
  });

  afterAll(() => rmSync(home, { recursive: true }));

  test.each([[['account', 'list']], [['migrate']]])('is found by %j', async (args) => {
    leave({ pid: process.pid, databaseUrl: database.url, queuePrefix: env.QUEUE_PREFIX });
    expect(await inHome(args)).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    ['`npm start` was killed', { pid: 2 ** 22 + 1 }],
    ['running.json has no process', []],
  ])('is not found when %s', async (_how, running) => {
    leave({ databaseUrl: database.url, ...running });
    const { code, stderr } = await inHome(['account', 'list']);
    const line = /^ringback: set DATABASE_URL, or run `(npm start|npx ringback start)` in this folder first\n$/;
    expect([code, stderr]).toEqual([1, expect.stringMatching(line)]);
  });
});
