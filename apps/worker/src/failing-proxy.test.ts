import { parseProxyUrl } from '@ringback/process';
import { listNewestDeliveries } from '@ringback/ledger';
import { startReceiver } from '@ringback/receiver';
import { until } from '@ringback/testing';
import { expect, test } from '@jest/globals';
import { openTestProxy } from './sender/egress-proxy.fixture.js';
import { startTestbed } from './worker.fixture.js';

test('a proxy that refuses its password uses up no attempt, and /readyz names it until it works again', async () => {
  const proxy = await openTestProxy('407 Proxy Authentication Required');
  const receiver = await startReceiver();
  const port = await startReceiver().then(async (free) => {
    await free.close();
    return Number(new URL(free.origin).port);
  });
  const url = parseProxyUrl(`http://127.0.0.1:${proxy.port}`);
  const testbed = await startTestbed('postgres', {
    egressProxy: { url, http: 'forward', isExcepted: () => false },
    healthPort: port,
    healthHost: '127.0.0.1',
  });
  try {
    const readiness = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`);
      return [response.status, (await response.text()).includes('EGRESS_PROXY fails (PROXY_407)')];
    };
    const uri = `http://receiver.example:${new URL(receiver.origin).port}/`;
    const webhook = await testbed.makeWebhook({ uri });
    const push = (id: string) =>
      testbed.queues.pushEvents('sms', [
        { name: 'sms:message:status', data: { webhook_id: webhook.id, payload: { id, status: 'DELIVRD' } } },
      ]);
    await push('one');
    await until(async () => (await readiness())[0] === 503, 'the worker is not ready');
    expect(await readiness()).toEqual([503, true]);
    const [waiting] = await listNewestDeliveries(testbed.db, { webhookId: webhook.id, limit: 1 });
    expect(waiting).toMatchObject({ state: 'pending', attempts: [] });

    proxy.behave('open');
    await testbed.waitForDelivery({ webhookId: webhook.id }, 'delivered');
    expect(receiver.calls).toHaveLength(1);
    expect(receiver.calls[0]?.headers['x-ringback-attempt']).toBe('1');
    expect(await readiness()).toEqual([200, false]);
    expect(testbed.errors).toMatchObject([['egress_proxy.failing', { code: 'PROXY_407', status: 407 }]]);
  } finally {
    await testbed.close();
    proxy.close();
    await receiver.close();
  }
});
