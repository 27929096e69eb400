import { subscribe } from '@ringback/ledger';
import { awaitArrival } from '../arrival.js';
import { pushBurst, toSubscribers, toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result } from '../result.js';
import { startStack } from '../stack.js';
import { measureBurst } from './throughput.js';

const webhooksEach = 10;

/** Compares events that go to one webhook each with a tenth as many events that go to ten subscribed webhooks each. */
export async function fanOut(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    const { queues, db, accountId } = stack;
    const webhooks = await stack.addWebhooks('fan', 2 * webhooksEach);
    const single = toWebhooks(queues, webhooks);
    const subscribed = webhooks.filter(({ channel }) => channel === 'sms');
    for (const { id } of subscribed)
      await subscribe(db, accountId, { event: 'sms:message:status', identity: 'all', webhookId: id });
    const fanned = toSubscribers(queues, accountId, subscribed);
    options.setStep('warming up');
    await awaitArrival(stack, await pushBurst(single, 2_000));
    const toOne = await measureBurst(stack, single, options);
    const events = Math.ceil(options.events / webhooksEach);
    const toTen = await measureBurst(stack, fanned, { ...options, events, deliveriesEach: webhooksEach });
    const ratio = (toTen.perSecond * webhooksEach) / toOne.perSecond;
    return {
      scenario: 'fan-out',
      title: `Fan-out: events that go to 1 webhook each, and to ${webhooksEach}`,
      rows: [
        { 'webhooks each': 1, ratio: 1, 'deliveries/s': toOne.perSecond, ...toOne.row },
        { 'webhooks each': webhooksEach, ratio, ...toTen.row },
      ],
    };
  } finally {
    await stack.stop();
  }
}
