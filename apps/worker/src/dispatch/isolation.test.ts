import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sampleEvent } from '@ringback/samples';
import { backends, until } from '@ringback/testing';
import { openScene, type Scene } from '../worker.fixture.js';

describe.each(backends)('receivers beside one that hangs, on $name', ({ name }) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(name, { concurrency: 16, timeoutMs: 1_000 });
  });
  afterAll(async () => {
    await scene.close();
    expect(scene.errors).toEqual([]);
  });

  const statesOf = async (webhookId: string) => {
    const found = await scene.db.prisma.delivery.findMany({ where: { webhookId }, include: { made: true } });
    return found.map(({ state, made, parkedAt }) => ({ state, attempts: made.length, parked: parkedAt !== null }));
  };

  test('a backlog for one that hangs is parked, delays nobody, and is worked off when it answers again', async () => {
    let hangs = true;
    scene.receiver.answerWith(({ path }) => (path === '/hung' && hangs ? 'hang' : { status: 200 }));
    const hung = await scene.makeWebhook({ uri: `${scene.receiver.origin}/hung` });
    const healthy = await scene.makeWebhook({ uri: `${scene.receiver.origin}/healthy` });
    const jobs = (webhookId: string, count: number) =>
      Array.from({ length: count }, () => {
        const { event, ...data } = sampleEvent('rcs-status', { accountId: scene.account.id, webhookId });
        return { name: event, data };
      });
    await scene.queues.pushEvents('rcs', jobs(hung.id, 60));
    await until(async () => (await statesOf(hung.id)).some(({ parked }) => parked));
    await scene.queues.pushEvents('rcs', jobs(healthy.id, 20));
    await until(async () => (await statesOf(healthy.id)).filter(({ state }) => state === 'delivered').length === 20);
    const meanwhile = await statesOf(hung.id);
    // Nobody who is healthy waited for the hung ones: most of those have not even been called once.
    expect(meanwhile.filter(({ parked }) => parked).length).toBeGreaterThan(30);
    hangs = false;
    await until(async () => (await statesOf(hung.id)).every(({ state }) => state !== 'pending'));
    const final = await statesOf(hung.id);
    expect(final.filter(({ state }) => state === 'delivered').length).toBeGreaterThan(40);
    for (const { attempts } of final) expect(attempts).toBeLessThanOrEqual(3);
  });

  test('what waits for its turn is parked and has no job', async () => {
    scene.receiver.answerWith(({ path }) => (path === '/still' ? 'hang' : { status: 200 }));
    const still = await scene.makeWebhook({ uri: `${scene.receiver.origin}/still` });
    const data = () => sampleEvent('sms', { webhookId: still.id });
    await scene.queues.pushEvents(
      'sms',
      Array.from({ length: 40 }, data).map(({ event, ...rest }) => ({ name: event, data: rest })),
    );
    await until(async () => (await statesOf(still.id)).filter(({ parked }) => parked).length > 15);
    await until(async () => (await scene.queues.waiting('sms-deliveries')) === 0);
    scene.receiver.answerWith({ status: 200 });
    await until(async () => (await statesOf(still.id)).every(({ state }) => state === 'delivered'));
  });
});
