import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestbed, type Testbed } from './worker.fixture.js';

let testbed: Testbed;
beforeAll(async () => void (testbed = await startTestbed('postgres')));
afterAll(async () => {
  await testbed.close();
  expect(testbed.errors).toEqual([]);
});

/** Sends a report to a new webhook with this uri. Returns its delivery and the call that arrived. */
async function deliver(uri: string, report: object = {}) {
  const webhook = await testbed.makeWebhook({ uri });
  const payload = { id: `${webhook.id}:1`, status: 'DELIVRD', ...report };
  await testbed.queues.pushEvents('sms', [{ name: 'sms:message:status', data: { webhook_id: webhook.id, payload } }]);
  const delivery = await testbed.waitForDelivery({ webhookId: webhook.id }, 'delivered');
  const call = testbed.receiver.calls.find(({ body }) => body.toString().includes(webhook.id));
  return { webhook, attempt: delivery.attempts[0], call };
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
