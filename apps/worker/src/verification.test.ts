import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findVerification } from '@ringback/ledger';
import { until } from '@ringback/testing';
import { startTestbed, type Testbed } from './worker.fixture.js';

let testbed: Testbed;
beforeAll(async () => void (testbed = await startTestbed('postgres', { requireVerification: true })));
afterAll(() => testbed.close());

const report = (webhookId: string, id: string) => ({
  name: 'sms:message:status',
  data: { webhook_id: webhookId, payload: { id } },
});

test('with required verification, only webhooks whose verification failed get no callbacks', async () => {
  const { receiver, queues, waitForDelivery } = testbed;
  receiver.answerWith(({ path, body }) => {
    const { challenge }: { challenge?: string } = JSON.parse(body.toString());
    return path.startsWith('/passes') && challenge !== undefined
      ? { status: 200, body: JSON.stringify({ challenge }) }
      : { status: 200 };
  });
  const passes = await testbed.makeWebhook({ uri: `${receiver.origin}/passes`, verificationCode: 'verify-me' });
  const fails = await testbed.makeWebhook({ uri: `${receiver.origin}/fails`, verificationCode: 'verify-me' });
  const plain = await testbed.makeWebhook({ uri: `${receiver.origin}/plain` });
  for (const { verificationId } of [passes, fails]) await queues.enqueueVerification(verificationId ?? '');
  const countEnded = `SELECT count(*)::int AS count FROM verifications WHERE state = ANY('{passed,failed}')`;
  await until(async () => (await testbed.db.pool.query<{ count: number }>(countEnded)).rows[0]?.count === 2);

  await queues.pushEvents(
    'sms',
    [passes, fails, plain].map(({ id }, index) => report(id, String(index))),
  );
  await waitForDelivery({ webhookId: passes.id }, 'delivered');
  await waitForDelivery({ webhookId: plain.id }, 'delivered');
  const skipped = await waitForDelivery({ webhookId: fails.id }, 'skipped');
  expect(skipped).toMatchObject({ reason: 'webhook not verified', attempts: [] });
});

const generic =
  'The server redirects (301), and callbacks do not follow redirects. Enter the final address in the webhook.';

test.each([
  ['/old', 'verify-me', (path: string) => `https://www.example.com${path}`, 'https://www.example.com/old'],
  ['/old?a=1', 'verify-me', (path: string) => `https://www.example.com${path}`, 'https://www.example.com/old?a=1'],
  ['/old?a=1', 'x1', (path: string) => `https://www.example.com${path}`, 'https://www.example.com/old?a=1'],
  ['/old', 'verify-me', () => '#top', 'RECEIVER/old'],
  ['/old', 'verify-me', () => 'https://www.example.com/?t=%76erify-me', 'https://www.example.com/'],
  ['/old', 'verify-me', () => 'https://www.example.com/%76erify-me', null],
  ['/old', 'verify-me', () => 'https://www.example.com/%2576erify-me', null],
  ['/old', 'x1', () => 'https://www.example.com/x1', null],
  ['/old', 'a b&c', () => 'https://www.example.com/a%2520b%2526c', null],
])('the advice about %s shows no code %s that a redirect repeats', async (path, code, locate, shown) => {
  const { receiver, queues } = testbed;
  receiver.answerWith((call) => ({ status: 301, headers: { Location: locate(call.path) } }));
  const { id, verificationId } = await testbed.makeWebhook({
    uri: `${receiver.origin}${path}`,
    verificationCode: code,
  });
  await queues.enqueueVerification(verificationId ?? '');
  const verification = await until(async () => {
    const found = await findVerification(testbed.db, testbed.account.id, id);
    return found?.state === 'failed' && found;
  });
  expect(verification).toMatchObject({
    reason: 'responded with 301 instead of 200',
    advice:
      shown === null
        ? generic
        : `The server redirects to ${shown.replace('RECEIVER', receiver.origin)} . Use that address.`,
  });
});
