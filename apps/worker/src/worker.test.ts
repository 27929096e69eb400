import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createHmac, randomUUID } from 'node:crypto';
import {
  createAccount,
  createWebhook,
  softDeleteWebhook,
  updateWebhook,
  findVerification,
  listNewestDeliveries,
  listRejectedEvents,
  startVerification,
  subscribe,
  retryRejectedEvent,
} from '@ringback/ledger';
import { startReceiver, type ReceivedCall, type Receiver } from '@ringback/receiver';
import { roles } from '@ringback/process';
import { sampleEvent } from '@ringback/rules';
import { backends, until } from '@ringback/testing';
import { startTestbed, type Testbed } from './worker.fixture.js';

describe.each(backends)('a worker on $name', ({ name }) => {
  let testbed: Testbed;
  let paths = 0;
  beforeAll(async () => {
    testbed = await startTestbed(name);
  });
  afterAll(async () => {
    await testbed.close();
    expect(testbed.errors).toEqual([]);
  });

  /** The test's own path at the receiver, and the calls that arrived there. */
  const createReceiverPath = () => {
    const path = `/at-${++paths}`;
    const calls = (): ReceivedCall[] => testbed.receiver.calls.filter((call) => call.path.startsWith(path));
    return { uri: `${testbed.receiver.origin}${path}`, calls };
  };
  const push = async (...[kind, to]: Parameters<Testbed['pushSamples']>) => (await testbed.pushSamples(kind, to))[0]!;
  const rejected = (messageId: string) =>
    until(async () =>
      (await listRejectedEvents(testbed.db, { limit: 100 })).find(({ envelope }) => envelope?.includes(messageId)),
    );

  test('an SMS report arrives flat, with Bearer and Signature over its exact bytes', async () => {
    const { uri, calls } = createReceiverPath();
    const webhook = await testbed.makeWebhook({ uri, secret: 's3cret' });
    const { payload } = await push('sms', { webhookId: webhook.id });
    const delivery = await testbed.waitForDelivery({ webhookId: webhook.id }, 'delivered');
    expect(calls()).toHaveLength(1);
    const [call] = calls();
    expect(JSON.parse(call!.body.toString())).toEqual(payload);
    expect(call!.method).toBe('POST');
    expect(call!.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer s3cret',
      signature: createHmac('sha256', webhook.id).update(call!.body).digest('hex'),
      'x-ringback-event': 'sms:message:status',
      'x-ringback-delivery': delivery.id,
      'x-ringback-attempt': '1',
      'accept-encoding': 'identity',
      'user-agent': expect.stringMatching(/^Ringback\/\d/),
    });
    expect(delivery.attempts).toMatchObject([{ number: 1, outcome: 'response', statusCode: 200 }]);
  });

  test.each(['rcs-status', 'rcs-in'] as const)(
    'an %s event arrives in its envelope, with the account’s callback token',
    async (kind) => {
      const { uri, calls } = createReceiverPath();
      const webhook = await testbed.makeWebhook({ uri, signing: false });
      const { event, payload } = await push(kind, { webhookId: webhook.id });
      await testbed.waitForDelivery({ webhookId: webhook.id }, 'delivered');
      const [call] = calls();
      expect(JSON.parse(call!.body.toString())).toEqual({ event, payload });
      expect(call!.headers.authorization).toBe(`Bearer ${testbed.account.callbackToken}`);
      expect(call!.headers.signature).toBeUndefined();
    },
  );

  test('a payload that came as a JSON string is sent byte for byte', async () => {
    const { uri, calls } = createReceiverPath();
    const webhook = await testbed.makeWebhook({ uri });
    const payload = `{ "id":"${randomUUID()}:1",  "units": 1.0, "credits":"2.0000", "10":1, "2":[ ] }`;
    const data = { webhook_id: webhook.id, payload };
    await testbed.queues.pushEvents('sms', [{ name: 'sms:message:status', data }]);
    await testbed.waitForDelivery({ webhookId: webhook.id }, 'delivered');
    expect(calls()[0]!.body.toString()).toBe(payload);
  });

  test('SMS: a 201 is a failure, and after 4 attempts the delivery is failed and lists all attempts', async () => {
    const { uri, calls } = createReceiverPath();
    const webhook = await testbed.makeWebhook({ uri });
    testbed.receiver.answerWith((call) => ({ status: uri.endsWith(call.path) ? 201 : 200 }));
    await push('sms', { webhookId: webhook.id });
    const delivery = await testbed.waitForDelivery({ webhookId: webhook.id }, 'failed');
    expect(calls().map(({ headers }) => headers['x-ringback-attempt'])).toEqual(['1', '2', '3', '4']);
    expect(new Set(calls().map(({ headers }) => headers['x-ringback-delivery']))).toEqual(new Set([delivery.id]));
    expect(delivery.attempts.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201, 201]);
    const waits = calls()
      .slice(1)
      .map(({ at }, index) => at - calls()[index]!.at);
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(180);
  });

  test('RCS: 3 attempts, then failed; a 204 is a success', async () => {
    const failing = createReceiverPath();
    const fine = createReceiverPath();
    const hook = await testbed.makeWebhook({ uri: failing.uri });
    const other = await testbed.makeWebhook({ uri: fine.uri });
    testbed.receiver.answerWith((call) => ({ status: failing.uri.endsWith(call.path) ? 500 : 204 }));
    await push('rcs-status', { webhookId: hook.id });
    await push('rcs-status', { webhookId: other.id });
    expect((await testbed.waitForDelivery({ webhookId: hook.id }, 'failed')).attempts).toHaveLength(3);
    expect((await testbed.waitForDelivery({ webhookId: other.id }, 'delivered')).attempts).toHaveLength(1);
  });

  test('attempts after a correction of the webhook use its new uri and secret', async () => {
    const { uri, calls } = createReceiverPath();
    const webhook = await testbed.makeWebhook({ uri: `${uri}/wrong` });
    testbed.receiver.answerWith((call) => ({ status: call.path.endsWith('/wrong') ? 500 : 200 }));
    await push('sms', { webhookId: webhook.id });
    await until(() => calls().length >= 1);
    await updateWebhook(testbed.db, testbed.account.id, webhook.id, { uri: `${uri}/right`, secret: 'new' });
    const delivery = await testbed.waitForDelivery({ webhookId: webhook.id }, 'delivered');
    expect(calls().at(-1)).toMatchObject({ headers: { authorization: 'Bearer new' } });
    expect(calls().at(-1)!.path).toMatch(/right$/);
    expect(delivery.attempts.at(-1)).toMatchObject({ statusCode: 200 });
  });

  describe('a receiver without idle connections', () => {
    let receiver: Receiver;
    beforeEach(async () => void (receiver = await startReceiver()));
    afterEach(() => receiver.close());

    test.each([
      ['reset', 'reset', 'failed'],
      ['garbage', 'protocol', 'failed'],
      ['switching', 'response', 'failed'],
      ['redirect', 'response', 'failed'],
      ['headers', 'response', 'delivered'],
      ['endless', 'response', 'delivered'],
    ] as const)('with the fault "%s": the outcome is %s, and the delivery is %s', async (fault, outcome, state) => {
      const webhook = await testbed.makeWebhook({ uri: `${receiver.origin}/` });
      receiver.answerWith(fault);
      await push('rcs-status', { webhookId: webhook.id });
      const delivery = await testbed.waitForDelivery({ webhookId: webhook.id }, state);
      expect(delivery.attempts.map((attempt) => attempt.outcome)).toEqual(
        Array(state === 'failed' ? 3 : 1).fill(outcome),
      );
      // No redirect is followed, and no request is made twice.
      expect(receiver.calls).toHaveLength(delivery.attempts.length);
    });

    test.each([
      ['resets every request', () => 'reset' as const],
      [
        'answers the first request of a connection and resets the next',
        (before: number) => (before % 2 === 1 ? ('reset' as const) : { status: 500 }),
      ],
    ])('that %s gets as many requests as there are attempts (SMS)', async (_what, answer) => {
      const webhook = await testbed.makeWebhook({ uri: `${receiver.origin}/` });
      await push('sms', { webhookId: webhook.id });
      await testbed.waitForDelivery({ webhookId: webhook.id }, 'delivered');
      // The successful call used the only connection to the receiver, once.
      receiver.answerWith(() => answer(receiver.calls.length - 1));
      await push('sms', { webhookId: webhook.id });
      const { attempts } = await testbed.waitForDelivery({ webhookId: webhook.id }, 'failed');
      expect(attempts).toHaveLength(4);
      expect(attempts[0]).toMatchObject({ outcome: 'reset' });
      expect(receiver.calls).toHaveLength(1 + 4);
    });
  });

  test.each([301, 400, 410, 503])('a %i fails', async (status) => {
    const { uri } = createReceiverPath();
    const webhook = await testbed.makeWebhook({ uri });
    testbed.receiver.answerWith((call) => ({ status: uri.endsWith(call.path) ? status : 200 }));
    await push('rcs-status', { webhookId: webhook.id });
    const { attempts } = await testbed.waitForDelivery({ webhookId: webhook.id }, 'failed');
    expect(attempts.map(({ statusCode }) => statusCode)).toEqual([status, status, status]);
  });

  test('a refused connection and a private address count as attempts', async () => {
    const closed = await testbed.makeWebhook({ uri: 'http://127.0.0.1:1/' });
    const metadata = await testbed.makeWebhook({ uri: 'http://169.254.169.254/latest' });
    await push('rcs-status', { webhookId: closed.id });
    await push('rcs-status', { webhookId: metadata.id });
    const [first] = (await testbed.waitForDelivery({ webhookId: closed.id }, 'failed')).attempts;
    expect(first).toMatchObject({ outcome: 'connect', errorCode: 'ECONNREFUSED', statusCode: null });
    const { attempts } = await testbed.waitForDelivery({ webhookId: metadata.id }, 'failed');
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['refused', 'refused', 'refused']);
  });

  test('webhooks subscribed to all identities or to this one get the event once, others do not', async () => {
    testbed.receiver.answerWith({ status: 200 });
    const [all, same, other] = await Promise.all([testbed.makeWebhook(), testbed.makeWebhook(), testbed.makeWebhook()]);
    const event = 'rcs:message:in';
    for (const identity of ['all', 'number:1'])
      await subscribe(testbed.db, testbed.account.id, { event, identity, webhookId: all.id });
    await subscribe(testbed.db, testbed.account.id, { event, identity: 'number:1', webhookId: same.id });
    await subscribe(testbed.db, testbed.account.id, { event, identity: 'number:2', webhookId: other.id });
    await push('rcs-in', { identity: 'number:1' });
    await testbed.waitForDelivery({ webhookId: all.id }, 'delivered');
    await testbed.waitForDelivery({ webhookId: same.id }, 'delivered');
    expect(await listNewestDeliveries(testbed.db, { webhookId: all.id, limit: 9 })).toHaveLength(1);
    expect(await listNewestDeliveries(testbed.db, { webhookId: other.id, limit: 9 })).toEqual([]);
  });

  test('an event without a subscriber is stored as unrouted', async () => {
    const lonely = await createAccount(testbed.db, { name: 'lonely' });
    const { payload } = await push('sms', { accountId: lonely.id });
    const event = await until(
      async () =>
        (await (await testbed.db.prisma()).event.findFirst({ where: { messageId: String(payload.id) } })) ?? undefined,
    );
    expect(event).toMatchObject({ state: 'unrouted', reason: null, accountId: lonely.id });
  });

  test('the same event pushed three times at once, and again later, makes one callback', async () => {
    const { uri, calls } = createReceiverPath();
    testbed.receiver.answerWith({ status: 200 });
    const webhook = await testbed.makeWebhook({ uri });
    const { event, ...data } = sampleEvent('sms', { webhookId: webhook.id });
    const job = { name: event, data };
    await testbed.queues.pushEvents('sms', [job, job, job]);
    await testbed.waitForDelivery({ webhookId: webhook.id }, 'delivered');
    await testbed.queues.pushEvents('sms', [job]);
    const next = { ...data, payload: { ...data.payload, status: 'EXPIRED' } };
    await testbed.queues.pushEvents('sms', [{ name: event, data: next }]);
    await until(() => calls().length >= 2);
    expect(calls().map(({ body }) => JSON.parse(body.toString()).status)).toEqual(['DELIVRD', 'EXPIRED']);
    expect(await listNewestDeliveries(testbed.db, { webhookId: webhook.id, limit: 9 })).toHaveLength(2);
  });

  test('deliveries of inactive and deleted webhooks are skipped, with the reason', async () => {
    const inactive = await testbed.makeWebhook({ active: false });
    const deleted = await testbed.makeWebhook();
    await softDeleteWebhook(testbed.db, testbed.account.id, deleted.id);
    await push('sms', { webhookId: inactive.id });
    await push('sms', { webhookId: deleted.id });
    expect(await testbed.waitForDelivery({ webhookId: inactive.id }, 'skipped')).toMatchObject({
      reason: 'webhook inactive',
      attempts: [],
    });
    expect(await testbed.waitForDelivery({ webhookId: deleted.id }, 'skipped')).toMatchObject({
      reason: 'webhook deleted',
      attempts: [],
    });
  });

  test('a webhook that is deactivated between attempts gets no further callback', async () => {
    const { uri, calls } = createReceiverPath();
    const webhook = await testbed.makeWebhook({ uri });
    testbed.receiver.answerWith({ status: 500 });
    await push('sms', { webhookId: webhook.id });
    await until(() => calls().length >= 1);
    await updateWebhook(testbed.db, testbed.account.id, webhook.id, { active: false });
    const delivery = await testbed.waitForDelivery({ webhookId: webhook.id }, 'skipped');
    expect(calls()).toHaveLength(delivery.attempts.length);
    expect(delivery.attempts.length).toBeLessThan(4);
  });

  test('an event for an unknown webhook, another account’s webhook or an unknown account is rejected', async () => {
    const webhook = await testbed.makeWebhook();
    const stranger = await createAccount(testbed.db, { name: 'stranger' });
    const unknown = await push('sms', { webhookId: randomUUID() });
    const foreign = await push('sms', { webhookId: webhook.id, accountId: stranger.id });
    const unknownAccount = await push('sms', { accountId: randomUUID() });
    expect((await rejected(String(unknown.payload.id))).reason).toBe('webhook_id names no webhook');
    expect((await rejected(String(foreign.payload.id))).reason).toBe('webhook_id names a webhook of another account');
    expect((await rejected(String(unknownAccount.payload.id))).reason).toBe('account_id names no account');
    expect(await listNewestDeliveries(testbed.db, { webhookId: webhook.id, limit: 9 })).toEqual([]);
  });

  test('a rejected event reserves no idempotency key, and can be ingested again when the cause is fixed', async () => {
    const { uri, calls } = createReceiverPath();
    testbed.receiver.answerWith({ status: 200 });
    const id = randomUUID();
    const { payload } = await push('sms', { webhookId: id });
    const event = await rejected(String(payload.id));
    expect(await retryRejectedEvent(testbed.db, event.id)).toMatchObject({ state: 'rejected' });
    const { webhook } = await createWebhook(testbed.db, testbed.account.id, {
      name: 'late',
      uri,
      active: true,
      secret: null,
      verificationCode: null,
      bodyTemplate: null,
      signing: true,
    });
    await (await testbed.db.prisma()).webhook.update({ where: { id: webhook.id }, data: { id } });
    expect(await retryRejectedEvent(testbed.db, event.id)).toMatchObject({ state: 'routed' });
    await testbed.waitForDelivery({ webhookId: id }, 'delivered');
    expect(JSON.parse(calls()[0]!.body.toString())).toEqual(payload);
    expect(await retryRejectedEvent(testbed.db, event.id)).toBeNull();
  });

  test('a rejected event that repeats a stored one stays rejected when it is ingested again', async () => {
    const id = randomUUID();
    const { event, ...data } = sampleEvent('sms', { webhookId: id });
    const messageId = String(data.payload.id);
    await testbed.queues.pushEvents(
      'sms',
      [1, 2].map(() => ({ name: event, data: { ...data, event_id: id } })),
    );
    const repeats = async () =>
      (await listRejectedEvents(testbed.db, { limit: 100 })).filter(({ envelope }) => envelope?.includes(messageId));
    const [first, second] = await until(async () => ((await repeats()).length === 2 ? repeats() : undefined));
    const webhook = await testbed.makeWebhook();
    await (await testbed.db.prisma()).webhook.update({ where: { id: webhook.id }, data: { id } });
    const retried = await retryRejectedEvent(testbed.db, first!.id);
    const reason = `it is a repeat of event ${retried!.eventId}`;
    expect(await retryRejectedEvent(testbed.db, second!.id)).toMatchObject({
      eventId: second!.id,
      state: 'rejected',
      reason,
    });
    expect(await repeats()).toEqual([second]);
    expect(await listNewestDeliveries(testbed.db, { webhookId: id, limit: 9 })).toHaveLength(1);
  });

  test.each([
    ['null', null],
    ['a text', 'hello'],
    ['no payload', { account_id: randomUUID() }],
    ['a payload without id', { account_id: randomUUID(), payload: { status: 'x' } }],
    ['a malformed account_id', { account_id: 'constructor', payload: { id: 'a' } }],
  ])('a job whose data is %s is stored as rejected, and other jobs go on', async (_what, data) => {
    const before = (await listRejectedEvents(testbed.db, { limit: 1_000 })).length;
    // The type does not allow this, but a platform can send it.
    const job = JSON.parse(JSON.stringify({ name: 'sms:message:status', data }));
    await testbed.queues.pushEvents('sms', [job]);
    await until(async () => (await listRejectedEvents(testbed.db, { limit: 1_000 })).length > before);
  });

  test('a job with an unknown name is stored as rejected', async () => {
    const { event: _event, ...data } = sampleEvent('sms', { accountId: testbed.account.id });
    await testbed.queues.pushEvents('sms', [{ name: 'sms:message:unheard', data }]);
    expect(await rejected(String(data.payload.id))).toMatchObject({ name: 'sms:message:unheard' });
  });

  test('a composed webhook gets typed values in the body and encoded ones in the uri', async () => {
    const { uri, calls } = createReceiverPath();
    testbed.receiver.answerWith({ status: 200 });
    const payload = { ref: '{{id}}', parts: '{{units}}', text: 'to {{mobile}}: {{status}}', gone: '{{nothing}}' };
    const webhook = await testbed.makeWebhook({ uri: `${uri}?m={{ custom }}&fixed=1`, bodyTemplate: payload });
    const { event, ...data } = sampleEvent('sms', { webhookId: webhook.id });
    const report: Record<string, unknown> = { ...data.payload, custom: 'a&b=c#d "é"' };
    await testbed.queues.pushEvents('sms', [{ name: event, data: { ...data, payload: report } }]);
    const delivery = await testbed.waitForDelivery({ webhookId: webhook.id }, 'delivered');
    const [call] = calls();
    const { searchParams } = new URL(call!.path, 'http://x');
    expect([...searchParams]).toEqual([
      ['m', 'a&b=c#d "é"'],
      ['fixed', '1'],
    ]);
    expect(JSON.parse(call!.body.toString())).toEqual({
      ref: report.id,
      parts: 2,
      text: 'to 918921269000: DELIVRD',
      gone: null,
    });
    expect(call!.headers.signature).toBe(createHmac('sha256', webhook.id).update(call!.body).digest('hex'));
    expect(delivery.attempts[0]!.warnings.join()).toContain('nothing');
  });

  test.each([64 * 1024 - 1_000, 64 * 1024, 1_000_000])(
    'an event with a text of %i bytes reaches a plain and a composed webhook, one after a retry',
    async (bytes) => {
      const [plain, composed] = [createReceiverPath(), createReceiverPath()];
      let hasFailed = false;
      testbed.receiver.answerWith(() => ({ status: hasFailed || !(hasFailed = true) ? 200 : 500 }));
      const hooks = [
        await testbed.makeWebhook({ uri: plain.uri }),
        await testbed.makeWebhook({ uri: composed.uri, bodyTemplate: { ref: '{{id}}', size: '{{size}}' } }),
      ];
      const identity = `number:${bytes}`;
      const { event, ...data } = sampleEvent('sms', { accountId: testbed.account.id, identity });
      for (const { id: webhookId } of hooks)
        await subscribe(testbed.db, testbed.account.id, { event, identity, webhookId });
      const payload: Record<string, unknown> = { ...data.payload, size: bytes, text: 'é'.repeat(bytes / 2) };
      await testbed.queues.pushEvents('sms', [{ name: event, data: { ...data, payload } }]);
      for (const { id: webhookId } of hooks) await testbed.waitForDelivery({ webhookId }, 'delivered');
      const bodies = (calls: ReceivedCall[]) => calls.map(({ body }) => JSON.parse(body.toString()));
      const all = [...bodies(plain.calls()), ...bodies(composed.calls())];
      expect(all).toHaveLength(3);
      for (const body of bodies(plain.calls())) expect(body).toEqual(payload);
      for (const body of bodies(composed.calls())) expect(body).toEqual({ ref: payload.id, size: bytes });
    },
  );

  test('a verification is passed by a receiver that echoes the challenge', async () => {
    const { uri, calls } = createReceiverPath();
    testbed.receiver.answerWith(({ body }) => ({
      status: 200,
      body: JSON.stringify({ challenge: JSON.parse(body.toString()).challenge }),
    }));
    const webhook = await testbed.makeWebhook({ uri: `${uri}?a=1`, verificationCode: 'to ken' });
    await testbed.queues.enqueueVerification(webhook.verificationId!);
    const passed = await until(async () => {
      const verification = await findVerification(testbed.db, testbed.account.id, webhook.id);
      return verification?.state === 'passed' && verification;
    });
    expect(passed).toMatchObject({ attemptCount: 1, reason: null, nextAttemptAt: null });
    const [call] = calls();
    expect([...new URL(call!.path, 'http://x').searchParams]).toEqual([
      ['a', '1'],
      ['token', 'to ken'],
    ]);
    const body = JSON.parse(call!.body.toString());
    expect(Object.keys(body)).toEqual(['validation_key', 'challenge']);
    expect(body.validation_key).toBe('to ken');
    expect(call!.headers.authorization).toBe(`Bearer ${testbed.account.callbackToken}`);
    expect(call!.headers.signature).toBe(createHmac('sha256', webhook.id).update(call!.body).digest('hex'));
  });

  test('a verification whose challenge is not echoed fails after 3 attempts, and can be started again', async () => {
    const { uri, calls } = createReceiverPath();
    testbed.receiver.answerWith({ status: 200, body: 'whatever' });
    const webhook = await testbed.makeWebhook({ uri, verificationCode: 'token' });
    await testbed.queues.enqueueVerification(webhook.verificationId!);
    const ended = () =>
      until(async () => {
        const verification = await findVerification(testbed.db, testbed.account.id, webhook.id);
        return verification !== null && verification.state !== 'pending' && verification;
      });
    expect(await ended()).toMatchObject({ state: 'failed', attemptCount: 3 });
    expect(new Set(calls().map(({ body }) => JSON.parse(body.toString()).challenge)).size).toBe(3);
    testbed.receiver.answerWith(({ body }) => ({ status: 200, body: JSON.parse(body.toString()).challenge }));
    const again = await startVerification(testbed.db, testbed.account.id, webhook.id);
    await testbed.queues.enqueueVerification(again.id);
    expect(await ended()).toMatchObject({ id: again.id, state: 'passed', attemptCount: 1 });
  });
});

test.each(backends)('an attempt whose headers do not arrive in time is a timeout, on $name', async ({ name }) => {
  const testbed = await startTestbed(name, { callbackTimeoutMs: 2_000 });
  const expected = {
    hang: { state: 'failed', outcomes: Array(3).fill('timeout') },
    drip: { state: 'failed', outcomes: Array(3).fill('timeout') },
    // Its status had arrived.
    'hang-body': { state: 'delivered', outcomes: ['response'] },
  } as const;
  const settle = async (fault: keyof typeof expected) => {
    const { id: webhookId } = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}/${fault}` });
    await testbed.pushSamples('rcs-status', { webhookId });
    const { state, attempts } = await testbed.waitForDelivery({ webhookId }, expected[fault].state);
    return [fault, { state, outcomes: attempts.map(({ outcome }) => outcome) }];
  };
  const faults = ['hang', 'drip', 'hang-body'] as const;
  try {
    testbed.receiver.answerWith(({ path }) => faults.find((fault) => path === `/${fault}`) ?? { status: 404 });
    expect(Object.fromEntries(await Promise.all(faults.map(settle)))).toEqual(expected);
    expect(testbed.receiver.calls).toHaveLength(7);
  } finally {
    await testbed.close();
  }
  expect(testbed.errors).toEqual([]);
});

test('a worker that stops finishes its requests, and starts no other while it waits for a job to end', async () => {
  const testbed = await startTestbed('postgres', { roles: new Set() });
  try {
    const stop = await testbed.addWorker({ roles: new Set(roles), callbackTimeoutMs: 2_000 });
    testbed.receiver.answerWith(({ path }) => (path.startsWith('/hang') ? 'hang' : { status: 200, delayMs: 250 }));
    const uri = `${testbed.receiver.origin}/hang`;
    const { verificationId } = await testbed.makeWebhook({ uri, verificationCode: 'token' });
    await testbed.queues.enqueueVerification(verificationId!);
    await until(() => testbed.receiver.calls.length === 1);
    const { id: webhookId } = await testbed.makeWebhook();
    await testbed.pushSamples('sms', { webhookId }, 25);
    const list = async () => (await testbed.db.prisma()).delivery.findMany({ where: { webhookId } });
    await until(async () => (await list()).length === 25 && testbed.receiver.calls.length > 1);
    await stop();
    const deliveries = await list();
    const delivered = deliveries.filter(({ state, attemptCount }) => state === 'delivered' && attemptCount === 1);
    // The request that hangs may have been repeated before the stop.
    const calls = testbed.receiver.calls.filter(({ path }) => !path.startsWith('/hang'));
    expect(calls).toHaveLength(delivered.length);
    expect(delivered.length).toBeLessThan(25);
    expect(deliveries.filter(({ leaseExpiresAt }) => leaseExpiresAt !== null)).toEqual([]);
  } finally {
    await testbed.close();
  }
});
