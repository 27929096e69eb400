import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { adviceForSkipped } from '@ringback/rules';
import { startTestbed, type Testbed } from './worker.fixture.js';

let testbed: Testbed;
beforeAll(async () => void (testbed = await startTestbed('postgres', { isDeliveryOff: true })));
afterAll(() => testbed.close());

const report = (webhookId: string, id: string) => ({
  name: 'sms:message:status',
  data: { webhook_id: webhookId, payload: { id } },
});

test('while delivery is off, events are stored and their deliveries skipped with a reason, and nothing is sent', async () => {
  const { queues, receiver, waitForDelivery, warnings } = testbed;
  const active = await testbed.makeWebhook();
  const limited = await testbed.makeWebhook({ rateLimit: 1_000 });
  const inactive = await testbed.makeWebhook({ active: false });
  await queues.pushEvents(
    'sms',
    [active, limited, inactive].map(({ id }, index) => report(id, `off-${index}`)),
  );
  for (const { id } of [active, limited]) {
    const skipped = await waitForDelivery({ webhookId: id }, 'skipped');
    expect(skipped).toMatchObject({ reason: 'delivery is off', attempts: [] });
    expect(adviceForSkipped(skipped.reason)).toContain('switched delivery off');
  }
  // What would not be sent anyway keeps its own reason, so that skips can be compared with another sender's callbacks.
  expect(await waitForDelivery({ webhookId: inactive.id }, 'skipped')).toMatchObject({ reason: 'webhook inactive' });
  expect(receiver.calls).toHaveLength(0);
  const names = warnings.map(([name]) => name);
  expect(names).toContain('worker.delivery_off');
});
