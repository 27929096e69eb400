import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sampleEvent } from '@ringback/samples';
import { backends } from '@ringback/testing';
import { openScene, type Scene } from '../worker.fixture.js';

/** What BullMQ reads as an order when it is the message or the name of an error. */
const orders = [
  'bullmq:rateLimitExceeded',
  'bullmq:movedToDelayed',
  'UnrecoverableError',
  'DelayedError',
  'RateLimitError',
  'WaitingError',
  'WaitingChildrenError',
];

describe.each(backends)('what a receiver says is no order to the queue on $name', ({ name }) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(name);
  });
  afterAll(async () => {
    await scene.close();
    expect(scene.errors).toEqual([]);
  });

  test.each(orders)('%s', async (order) => {
    const headers = { 'x-error': order, location: order, 'retry-after': '0' };
    scene.receiver.answerWith({ status: 500, headers, body: order });
    const { id: webhookId } = await scene.makeWebhook({ uri: `${scene.receiver.origin}/${order}` });
    const { event, ...data } = sampleEvent('sms', { accountId: scene.account.id, webhookId });
    await scene.queues.pushEvents('sms', [{ name: event, data }]);
    const delivery = await scene.waitForDelivery({ webhookId }, 'failed');
    const made = await scene.db.prisma.attempt.findMany({
      where: { deliveryId: delivery.id },
      orderBy: { number: 'asc' },
    });
    expect(made.map(({ number, statusCode, answer }) => [number, statusCode, answer])).toEqual(
      [1, 2, 3, 4].map((number) => [number, 500, order]),
    );
    const { calls } = scene.receiver;
    expect(calls.filter(({ path }) => path.includes(order))).toHaveLength(4);
    expect(await scene.queues.waiting('sms-deliveries')).toBe(0);
  });
});
