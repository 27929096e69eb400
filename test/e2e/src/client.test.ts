import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  ApiError,
  createClient,
  createHttpProducer,
  createQueueProducer,
  type RingbackClient,
  unwrap,
  verify,
} from '@ringback/client';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { createTestDatabase, redisUrl, type TestDatabase, until } from '@ringback/testing';
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

/** Repeats a push after a moment while the API responds with 503, as a platform does. */
const retryWhileUnavailable = (act: () => Promise<unknown>) =>
  until(
    () =>
      act().then(
        () => true,
        (error: unknown) => {
          if (error instanceof ApiError && error.status === 503) return false;
          throw error;
        },
      ),
    'it is accepted',
  );

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

  const register = async (uri = `${receiver.origin}/in`) => {
    const { data } = await unwrap(client.POST('/developer/webhooks', { body: { name: 'in', uri } }));
    return data.id;
  };

  test('the client registers, edits, lists and deletes a webhook', async () => {
    const id = await register();
    const path = { id };
    const shown = await unwrap(client.GET('/developer/webhooks/{id}', { params: { path } }));
    expect(shown.data).toMatchObject({ id, name: 'in', status: 1 });
    const body = { name: 'renamed %', uri: receiver.origin };
    await unwrap(client.PUT('/developer/webhooks/{id}', { params: { path }, body }));
    const query = { 'filter[name]': 'renamed %' };
    const listed = await unwrap(client.GET('/developer/webhooks', { params: { query } }));
    expect(listed.data.map((webhook) => webhook.id)).toEqual([id]);
    expect((await unwrap(client.DELETE('/developer/webhooks/{id}', { params: { path } }))).data).toEqual([]);
    const getDeleted = unwrap(client.GET('/developer/webhooks/{id}', { params: { path } }));
    await expect(getDeleted).rejects.toMatchObject({ name: 'ApiError', status: 404, message: 'Webhook not found.' });
  });

  test('the client reports a refusal field by field, and an unknown token', async () => {
    const wrong = unwrap(client.POST('/developer/webhooks', { body: { name: 'in', uri: 'ftp://example.com' } }));
    await expect(wrong).rejects.toMatchObject({ status: 422, errors: { uri: [expect.any(String)] } });
    const stranger = createClient({ baseUrl, token: 'unknown' });
    await expect(unwrap(stranger.GET('/developer/webhooks'))).rejects.toBeInstanceOf(ApiError);
    expect((await stranger.GET('/developer/webhooks')).error).toMatchObject({ code: 401, message: 'Unauthenticated.' });
  });

  test('an event of the HTTP producer becomes a callback that verify() accepts', async () => {
    const webhookId = await register();
    const token = (await ringback(['platform-token', 'create'], { env })) as { platform_token: string };
    const producer = createHttpProducer({ baseUrl, platformToken: token.platform_token });
    const id = `${randomUUID()}:1`;
    const event = { event: 'sms:message:status', webhook_id: webhookId, payload: { id, status: 'DELIVRD' } } as const;
    await retryWhileUnavailable(() => producer.push(event));
    const [call] = await callsAbout(receiver, id);
    const bearer = account.callback_token;
    expect(verify(call!, { webhookId, bearer })).toEqual({ ok: true });
    expect(verify({ ...call!, body: call!.body.subarray(1) }, { webhookId })).toMatchObject({ ok: false });
    const malformed = producer.push({ event: 'rcs:message:in', webhook_id: webhookId, payload: { id: '' } });
    await expect(malformed).rejects.toMatchObject({ status: 422 });
    await producer.close();
  });

  test('events of the HTTP producer that are too large for one request are sent in several', async () => {
    const webhookId = await register();
    const token = (await ringback(['platform-token', 'create'], { env })) as { platform_token: string };
    const producer = createHttpProducer({ baseUrl, platformToken: token.platform_token });
    const idPrefix = randomUUID();
    const events = Array.from({ length: 6 }, (_, index) => ({
      event: 'sms:message:status' as const,
      webhook_id: webhookId,
      payload: { id: `${idPrefix}:${index}`, custom: 'é'.repeat(500_000) },
    }));
    await retryWhileUnavailable(() => producer.push(events));
    for (const { payload } of events) expect(await callsAbout(receiver, payload.id)).toHaveLength(1);
  });

  test('an error about a response that is not from Ringback names its path and suggests to compare versions', async () => {
    const page = createClient({ baseUrl, token: 'any' });
    const fetch = () => Promise.resolve(new Response('<html>'));
    await expect(unwrap(page.GET('/developer/webhooks', { fetch }))).rejects.toThrow(
      'the response is not JSON: check the base URL, compare the versions of client and server',
    );
    const elsewhere = createClient({ baseUrl: receiver.origin, token: 'any' });
    await expect(unwrap(elsewhere.GET('/developer/webhooks'))).rejects.toThrow(
      /^unexpected response from .*\/developer\/webhooks \(status \d+\): compare the versions of client and server$/,
    );
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
    const body = { name: 'in', uri: uri!.replace('localhost', '127.0.0.1') };
    await unwrap(client.PUT('/developer/webhooks/{id}', { params: { path: { id: webhookId } }, body }));
    const stranger = await fetch(body.uri, {
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
