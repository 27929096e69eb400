import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { backends, until } from '@ringback/testing';
import { startTestbed, type Testbed } from './worker.fixture.js';

describe.each(backends)('receivers beside one that hangs, on $name', ({ name }) => {
  let testbed: Testbed;
  beforeAll(async () => {
    testbed = await startTestbed(name, { concurrency: 16, callbackTimeoutMs: 1_000 });
  });
  afterAll(async () => {
    await testbed.close();
    expect(testbed.errors).toEqual([]);
  });

  const statesOf = async (webhookId: string) => {
    const deliveries = await (
      await testbed.db.prisma()
    ).delivery.findMany({ where: { webhookId }, include: { attempts: true } });
    return deliveries.map(({ state, attempts, leaseExpiresAt: lease }) => {
      return { state, attempts: attempts.length, waits: state === 'pending' && lease === null };
    });
  };

  test('the backlog of a hanging receiver has no leases, delays no other, and is delivered later', async () => {
    let hangs = true;
    testbed.receiver.answerWith(({ path }) => (path === '/hung' && hangs ? 'hang' : { status: 200 }));
    const hung = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}/hung` });
    const healthy = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}/healthy` });
    await testbed.pushSamples('rcs-status', { webhookId: hung.id }, 60);
    await until(async () => (await statesOf(hung.id)).some(({ waits }) => waits));
    await testbed.pushSamples('rcs-status', { webhookId: healthy.id }, 20);
    await until(async () => (await statesOf(healthy.id)).filter(({ state }) => state === 'delivered').length === 20);
    const meanwhile = await statesOf(hung.id);
    // Most of the backlog has not been attempted even once.
    expect(meanwhile.filter(({ waits }) => waits).length).toBeGreaterThan(30);
    hangs = false;
    await until(async () => (await statesOf(hung.id)).every(({ state }) => state !== 'pending'));
    const final = await statesOf(hung.id);
    expect(final.filter(({ state }) => state === 'delivered').length).toBeGreaterThan(40);
    for (const { attempts } of final) expect(attempts).toBeLessThanOrEqual(3);
  });

  test('deliveries that wait in the database have no lease and no job', async () => {
    testbed.receiver.answerWith(({ path }) => (path === '/still' ? 'hang' : { status: 200 }));
    const still = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}/still` });
    await testbed.pushSamples('sms', { webhookId: still.id }, 40);
    await until(async () => (await statesOf(still.id)).filter(({ waits }) => waits).length > 15);
    await until(async () => {
      const depths = Object.values(await testbed.queues.countJobsByQueue());
      return depths.every(({ waiting, delayed }) => waiting === 0 && delayed === 0);
    });
    testbed.receiver.answerWith({ status: 200 });
    await until(async () => (await statesOf(still.id)).every(({ state }) => state === 'delivered'));
  });
});
