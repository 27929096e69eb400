import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  createAccount,
  createWebhook,
  endTestCall,
  findTestCallResult,
  listNewestDeliveries,
  insertTestCall,
} from '@ringback/ledger';
import { until } from '@ringback/testing';
import { startTestbed, type Testbed } from './worker.fixture.js';

let testbed: Testbed;
beforeAll(async () => void (testbed = await startTestbed('postgres')));
afterAll(() => testbed.close());

type LedgerOfAccount = Pick<Testbed, 'db' | 'account'>;

const payload = '{"id":"m-1:1","status":"DELIVRD"}';
const limit = { maxConcurrent: 100, staleAfterMs: 10_000 };
const start = async (webhookId: string, { db, account }: LedgerOfAccount = testbed) => {
  const started = await insertTestCall(db, account.id, { webhookId, event: 'sms:message:status', payload }, limit);
  if (!started) throw new Error('the limit is reached');
  return started;
};
const callsOf = (id: string) => testbed.receiver.calls.filter(({ headers }) => headers['x-ringback-delivery'] === id);

async function resultOf(webhookId: string, { db, queues, account }: Testbed = testbed) {
  const { id } = await start(webhookId, { db, account });
  await queues.enqueueTestCall(id);
  await until(async () => (await findTestCallResult(db, id)) !== null);
  return { id, result: await findTestCallResult(db, id) };
}

test('a test call is marked as a test, is made once although it fails, and creates no delivery', async () => {
  testbed.receiver.answerWith({ status: 500 });
  const { id: webhookId, uri } = await testbed.makeWebhook({
    active: false,
    uri: `${testbed.receiver.origin}/in?m={{id}}`,
  });
  const { id, result } = await resultOf(webhookId);
  const attempt = { outcome: 'response', statusCode: 500, url: uri.replace('{{id}}', 'm-1%3A1'), warnings: [] };
  expect(result).toMatchObject({ type: 'attempted', attempt });
  const [call, ...more] = callsOf(id);
  expect(more).toEqual([]);
  expect(call?.body.toString()).toBe(payload);
  expect(call?.headers).toMatchObject({ 'x-ringback-test': 'true', 'webhook-id': id, 'x-ringback-attempt': '1' });
  expect(JSON.stringify(result)).not.toContain(testbed.account.callbackToken);
  expect(await listNewestDeliveries(testbed.db, { webhookId, limit: 1 })).toEqual([]);
});

test('hanging verifications of an account delay neither test calls nor those of other accounts', async () => {
  const hanging = await startTestbed('postgres', { callbackTimeoutMs: 60_000 });
  try {
    hanging.receiver.answerWith(({ headers }) => (headers['x-ringback-test'] ? { status: 200 } : 'hang'));
    const { id: webhookId } = await hanging.makeWebhook();
    for (let made = 0; made < 20; made++) {
      const { verificationId } = await hanging.makeWebhook({ verificationCode: 'verify-me' });
      await hanging.queues.enqueueVerification(verificationId ?? '');
    }
    await until(async () => hanging.receiver.calls.length === 16);
    const { result } = await resultOf(webhookId, hanging);
    expect(result).toMatchObject({ type: 'attempted', attempt: { statusCode: 200 } });
    expect((await hanging.queues.countJobsByQueue()).verifications).toMatchObject({
      active: 16,
      waiting: 0,
      delayed: 4,
    });
    const { id: other } = await createAccount(hanging.db, { name: 'other' });
    const hook = {
      name: 'hook',
      uri: `${hanging.receiver.origin}/other`,
      active: true,
      secret: null,
      bodyTemplate: null,
    };
    const made = await createWebhook(hanging.db, other, { ...hook, verificationCode: 'verify-me', signing: true });
    await hanging.queues.enqueueVerification(made.verificationId ?? '');
    await until(async () => hanging.receiver.calls.some(({ path }) => path.startsWith('/other')));
  } finally {
    // Otherwise they would hang for a minute.
    await hanging.receiver.close();
    await hanging.close();
  }
});

test('a test call whose client has stopped waiting is not made', async () => {
  const { id: webhookId } = await testbed.makeWebhook();
  const { id } = await start(webhookId);
  expect(await endTestCall(testbed.db, id)).toEqual({ result: null, wasClaimed: false });
  await testbed.queues.enqueueTestCall(id);
  await resultOf(webhookId);
  expect(callsOf(id)).toEqual([]);
});

test('a test call to an unverified webhook is not made when verification is required', async () => {
  const strict = await startTestbed('postgres', { requireVerification: true });
  try {
    const { id: webhookId } = await strict.makeWebhook({ verificationCode: 'verify-me' });
    const { id, result } = await resultOf(webhookId, strict);
    expect(result).toEqual({ type: 'skipped', reason: 'webhook not verified' });
    expect(callsOf(id)).toEqual([]);
  } finally {
    await strict.close();
  }
});
