import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { createClient, createHttpProducer, createQueueProducer, type RingbackClient, verify } from '@ringback/client';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { createTestDatabase, redisUrl, type TestDatabase } from '@ringback/testing';
import { runCommand } from './command.js';
import { ringback } from './cli.js';
import { root, run, type Running } from './processes.js';

type Account = { id: string; access_token: string; callback_token: string };

/** Resolves with the calls about a message when there is at least one. */
async function callsAbout(receiver: Receiver, messageId: string) {
  for (let count = 1; ; count++) {
    const calls = await receiver.waitFor(count);
    const own = calls.filter(({ body }) => body.includes(messageId));
    if (own.length > 0) return own;
  }
}

const backends = [
  { name: 'postgres', redis: undefined },
  ...(redisUrl() === undefined ? [] : [{ name: 'redis', redis: redisUrl() }]),
];

describe.each(backends)('with an API and a worker on $name', ({ redis }) => {
  let database: TestDatabase;
  let receiver: Receiver;
  let env: NodeJS.ProcessEnv;
  let programs: Running[];
  let baseUrl: string;
  let account: Account;
  let client: RingbackClient;

  beforeAll(async () => {
    [database, receiver] = await Promise.all([createTestDatabase(), startReceiver()]);
    const prefix = `e2e_${randomBytes(6).toString('hex')}`;
    env = { DATABASE_URL: database.url, REDIS_URL: redis ?? '', QUEUE_PREFIX: prefix, PORT: '0' };
    env = { ...env, EGRESS_ALLOWED_CIDRS: '127.0.0.0/8', LOG_FORMAT: 'json' };
    programs = ['api', 'worker'].map((app) => run(`apps/${app}/dist/main.js`, { env }));
    const [api, worker] = programs;
    const started = await api!.waitFor(/\{.*api\.started.*\}/);
    await worker!.waitFor(/worker\.started/);
    baseUrl = `http://127.0.0.1:${JSON.parse(started[0]).port}/api/v2`;
    account = (await ringback(['account', 'create', '--name', 'acme'], { env })) as Account;
    client = createClient({ baseUrl: `${baseUrl}/`, token: account.access_token });
  });
  afterAll(async () => {
    await Promise.all(programs.map((program) => program.stop()));
    await receiver.close();
    await database.drop();
  });

  test('a test call reaches the receiver, which verifies it with the signing secret', async () => {
    const call = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${account.access_token}`, 'content-type': 'application/json' };
      const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const answer = await fetch(`${baseUrl}/developer/${path}`, { headers, ...request });
      return Reflect.get(Object(await answer.json()), 'data');
    };
    const { id } = await call('webhooks', { name: 'tried', uri: `${receiver.origin}/tried` });
    const { secret } = await call(`webhooks/${id}/signing-secret`);
    const testCall = await call(`webhooks/${id}/test`, { event: 'rcs:message:in' });
    const { request, response, error } = testCall.attempt;
    expect([response.code, error, request.headers['X-Ringback-Test']]).toEqual([200, null, 'true']);
    const [received] = await callsAbout(receiver, testCall.payload.id);
    const { headers, body } = received!;
    expect(body.toString()).toBe(request.body);
    expect(headers['webhook-signature']).toBe(request.headers['webhook-signature']);
    expect(verify({ headers, body }, { signingSecret: secret })).toEqual({ ok: true });
  });

  const register = async (uri = `${receiver.origin}/in`) => (await client.webhooks.create({ name: 'in', uri })).id;
  const createPlatformToken = async () => {
    const scopes = ['events', 'portal', 'accounts', 'act'].flatMap((scope) => ['--scope', scope]);
    return (await ringback(['platform-token', 'create', ...scopes], { env })) as { platform_token: string };
  };

  test('the client registers, edits, lists and deletes a webhook', async () => {
    const id = await register();
    expect(await client.webhooks.retrieve(id)).toMatchObject({ id, name: 'in', status: 1 });
    const edited = await client.webhooks.update(id, { name: 'renamed %' });
    expect([edited.name, edited.lastResponse.warnings]).toEqual(['renamed %', []]);
    const listed = await client.webhooks.list({ filter: { name: 'renamed %' } });
    expect(listed.data.map((webhook) => webhook.id)).toEqual([id]);
    const { lastResponse } = await client.webhooks.retrieve(id);
    const etag = lastResponse.headers.get('etag')!;
    await client.webhooks.update(id, { name: 'b' }, { ifMatch: etag });
    const stale = client.webhooks.delete(id, { ifMatch: etag });
    await expect(stale).rejects.toMatchObject({ status: 412, type: 'PreconditionFailed' });
    expect(await client.webhooks.delete(id)).toBeUndefined();
    await expect(client.webhooks.retrieve(id)).rejects.toMatchObject({
      name: 'NotFoundError',
      status: 404,
      type: 'NotFound',
      message: 'Webhook not found.',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      baseUrl,
    });
  });

  test('the client creates one webhook although the first response was lost', async () => {
    let requests = 0;
    const losing: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (requests++ === 0) throw new TypeError('fetch failed', { cause: new Error('other side closed') });
      return response;
    };
    const name = `lost ${randomUUID()}`;
    const unlucky = createClient({ baseUrl, token: account.access_token, fetch: losing });
    const created = await unlucky.webhooks.create({ name, uri: receiver.origin });
    expect(requests).toBe(2);
    expect((await client.webhooks.list({ filter: { name } })).data).toEqual([created]);
  });

  test('the client lists all pages', async () => {
    const name = `many ${randomUUID()}`;
    const names = Array.from({ length: 5 }, (_, index) => `${name} ${index}`);
    for (const each of names) await client.webhooks.create({ name: each, uri: receiver.origin });
    const visited: string[] = [];
    for await (const webhook of client.webhooks.list({ filter: { name }, per_page: 2 })) {
      visited.push(webhook.name);
      await client.webhooks.delete(webhook.id);
    }
    expect(visited).toEqual(names.reverse());
    const changes = await client.changes.list({ filter: { action: 'webhook.deleted' }, per_page: 2 }).toArray();
    expect(changes.length).toBeGreaterThanOrEqual(5);
    expect((await client.tokens.list()).data).toHaveLength(1);
  });

  test('the client sends a test call, and shows its webhook in other resources', async () => {
    const id = await register();
    const tried = await client.webhooks.test(id, { event: 'sms:message:status' });
    expect(tried.attempt.response).toMatchObject({ code: 200 });
    const subscription = await client.subscriptions.create({ event: 'sms:message:status', webhook_id: id });
    expect(await client.subscriptions.retrieve(subscription.id)).toMatchObject({ webhook_id: id });
    await client.subscriptions.delete(subscription.id);
    expect((await client.webhooks.retrieveSigningSecret(id)).secret).toMatch(/^whsec_/);
    expect(await client.webhooks.statistics(id)).toHaveProperty('totals');
    expect(await client.statistics.retrieve({ interval: 'hour' })).toHaveProperty('totals');
    expect((await client.events.listKinds()).data.map(({ event }) => event)).toContain('rcs:message:in');
    const preview = { event: 'sms:message:status', uri: 'https://example.com/{{status}}' } as const;
    expect(JSON.stringify(await client.webhooks.preview(preview))).toContain('https://example.com/DELIVRD');
  });

  test('the client of a platform manages accounts, and acts for one', async () => {
    const { platform_token: token } = await createPlatformToken();
    const platform = createClient({ baseUrl, token });
    const created = await platform.accounts.create({ name: 'umbrella' });
    expect(created.callback_token).toEqual(expect.any(String));
    await platform.accounts.update(created.id, { name: 'renamed' });
    expect(await platform.accounts.retrieve(created.id)).toMatchObject({ name: 'renamed' });
    expect((await platform.accounts.list({ filter: { name: 'renamed' } }).toArray()).map(({ id }) => id)).toEqual([
      created.id,
    ]);
    const hook = { name: 'in', uri: receiver.origin };
    const webhook = await platform.webhooks.create(hook, { accountId: created.id });
    const { token: accessToken } = await platform.accounts.createToken(created.id, { scopes: ['read'] });
    const owner = createClient({ baseUrl, token: accessToken });
    expect((await owner.webhooks.list()).data).toEqual([webhook]);
    const forbidden = owner.webhooks.delete(webhook.id);
    await expect(forbidden).rejects.toMatchObject({ name: 'PermissionError', status: 403, type: 'Forbidden' });
    const session = await platform.portalSessions.create({ account_id: created.id });
    expect(session.url).toContain('#session=');
    await platform.portalSessions.end(session.id);
    await platform.accounts.delete(created.id, { force: true });
  });

  test('the client reports a refusal field by field, and an unknown token', async () => {
    const wrong = client.webhooks.create({ name: 'in', uri: 'ftp://example.com' });
    await expect(wrong).rejects.toMatchObject({ status: 422, errors: { uri: [expect.any(String)] } });
    const stranger = createClient({ baseUrl, token: 'unknown' }).webhooks.list();
    await expect(stranger).rejects.toMatchObject({ name: 'AuthenticationError', message: 'Unauthenticated.' });
  });

  test('an event of the HTTP producer becomes a callback that verify() accepts', async () => {
    const webhookId = await register();
    const producer = createHttpProducer({ baseUrl, platformToken: (await createPlatformToken()).platform_token });
    const id = `${randomUUID()}:1`;
    const event = { event: 'sms:message:status', webhook_id: webhookId, payload: { id, status: 'DELIVRD' } } as const;
    const [first] = await producer.push(event);
    expect(await producer.push(event)).toEqual([{ id: first!.id, state: 'duplicate' }]);
    const [call] = await callsAbout(receiver, id);
    const bearer = account.callback_token;
    expect(verify(call!, { webhookId, bearer })).toEqual({ ok: true });
    expect(verify({ ...call!, body: call!.body.subarray(1) }, { webhookId })).toMatchObject({ ok: false });
    const malformed = producer.push({ event: 'rcs:message:in', webhook_id: webhookId, payload: { id: '' } });
    await expect(malformed).rejects.toMatchObject({ name: 'ValidationError', status: 422 });
    await producer.close();
  });

  test('events of the HTTP producer that are too large for one request are sent in several', async () => {
    const webhookId = await register();
    const producer = createHttpProducer({ baseUrl, platformToken: (await createPlatformToken()).platform_token });
    const idPrefix = randomUUID();
    const events = Array.from({ length: 6 }, (_, index) => ({
      event: 'sms:message:status' as const,
      webhook_id: webhookId,
      payload: { id: `${idPrefix}:${index}`, custom: 'é'.repeat(500_000) },
    }));
    await producer.push(events);
    for (const { payload } of events) expect(await callsAbout(receiver, payload.id)).toHaveLength(1);
  });

  test('an error about a response that is not from Ringback names the base URL', async () => {
    const elsewhere = createClient({ baseUrl: receiver.origin, token: 'any' }).webhooks.list();
    await expect(elsewhere).rejects.toThrow(`unexpected response from ${receiver.origin} (GET /developer/webhooks, `);
  });

  test('the Express receiver of the examples prints genuine callbacks and refuses others', async () => {
    const webhookId = await register();
    const settings = { PORT: '0', WEBHOOK_ID: webhookId, BEARER: account.callback_token };
    const unset = { ...settings, WEBHOOK_ID: '', BEARER: '' };
    expect(await runCommand('examples/express-receiver/receiver.mjs', { env: unset })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Set WEBHOOK_ID and BEARER.\n',
    });
    const example = run('examples/express-receiver/receiver.mjs', { env: settings });
    programs.push(example);
    const [, uri] = await example.waitFor(/receiving at (\S+)/);
    const local = uri!.replace('localhost', '127.0.0.1');
    await client.webhooks.update(webhookId, { uri: local });
    const stranger = await fetch(local, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(stranger.status).toBe(401);
    await ringback(['event', 'sample', 'rcs-in', '--account', account.id, '--webhook', webhookId], { env });
    await example.waitFor(/rcs:message:in \{"event":"rcs:message:in","payload":\{/);
  });

  if (redis === undefined) return;

  describe('with a Redis that platforms can reach', () => {
    const hasPython = spawnSync('python3', ['-c', 'import bullmq']).status === 0;
    const exampleEnv = (webhookId: string) => ({ ...env, ACCOUNT_ID: account.id, WEBHOOK_ID: webhookId });

    test('the queue producer pushes events of both channels', async () => {
      const webhook_id = await register();
      const producer = await createQueueProducer({ connection: { url: redis }, prefix: env.QUEUE_PREFIX! });
      const [sms, rcs] = [`${randomUUID()}:1`, randomUUID()];
      await producer.push([
        { event: 'sms:message:status', account_id: account.id, webhook_id, payload: { id: sms, credits: '2.0000' } },
        { event: 'rcs:message:status', webhook_id, payload: { id: rcs, status: 'read' } },
      ]);
      await producer.close();
      const [report] = await callsAbout(receiver, sms);
      expect(JSON.parse(report!.body.toString())).toEqual({ id: sms, credits: '2.0000' });
      const [status] = await callsAbout(receiver, rcs);
      expect(JSON.parse(status!.body.toString())).toEqual({
        event: 'rcs:message:status',
        payload: { id: rcs, status: 'read' },
      });
    });

    test('the Node producer of the examples needs no package of Ringback', async () => {
      const id = `${randomUUID()}:1`;
      const pushed = await runCommand('examples/node-producer/producer.mjs', {
        args: [id],
        env: exampleEnv(await register()),
      });
      expect(pushed).toEqual({ code: 0, stdout: `pushed ${id}\n`, stderr: '' });
      expect(await callsAbout(receiver, id)).toHaveLength(1);
    });

    (hasPython ? test : test.skip)('the Python producer of the examples does the same', async () => {
      const id = `${randomUUID()}:1`;
      const file = `${root}examples/python-producer/producer.py`;
      const program = spawnSync('python3', [file, id], {
        env: { ...process.env, ...exampleEnv(await register()) },
        encoding: 'utf8',
      });
      expect([program.status, program.stdout]).toEqual([0, `pushed ${id}\n`]);
      expect(await callsAbout(receiver, id)).toHaveLength(1);
    });
  });
});
