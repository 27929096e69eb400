import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { sign, sampleEvent } from '@ringback/rules';
import { openQueues, type Queues } from '@ringback/queue';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { backends, createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { customer } from './api.js';
import { ringback } from './cli.js';
import { run, type Running } from './processes.js';

describe.each(backends)('the API and a worker as processes, on $name', ({ redisUrl }) => {
  let database: TestDatabase;
  let env: NodeJS.ProcessEnv;
  let api: Running;
  let worker: Running;
  let receiver: Receiver;
  let queues: Queues;
  let baseUrl = '';
  let account: { id: string; access_token: string; callback_token: string };
  let call: ReturnType<typeof customer>;

  beforeAll(async () => {
    database = await createTestDatabase();
    env = {
      DATABASE_URL: database.url,
      REDIS_URL: redisUrl ?? '',
      QUEUE_PREFIX: `e2e_${randomBytes(6).toString('hex')}`,
      PORT: '0',
      EGRESS_ALLOWED_CIDRS: '127.0.0.0/8,::1/128',
      RETRY_TIME_SCALE: '0.0002',
      LOG_FORMAT: 'json',
    };
    api = run('apps/api/dist/main.js', { env });
    worker = run('apps/worker/dist/main.js', { env });
    receiver = await startReceiver();
    queues = openQueues({
      redisUrl,
      databaseUrl: database.url,
      prefix: env.QUEUE_PREFIX ?? '',
      redisTimeoutMs: 60_000,
      onError: () => {},
    });
    [, baseUrl = ''] = await api.waitFor(/"base_url":"([^"]+)"/);
    await worker.waitFor(/worker\.started/);
    account = (await ringback(['account', 'create', '--name', 'acme'], { env })) as typeof account;
    call = customer(baseUrl, account.access_token);
  });

  afterAll(async () => {
    await queues.close();
    expect(await Promise.all([api.stop(), worker.stop()])).toEqual([0, 0]);
    await receiver.close();
    await database.drop();
  });

  const createWebhook = async (path: string, more: object = {}) => {
    const { status, body } = await call('POST', '/developer/webhooks', {
      name: 'hook',
      uri: `${receiver.origin}${path}`,
      ...more,
    });
    expect([status, body.message]).toEqual([200, 'Created successfully']);
    return body.data as { id: string };
  };
  const callsAt = async (path: string, count: number) => {
    const look = () => {
      const calls = receiver.calls.filter((received) => received.path.startsWith(path));
      return calls.length >= count && calls;
    };
    return until(look, () => `${count} calls came to ${path}:\n${worker.output()}`);
  };

  test('an event in the queue becomes a signed callback to a webhook created over HTTP', async () => {
    const webhook = await createWebhook('/queue');
    const { event, ...data } = sampleEvent('sms', { accountId: account.id, webhookId: webhook.id });
    await queues.pushEvents('sms', [{ name: event, data }]);
    const [received] = await callsAt('/queue', 1);
    expect(JSON.parse(received!.body.toString())).toEqual(data.payload);
    expect(received!.headers.signature).toBe(sign(received!.body, webhook.id));
    expect(received!.headers.authorization).toBe(`Bearer ${account.callback_token}`);
  });

  test('an event pushed over HTTP with a platform token reaches a subscribed webhook', async () => {
    const webhook = await createWebhook('/http');
    await call('POST', '/developer/subscriptions', { event: 'rcs:message:status', webhook_id: webhook.id });
    const { platform_token: token } = (await ringback(['platform-token', 'create'], { env })) as {
      platform_token: string;
    };
    const platform = customer(baseUrl, token);
    const event = sampleEvent('rcs-status', { accountId: account.id });
    const first = await platform('POST', '/events', event);
    const data = [{ id: expect.any(String), state: 'accepted' }];
    expect(first).toMatchObject({ status: 202, body: { status: 'OK', code: 202, data } });
    const { id } = first.body.data[0];
    expect(await platform('POST', '/events', [event])).toMatchObject({
      status: 202,
      body: { data: [{ id, state: 'duplicate' }] },
    });
    const [received] = await callsAt('/http', 1);
    expect(received!.body.toString()).toBe(JSON.stringify({ event: event.event, payload: event.payload }));
    expect((await call('POST', '/events', event)).status).toBe(401);
    expect((await platform('GET', '/developer/webhooks')).status).toBe(401);
  });

  test('two failed attempts and a successful one have the same delivery id', async () => {
    let failures = 2;
    receiver.answerWith(({ path }) => ({ status: path === '/flaky' && failures-- > 0 ? 500 : 200 }));
    const webhook = await createWebhook('/flaky');
    await ringback(['event', 'sample', 'rcs-in', '--account', account.id, '--webhook', webhook.id], { env });
    const calls = await callsAt('/flaky', 3);
    expect(new Set(calls.map(({ headers }) => headers['x-ringback-delivery'])).size).toBe(1);
    expect(calls.map(({ headers }) => headers['x-ringback-attempt'])).toEqual(['1', '2', '3']);
  });

  test('a delivery succeeds after its webhook is corrected between attempts', async () => {
    receiver.answerWith(({ path }) => ({ status: path === '/wrong' ? 404 : 200 }));
    const webhook = await createWebhook('/wrong');
    await ringback(['event', 'sample', 'sms', '--account', account.id, '--webhook', webhook.id], { env });
    await callsAt('/wrong', 1);
    const edited = await call('PUT', `/developer/webhooks/${webhook.id}`, {
      name: 'hook',
      uri: `${receiver.origin}/right`,
    });
    expect(edited).toMatchObject({ status: 200, body: { message: 'Updated successfully' } });
    const [corrected] = await callsAt('/right', 1);
    expect(corrected!.headers['x-ringback-attempt']).not.toBe('1');
  });

  test('a webhook created with a verification token is verified by the worker and shown as verified', async () => {
    receiver.answerWith(({ body }) => ({
      status: 200,
      body: JSON.stringify({ challenge: JSON.parse(body.toString()).challenge }),
    }));
    const webhook = await createWebhook('/verify', { token: 'let me in' });
    const [received] = await callsAt('/verify', 1);
    expect(received!.path).toBe('/verify?token=let%20me%20in');
    await until(async () => {
      const { body } = await call('GET', `/developer/webhooks/${webhook.id}/verification`);
      return body.data.status === 'passed';
    }, 'the verification is passed');
  });

  test('rejected events are listed with their reasons', async () => {
    const event = { ...sampleEvent('sms', { accountId: account.id }), webhook_id: account.id };
    const { event: name, ...data } = event;
    await queues.pushEvents('sms', [{ name, data }]);
    await until(async () => {
      const rejected = (await ringback(['event', 'rejected'], { env })) as { reason: string }[];
      return rejected.some(({ reason }) => reason === 'webhook_id names no webhook');
    }, 'it is rejected');
  });
});
