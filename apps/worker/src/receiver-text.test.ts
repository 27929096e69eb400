import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { backends } from '@ringback/testing';
import { startTestbed, type Testbed } from './worker.fixture.js';

/** What BullMQ treats as a command when it is the message or the name of an error. */
const bullmqCommands = [
  'bullmq:rateLimitExceeded',
  'bullmq:movedToDelayed',
  'UnrecoverableError',
  'DelayedError',
  'RateLimitError',
  'WaitingError',
  'WaitingChildrenError',
];

describe.each(backends)(
  'a response that contains a command of BullMQ is an ordinary failed attempt on $name',
  ({ name }) => {
    const ended = new Map<string, Promise<string>>();
    let testbed: Testbed;
    beforeAll(async () => {
      testbed = await startTestbed(name);
      testbed.receiver.answerWith(({ path }) => {
        const command = path.slice(1);
        return { status: 500, headers: { 'x-error': command, location: command, 'retry-after': '0' }, body: command };
      });
      // Concurrently, because each waits for its retries.
      for (const command of bullmqCommands) ended.set(command, failWith(command));
    });
    afterAll(async () => {
      await Promise.allSettled(ended.values());
      expect(await testbed.queues.readHealth('sms-events')).toMatchObject({ waiting: 0, delayed: 0, failed: 0 });
      await testbed.close();
      expect(testbed.errors).toEqual([]);
    });

    async function failWith(command: string): Promise<string> {
      const { id: webhookId } = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}/${command}` });
      await testbed.pushSamples('sms', { webhookId });
      return (await testbed.waitForDelivery({ webhookId }, 'failed')).id;
    }

    test.each(bullmqCommands)('%s', async (command) => {
      const deliveryId = (await ended.get(command)) ?? '';
      const attempts = await (
        await testbed.db.prisma()
      ).attempt.findMany({ where: { deliveryId }, orderBy: { number: 'asc' } });
      expect(attempts.map(({ number, statusCode, responseBody }) => [number, statusCode, responseBody])).toEqual(
        [1, 2, 3, 4].map((number) => [number, 500, command]),
      );
      expect(testbed.receiver.calls.filter(({ path }) => path === `/${command}`)).toHaveLength(4);
    });
  },
);
