import { afterEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { listDeliveries } from '@ringback/database';
import { openQueues } from '@ringback/queue';
import { redisUrl, until } from '@ringback/testing';
import { openScene, type Scene } from '../worker.fixture.js';

const count = 40;

(redisUrl() === undefined ? describe.skip : describe)('delivery queues in shards', () => {
  let scene: Scene;
  afterEach(() => scene.close());

  /** Pushes events for a receiver that fails each delivery once. */
  const pushEvents = async () => {
    const { makeWebhook, queues, receiver, account } = scene;
    receiver.answerWith(({ headers }) => ({ status: headers['x-ringback-attempt'] === '1' ? 500 : 200 }));
    const { id: webhookId } = await makeWebhook();
    const makeJob = () => ({
      name: 'sms:message:status',
      data: { account_id: account.id, webhook_id: webhookId, payload: { id: randomUUID(), status: 'DELIVRD' } },
    });
    await queues.pushEvents('sms', Array.from({ length: count }, makeJob));
    return webhookId;
  };
  const expectTwoCallsEach = async (webhookId: string) => {
    const { db, receiver, queues, errors } = scene;
    const find = () => listDeliveries(db, { webhookId, limit: 1_000 });
    await until(async () => {
      const deliveries = await find();
      return deliveries.length === count && deliveries.every(({ state }) => state === 'delivered');
    });
    const calls = receiver.calls.map(({ headers }) => [headers['x-ringback-delivery'], headers['x-ringback-attempt']]);
    const expected = (await find()).flatMap(({ id }) => [`${id} 1`, `${id} 2`]);
    expect(calls.map((call) => call.join(' ')).sort()).toEqual(expected.sort());
    await until(async () => (await queues.queuedDeliveries('sms')).size === 0);
    expect(await queues.shardsOf('sms-deliveries')).toEqual(['sms-deliveries']);
    expect(errors).toEqual([]);
  };

  test('are all consumed, by several workers, retries included', async () => {
    scene = await openScene('redis', { queueShards: 4 });
    await scene.addWorker({ queueShards: 4 });
    await expectTwoCallsEach(await pushEvents());
  });

  test.each([
    [4, 2],
    [4, 1],
    [1, 4],
    [2, 3],
  ])(
    'nothing is lost or called twice when QUEUE_SHARDS goes from %i to %i, even with two jobs each',
    async (from, to) => {
      scene = await openScene('redis', { queueShards: from, roles: new Set(['ingest-sms']) });
      const webhookId = await pushEvents();
      await until(async () => (await scene.queues.queuedDeliveries('sms')).size === count);
      // As the reconciler does with what has been due for a minute.
      const queues = openQueues({ ...scene.engine, shards: to, onError: () => undefined });
      const deliveries = await listDeliveries(scene.db, { webhookId, limit: 1_000 });
      await queues.enqueueDeliveries(deliveries.map(({ id }) => ({ id, channel: 'sms', dueInMs: 0 })));
      expect((await queues.depths())['sms-deliveries'].waiting).toBeGreaterThan(count);
      await queues.close();
      await scene.addWorker({ queueShards: to, roles: new Set(['deliver-sms']) });
      await scene.addWorker({ queueShards: to, roles: new Set(['deliver-sms']) });
      await expectTwoCallsEach(webhookId);
    },
  );
});
