import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findTestCallResult, findVerification, insertTestCall } from '@ringback/ledger';
import { makeCertificate, startReceiver } from '@ringback/receiver';
import { until } from '@ringback/testing';
import { startTestbed, type Testbed } from './worker.fixture.js';

let testbed: Testbed;
beforeAll(async () => void (testbed = await startTestbed('postgres')));
afterAll(async () => {
  await testbed.close();
  expect(testbed.errors).toEqual([]);
});

/** The result of a test call. */
async function testCall(webhookId: string) {
  const input = { webhookId, event: 'sms:message:status' as const, payload: '{"id":"m"}' };
  const limit = { maxConcurrent: 4, staleAfterMs: 60_000 };
  const inserted = await insertTestCall(testbed.db, testbed.account.id, input, limit);
  await testbed.queues.enqueueTestCall(inserted!.id);
  return until(async () => (await findTestCallResult(testbed.db, inserted!.id)) ?? undefined);
}

/** Sends a report to a webhook. Resolves with the first attempt when the delivery is in the state. */
async function push(webhookId: string, state: string, report: object = {}) {
  const payload = { id: `${webhookId}:1`, status: 'DELIVRD', ...report };
  await testbed.queues.pushEvents('sms', [{ name: 'sms:message:status', data: { webhook_id: webhookId, payload } }]);
  return (await testbed.waitForDelivery({ webhookId }, state)).attempts[0];
}

/** Sends a report to a new webhook with this uri. Returns its attempt and the call that arrived. */
async function deliver(uri: string, report: object = {}) {
  const webhook = await testbed.makeWebhook({ uri, secret: 'bearer-of-its-own' });
  const attempt = await push(webhook.id, 'delivered', report);
  const call = testbed.receiver.calls.find(({ body }) => body.toString().includes(webhook.id));
  return { webhook, attempt, call };
}

test('a fragment is kept with the webhook, but neither sent nor shown as sent', async () => {
  const url = `${testbed.receiver.origin}/fragment?a=1`;
  const { webhook, attempt, call } = await deliver(`${url}#/top?b=2`);
  expect(webhook.uri).toBe(`${url}#/top?b=2`);
  expect(call?.path).toBe('/fragment?a=1');
  expect(attempt?.url).toBe(url);
});

test('a value fills its path segment and can neither leave it nor climb', async () => {
  const { origin } = testbed.receiver;
  const report = { mobile: '../../admin?a#b', custom: '..' };
  const { attempt, call } = await deliver(`${origin}/path/{{mobile}}/{{custom}}/end?s={{status}}`, report);
  const path = '/path/..%2F..%2Fadmin%3Fa%23b//end?s=DELIVRD';
  expect(call?.path).toBe(path);
  expect(attempt).toMatchObject({
    url: origin + path,
    warnings: ['the path segment {{custom}} would be ".."; it was left empty'],
  });
});

test.each([
  ['user:password', 'user:password'],
  ['us%20er:p%40ss%3Aw%C3%B6rd', 'us er:p@ss:wörd'],
  ['user', 'user:'],
  [':password', ':password'],
  ['a@b:100%', 'a@b:100%'],
])('%s@ in the uri is sent as Basic instead of the Bearer, and stored and shown as a mask', async (userinfo, sent) => {
  const { host } = new URL(testbed.receiver.origin);
  testbed.receiver.answerWith(({ headers }) => ({
    status: 200,
    body: `You are ${sent}, ${headers.authorization}, and signed.`,
  }));
  const { webhook, attempt, call } = await deliver(`http://${userinfo}@${host}/basic?a=1#b`);
  expect(webhook.uri).toBe(`http://********@${host}/basic?a=1#b`);
  expect(call).toMatchObject({
    path: '/basic?a=1',
    headers: { host, authorization: `Basic ${Buffer.from(sent).toString('base64')}` },
  });
  expect(attempt).toMatchObject({
    url: `http://********@${host}/basic?a=1`,
    requestHeaders: { Authorization: 'Basic ********' },
    responseBody: 'You are [secret], Basic [secret], and signed.',
  });
});

test('a verification and a test call carry the user and password too', async () => {
  testbed.receiver.answerWith(({ body }) => ({ status: 200, body: body.toString() }));
  const uri = `${testbed.receiver.origin.replace('//', '//user:pass@')}/verified`;
  const { id, verificationId } = await testbed.makeWebhook({ uri, verificationCode: 'code' });
  await testbed.queues.enqueueVerification(String(verificationId));
  const verification = () => findVerification(testbed.db, testbed.account.id, id);
  await until(async () => (await verification())?.state === 'passed', 'the webhook is verified');
  expect(await testCall(id)).toMatchObject({ attempt: { url: uri.replace('user:pass', '********'), statusCode: 200 } });
  const calls = testbed.receiver.calls.filter(({ path }) => path.startsWith('/verified'));
  const basic = `Basic ${Buffer.from('user:pass').toString('base64')}`;
  expect(calls.map(({ headers }) => headers.authorization)).toEqual([basic, basic]);
});

test('a CA of the webhook is trusted in its callbacks, verifications and test calls, and in no other', async () => {
  const authority = { name: 'authority', ...makeCertificate({ name: 'authority' }) };
  const certificate = makeCertificate({ isAuthority: false, issuer: authority });
  const receiver = await startReceiver({ certificate });
  receiver.answerWith(({ body }) => ({ status: 200, body: body.toString(), headers: { 'Keep-Alive': 'timeout=120' } }));
  try {
    const uri = receiver.origin;
    const trusting = await testbed.makeWebhook({ uri, tlsCa: authority.cert, verificationCode: 'code' });
    await testbed.queues.enqueueVerification(String(trusting.verificationId));
    const verification = () => findVerification(testbed.db, testbed.account.id, trusting.id);
    await until(async () => (await verification())?.state === 'passed', 'the webhook is verified');
    expect(await testCall(trusting.id)).toMatchObject({ attempt: { statusCode: 200 } });
    expect(await push(trusting.id, 'delivered')).toMatchObject({ outcome: 'response', statusCode: 200 });

    const other = await testbed.makeWebhook({ uri });
    expect(await testCall(other.id)).toMatchObject({ attempt: { outcome: 'tls' } });
    expect(await push(other.id, 'failed')).toMatchObject({ outcome: 'tls', statusCode: null });
  } finally {
    await receiver.close();
  }
});
