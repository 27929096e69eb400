import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { getOrCreateSigningSecret, rotateSigningSecret } from '@ringback/ledger';
import type { ReceivedCall } from '@ringback/receiver';
import { until } from '@ringback/testing';
import { Webhook } from 'standardwebhooks';
import { startTestbed, type Testbed } from './worker.fixture.js';

let testbed: Testbed;
beforeAll(async () => void (testbed = await startTestbed('postgres')));
afterAll(() => testbed.close());

let webhookId: string;
beforeEach(async () => {
  testbed.receiver.answerWith({ status: 200 });
  webhookId = (await testbed.makeWebhook()).id;
});

const getOrCreateSecret = async () =>
  (await getOrCreateSigningSecret(testbed.db, testbed.account.id, webhookId))?.secret ?? '';
const rotate = async () => (await rotateSigningSecret(testbed.db, testbed.account.id, webhookId))?.secret ?? '';

/** Pushes an event for the webhook; resolves with the next `count` calls. */
async function pushAndWaitForCallbacks(count = 1): Promise<ReceivedCall[]> {
  const [event] = await testbed.pushSamples('rcs-status', { webhookId });
  const callsOfEvent = () => testbed.receiver.calls.filter(({ body }) => body.includes(String(event?.payload.id)));
  await until(() => Promise.resolve(callsOfEvent().length >= count));
  return callsOfEvent();
}

/** Verifies a call with the official library, from its headers and its raw body. */
const verify = (secret: string, { headers, body }: ReceivedCall) =>
  new Webhook(secret).verify(body.toString(), headers as Record<string, string>);

describe('the official library of Standard Webhooks', () => {
  test('accepts a callback with its webhook’s secret, and rejects another secret or another body', async () => {
    const secret = await getOrCreateSecret();
    const [call] = await pushAndWaitForCallbacks();
    if (!call) throw new Error('there was no call');
    expect(verify(secret, call)).toEqual(JSON.parse(call.body.toString()));
    expect(call.headers['webhook-id']).toBe(call.headers['x-ringback-delivery']);
    expect(() => verify('whsec_c29tZXRoaW5nIGVsc2U=', call)).toThrow('No matching signature found');
    const changed = { ...call, body: Buffer.from(call.body.toString().replace('read', 'sent')) };
    expect(() => verify(secret, changed)).toThrow('No matching signature found');
  });

  test('accepts every attempt of a delivery, under one id', async () => {
    testbed.receiver.answerWith({ status: 500 });
    const secret = await getOrCreateSecret();
    const calls = await pushAndWaitForCallbacks(3);
    for (const call of calls) expect(verify(secret, call)).toMatchObject({ event: 'rcs:message:status' });
    expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('accepts the old and the new secret for a day after a rotation, then only the new one', async () => {
    const [old, fresh] = [await getOrCreateSecret(), await rotate()];
    const [call] = await pushAndWaitForCallbacks();
    if (!call) throw new Error('there was no call');
    for (const secret of [old, fresh]) expect(verify(secret, call)).toMatchObject({ event: 'rcs:message:status' });
    expect(String(call.headers['webhook-signature']).split(' ')).toHaveLength(2);

    const where = { id: webhookId };
    await (await testbed.db.prisma()).webhook.update({ where, data: { previousSignsUntil: new Date() } });
    const [later] = await pushAndWaitForCallbacks();
    if (!later) throw new Error('there was no call');
    expect(verify(fresh, later)).toMatchObject({ event: 'rcs:message:status' });
    expect(() => verify(old, later)).toThrow('No matching signature found');
  });

  test('accepts the request of a verification', async () => {
    const before = testbed.receiver.calls.length;
    const { id, verificationId } = await testbed.makeWebhook({ verificationCode: 'verify-me' });
    webhookId = id;
    await testbed.queues.enqueueVerification(verificationId ?? '');
    const call = (await testbed.receiver.waitFor(before + 1))[before];
    if (!call) throw new Error('there was no call');
    expect(verify(await getOrCreateSecret(), call)).toMatchObject({ validation_key: 'verify-me' });
    expect(call.headers['webhook-id']).toBe(verificationId);
  });
});

test('callbacks have no signature when signing is off, and only `Signature` without a signing secret', async () => {
  const signatureHeaders = ({ headers }: ReceivedCall) =>
    Object.keys(headers).filter((name) => name === 'signature' || name.startsWith('webhook-'));
  await (await testbed.db.prisma()).webhook.update({ where: { id: webhookId }, data: { signing: false } });
  expect((await pushAndWaitForCallbacks()).map(signatureHeaders)).toEqual([[]]);
  await (
    await testbed.db.prisma()
  ).webhook.update({ where: { id: webhookId }, data: { signing: true, signingSecret: null } });
  expect((await pushAndWaitForCallbacks()).map(signatureHeaders)).toEqual([['signature']]);
});
