import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '@ringback/ledger';
import { openQueues, type Queues } from '@ringback/queue';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { backends, createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { readAllKeys, readAllRows } from './read-all-rows.js';
import { ringback } from './cli.js';
import { run, type Running } from './processes.js';

const mark = (what: string) => `canary-${what}-${randomBytes(8).toString('hex')}`;

/** Finds a free port. Another process may take it before it is used. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

// Each secret and each private text here is a unique mark. Secrets are visible to their owner alone; private texts are
// in the ledger and in no log.
describe.each(backends)('marked secrets and texts, on $name', ({ redisUrl }) => {
  const secret = {
    secret: mark('secret'),
    edited: mark('edited'),
    code: mark('code'),
    wrong: mark('wrong'),
    broken: mark('broken'),
    user: mark('user'),
    password: mark('password'),
  };
  const basic = `Basic ${Buffer.from(`${secret.user}:${secret.password}`).toString('base64')}`;
  const privacy = {
    text: mark('text'),
    uri: mark('uri'),
    template: mark('template'),
    mobile: `9199${randomInt(1e10, 9e10)}`,
  };
  const prefix = `canary_${randomBytes(6).toString('hex')}`;
  const errors: string[] = [];
  /** Responses without an error, except those with signing secrets. */
  const answers: string[] = [];
  /** What the API and the command line say about callbacks. */
  const callbackOutput: string[] = [];
  const signingSecrets: string[] = [];
  let database: TestDatabase;
  let db: Database;
  let queues: Queues;
  let receiver: Receiver;
  let api: Running;
  let worker: Running;
  let env: NodeJS.ProcessEnv;
  let baseUrl = '';
  let account: { id: string; access_token: string; callback_token: string };
  let platform: { platform_token: string };

  const readQueueData = () => (redisUrl ? readAllKeys(redisUrl, prefix) : readAllRows(database.url));
  const secrets = () => [
    ...Object.values(secret),
    basic.replace('Basic ', ''),
    account.access_token,
    account.callback_token,
    platform.platform_token,
    // Without their prefix too.
    ...signingSecrets.map((signingSecret) => signingSecret.replace('whsec_', '')),
  ];
  const expectNone = (where: string, text: string, marks: string[]) =>
    expect([where, marks.filter((each) => text.includes(each))]).toEqual([where, []]);

  beforeAll(async () => {
    database = await createTestDatabase();
    db = openDatabase({ url: database.url, connections: 2, connectTimeoutMs: 60_000 });
    receiver = await startReceiver({
      answer: ({ path, headers, body }) => {
        const [pathname = ''] = path.split('?');
        if (pathname === '/hang') return 'hang';
        if (pathname === '/garbage') return 'garbage';
        // The receiver returns the request, as some receivers do, and redirects repeat its query.
        const status = Number(pathname.slice(1));
        const location = status === 308 ? { Location: `https://example.com${path}` } : {};
        return { status, headers: location, body: JSON.stringify({ headers, path, body: body.toString() }) };
      },
    });
    env = {
      DATABASE_URL: database.url,
      REDIS_URL: redisUrl ?? '',
      QUEUE_PREFIX: prefix,
      SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      PORT: '0',
      HEALTH_PORT: String(await freePort()),
      EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
      RETRY_TIME_SCALE: '0.0001',
      // One receiver hangs, and each attempt at it takes the whole timeout.
      CALLBACK_TIMEOUT_MS: '3000',
      SMS_RETRIES: '1',
      LOG_LEVEL: 'debug',
      LOG_FORMAT: 'json',
    };
    queues = openQueues({
      redisUrl,
      databaseUrl: database.url,
      prefix,
      redisTimeoutMs: 60_000,
      onError: () => undefined,
    });
    api = run('apps/api/dist/main.js', { env });
    [, baseUrl = ''] = await api.waitFor(/"base_url":"([^"]+)"/);
    account = (await ringback(['account', 'create', '--name', 'canary'], { env })) as typeof account;
    platform = (await ringback(['platform-token', 'create'], { env })) as typeof platform;
    worker = run('apps/worker/dist/main.js', { env });
    await worker.waitFor(/worker\.started/);
  });
  afterAll(async () => {
    await Promise.all([api.stop(), worker.stop()]);
    await queues.close();
    await receiver.close();
    await db.close();
    await database.drop();
  });

  type Request = { method?: string; token?: string | null; body?: unknown; headers?: Record<string, string> };

  /** Calls the API, by default with the account's token. Keeps the responses for the search. */
  async function call(path: string, { method = 'POST', token = account.access_token, body, headers }: Request = {}) {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 400) errors.push(`${response.status} ${JSON.stringify([...response.headers])} ${text}`);
    else if (!path.includes('/signing-secret')) answers.push(text);
    return { status: response.status, text };
  }

  const uriOf = (path: string) =>
    `${path.startsWith('http') ? path : `${receiver.origin}/${path}`}?key=${privacy.uri}&to={{mobile}}`;
  const withUser = (path: string) => ({ uri: uriOf(path).replace('//', `//${secret.user}:${secret.password}@`) });
  const webhookInput = (path: string) => ({
    name: 'hook',
    uri: uriOf(path),
    secret: secret.secret,
    payload: { note: privacy.template, all: '{{custom}} {{mobile}} {{absent}}' },
  });
  const report = (webhookId: string, more: object = {}) => ({
    webhook_id: webhookId,
    payload: { id: `${mark('id')}:1`, status: 'DELIVRD', mobile: privacy.mobile, custom: privacy.text, ...more },
  });
  const push = (webhookId: string, more?: object) =>
    queues.pushEvents('sms', [{ name: 'sms:message:status', data: report(webhookId, more) }]);

  async function createWebhook(path: string, more: object = {}): Promise<string> {
    const { status, text } = await call('/developer/webhooks', { body: { ...webhookInput(path), ...more } });
    expect([path, status]).toEqual([path, 200]);
    return JSON.parse(text).data.id;
  }

  const awaitNothingPending = () =>
    until(async () => {
      const { rows } = await db.pool.query(
        `SELECT (SELECT count(*) FROM deliveries WHERE state = 'pending') + (SELECT count(*) FROM verifications WHERE state = 'pending')
          AS n`,
      );
      return Number(rows[0].n) === 0;
    }, 'nothing is pending');

  test('are used in successful and failed callbacks and in verifications', async () => {
    const paths = ['200', '500', '404', '308', 'hang', 'garbage', `http://127.0.0.1:${await freePort()}`];
    for (const path of paths) {
      await push(await createWebhook(path));
      await push(await createWebhook(path, withUser(path)));
    }
    const callbackToken = await createWebhook('200', { secret: null });
    const event = { event: 'sms:message:status', ...report(callbackToken) };
    expect((await call('/events', { token: platform.platform_token, body: event })).status).toBe(202);
    const verified = await createWebhook('500', { token: secret.code });
    await createWebhook('308', { token: secret.code });
    const edit = { ...webhookInput('200'), secret: secret.edited };
    expect((await call(`/developer/webhooks/${verified}`, { method: 'PUT', body: edit })).status).toBe(200);
    await until(async () => {
      const { rows } = await db.pool.query(`SELECT count(DISTINCT webhook_id)::int AS n FROM deliveries`);
      return rows[0].n === 2 * paths.length + 1;
    }, 'every webhook has a delivery');
    await awaitNothingPending();
    const bearers = new Set(receiver.calls.map(({ headers }) => headers.authorization));
    expect(bearers).toEqual(
      new Set([basic, ...[secret.secret, secret.edited, account.callback_token].map((token) => `Bearer ${token}`)]),
    );
    expect(receiver.calls.some(({ path }) => path.includes(`token=${secret.code}`))).toBe(true);
    await createWebhook('200', { ...withUser('200'), token: secret.code });
    await awaitNothingPending();
  });

  test('are used in a rotation, a test call, a preview and a resend', async () => {
    const id = await createWebhook('200', { token: secret.code });
    const path = `/developer/webhooks/${id}`;
    const signing = async (more: string, method: string) => {
      const { data } = JSON.parse((await call(`${path}/signing-secret${more}`, { method })).text);
      signingSecrets.push(data.secret);
    };
    await signing('', 'GET');
    await signing('/rotate', 'POST');
    expect(signingSecrets).toEqual([expect.stringMatching(/^whsec_.{32}/), expect.stringMatching(/^whsec_.{32}/)]);
    expect(new Set(signingSecrets).size).toBe(2);

    const callAndKeepOutput = async (url: string, request?: Request) => {
      const { status, text } = await call(url, request);
      expect([url, status]).toEqual([url, 200]);
      callbackOutput.push(text);
      return JSON.parse(text).data;
    };
    const { payload } = report(id);
    const event = 'sms:message:status';
    const testCall = await callAndKeepOutput(`${path}/test`, { body: { event, payload } });
    expect(testCall.attempt.response.code).toBe(200);
    const { uri, payload: template } = webhookInput('200');
    for (const each of [uri, withUser('200').uri]) {
      await callAndKeepOutput('/developer/webhooks/preview', {
        body: { event, uri: each, payload: template, sample: payload },
      });
    }
    const named = await createWebhook('500', withUser('500'));
    await callAndKeepOutput(`/developer/webhooks/${named}/test`, { body: { event, payload } });
    await push(id);
    const deliveries = `/developer/deliveries?filter[webhook_id]=${id}`;
    const read = { method: 'GET' };
    await until(async () => JSON.parse((await call(deliveries, read)).text).data.length > 0, 'a delivery is made');
    await awaitNothingPending();
    const [delivery] = await callAndKeepOutput(deliveries, read);
    await callAndKeepOutput(`/developer/deliveries/${delivery.id}/resend`);
    await awaitNothingPending();
    const shown = await callAndKeepOutput(`/developer/deliveries/${delivery.id}`, read);
    expect(shown.attempts.map(({ kind }: { kind: string }) => kind)).toEqual(['scheduled', 'resend']);
    await callAndKeepOutput(`/developer/deliveries/${delivery.id}/curl`, read);
    await callAndKeepOutput(`/developer/messages/${encodeURIComponent(delivery.message_id)}`, read);
    for (const args of [
      ['delivery', 'show', delivery.id],
      ['delivery', 'list', '--webhook', id],
      ['webhook', 'list', '--account', account.id],
    ])
      callbackOutput.push(JSON.stringify(await ringback(args, { env })));
    await call('/developer/webhooks', read);
    await call(path, read);
    const signed = receiver.calls.filter(({ headers }) => headers['x-ringback-delivery'] === delivery.id);
    expect(signed.map(({ headers }) => String(headers['webhook-signature']).split(' ').length)).toEqual([2, 2]);
  });

  test('are in events that are rejected', async () => {
    await push(account.id);
    await push('', { mobile: privacy.text });
    await queues.pushEvents('sms', [{ name: 'sms:message:status', data: { payload: `{"custom": "${privacy.text}` } }]);
    await queues.pushEvents('rcs', [{ name: 'rcs:message:in', data: { payload: { text: privacy.text } } }]);
    await until(async () => {
      const { rows } = await db.pool.query(`SELECT count(*)::int AS n FROM events WHERE state = 'rejected'`);
      return rows[0].n === 4;
    }, 'four events are rejected');
    const body = [{ event: 'sms:message:status', payload: { custom: privacy.text } }];
    expect((await call('/events', { token: platform.platform_token, body })).status).toBe(422);
  });

  test('are in API calls that are refused', async () => {
    const query = `access_token=${account.access_token}`;
    const long = 'x'.repeat(300);
    const refusals: [number, string, Request][] = [
      [400, '/developer/webhooks', { body: `{"name": "x", "secret": "${secret.broken}", "token": ${secret.code}` }],
      [400, '/developer/webhooks', { body: `${secret.broken}` }],
      [404, `/developer/webhooks/%E0%A4%A?${query}`, { method: 'GET', token: null }],
      [400, `/developer/webhooks?filter[secret]=${secret.broken}&${query}`, { method: 'GET', token: null }],
      [401, '/developer/webhooks', { method: 'GET', token: secret.wrong }],
      [401, `/developer/webhooks?access_token=${secret.wrong}`, { method: 'GET', token: null }],
      [401, '/events', { token: account.access_token, body: {} }],
      [404, `/developer/webhooks/${account.id}?${query}`, { method: 'GET', token: null }],
      [405, `/developer/webhooks?${query}`, { method: 'PATCH', token: null }],
      [
        413,
        `/developer/webhooks?${query}`,
        { token: null, body: JSON.stringify({ secret: secret.broken.repeat(5_000) }) },
      ],
      [415, '/developer/webhooks', { headers: { 'content-type': 'text/plain' }, body: secret.broken }],
      [
        422,
        '/developer/webhooks',
        { body: { ...webhookInput('200'), secret: secret.broken + long, token: `${secret.code}é` } },
      ],
      [
        422,
        '/developer/webhooks',
        { body: { name: 'x', uri: `http://user:${secret.broken}@10.0.0.1/?key=${privacy.uri}` } },
      ],
      [422, '/developer/webhooks', { body: { name: 'x', uri: `http://10.0.0.1/?key=${privacy.uri}` } }],
    ];
    for (const [status, path, request] of refusals)
      expect([path, (await call(path, request)).status]).toEqual([path, status]);
    expect((await call(`/developer/webhooks?${query}&per_page=1`, { method: 'GET', token: null })).text).not.toContain(
      account.access_token,
    );
  });

  test('are in statements that the database refuses, and in use while it is unavailable', async () => {
    const refusing = [
      `ALTER TABLE webhooks ADD CONSTRAINT no_webhook CHECK (name <> 'refused')`,
      `ALTER TABLE events ADD CONSTRAINT no_event CHECK (identity <> 'refused')`,
      `ALTER TABLE attempts ADD CONSTRAINT no_attempt CHECK (status_code <> 418)`,
    ];
    for (const statement of refusing) await db.pool.query(statement);
    expect(
      (await call('/developer/webhooks', { body: { ...webhookInput('200'), name: 'refused', token: secret.code } }))
        .status,
    ).toBe(500);
    const fine = await createWebhook('200');
    const refused = { event: 'sms:message:status', identity: 'refused', ...report(fine) };
    expect((await call('/events', { token: platform.platform_token, body: refused })).status).toBe(500);
    const { event: name, ...data } = refused;
    await queues.pushEvents('sms', [{ name, data }]);
    await worker.waitFor(/"message":"job\.error".*"queue":"sms-events"|"queue":"sms-events".*"message":"job\.error"/);
    await push(await createWebhook('418'));
    await worker.waitFor(/"message":"delivery\.error"/);
    await db.pool.query(`ALTER TABLE webhooks RENAME TO webhooks_away`);
    expect((await call('/developer/webhooks', { body: webhookInput('200') })).status).toBe(500);
    expect((await call('/events', { token: platform.platform_token, body: refused })).status).toBe(500);
    await db.pool.query(`ALTER TABLE webhooks_away RENAME TO webhooks`);
    // A connection that is in use when it is terminated makes its statement fail. Repeat until an idle one was
    // terminated.
    await until(async () => {
      await call('/developer/webhooks', { method: 'GET' });
      await db.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      return /"message":"connection.error"/.test(api.output());
    }, 'the API logs a lost connection');
    await until(
      async () => (await call('/developer/webhooks', { method: 'GET' })).status === 200,
      'the API answers again',
    );
    for (const name of ['webhooks.no_webhook', 'events.no_event', 'attempts.no_attempt']) {
      const [table, constraint] = name.split('.');
      await db.pool.query(`ALTER TABLE ${table} DROP CONSTRAINT ${constraint}`);
    }
    await push(fine);
    // The delivery that cannot be recorded would wait for 15 s.
    await db.pool.query(`UPDATE deliveries SET due_at = now() WHERE state = 'pending' AND lease_expires_at IS NULL`);
    await awaitNothingPending();
  });

  test('are then found only where they belong', async () => {
    const healthOf = (origin: string) =>
      Promise.all(
        ['healthz', 'readyz', 'metrics', 'docs'].map(async (path) => (await fetch(`${origin}/${path}`)).text()),
      );
    const pages = [
      ...(await healthOf(new URL(baseUrl).origin)),
      ...(await healthOf(`http://127.0.0.1:${env.HEALTH_PORT}`)),
    ];
    const [keys, rows] = [await readQueueData(), await readAllRows(database.url)];
    await Promise.all([api.stop(), worker.stop()]);
    const logs = api.output() + worker.output();

    // Each output has content in which a secret could be found.
    const events = ['http.(error|failed)', 'job.error', 'connection.error', 'delivery.attempted', 'delivery.failed'];
    const silent = [...events, 'verification.attempted', 'test_call.attempted'].filter(
      (event) => !new RegExp(`"message":"${event}"`).test(logs),
    );
    expect(silent).toEqual([]);
    expect(errors.length).toBeGreaterThan(15);
    expect(keys.includes(prefix)).toBe(true);
    expect(Object.values(privacy).filter((text) => !rows.includes(text))).toEqual([]);
    expect(Object.values(privacy).filter((text) => !callbackOutput.join().includes(text))).toEqual([]);
    expect(rows).toMatch(/^public\.webhooks .*"signing_secret":"v1:k1:.*"previous_signing_secret":"v1:k1:/m);

    expectNone('logs', logs, [...secrets(), ...Object.values(privacy)]);
    expectNone('the queue', keys, secrets());
    expectNone('PostgreSQL', rows, secrets());
    expectNone('output about callbacks', callbackOutput.join('\n'), secrets());
    expectNone('other responses', answers.join('\n'), [...signingSecrets, secret.user, secret.password, basic]);
    expectNone('error responses', errors.join('\n'), secrets());
    expectNone('health, metrics and docs', pages.join('\n'), [...secrets(), ...Object.values(privacy)]);
  });
});
