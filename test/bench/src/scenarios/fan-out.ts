import { subscribe } from '@ringback/database';
import { awaitArrival } from '../arrival.js';
import { pushBurst, toSubscribers, toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result } from '../result.js';
import { startStack } from '../stack.js';
import { measureBurst } from './throughput.js';

const width = 10;

/** As many deliveries from a tenth of the events, each of which goes to ten subscribed webhooks, as from one each. */
export async function fanOut(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    const { queues, db, accountId } = stack;
    const webhooks = await stack.makeWebhooks('fan', 2 * width);
    const single = toWebhooks(queues, webhooks);
    const subscribed = webhooks.filter(({ channel }) => channel === 'sms');
    for (const { id } of subscribed)
      await subscribe(db, accountId, { event: 'sms:message:status', identity: 'all', webhookId: id });
    const fanned = toSubscribers(queues, accountId, subscribed);
    options.say('warming up');
    await awaitArrival(stack, await pushBurst(single, 2_000));
    const one = await measureBurst(stack, single, options);
    const events = Math.ceil(options.events / width);
    const ten = await measureBurst(stack, fanned, { ...options, events, deliveriesEach: width });
    const ratio = (ten.perSecond * width) / one.perSecond;
    return {
      scenario: 'fan-out',
      title: `Fan-out: deliveries from events that go to one webhook each, and to ${width}`,
      rows: [
        { 'webhooks each': 1, ratio: 1, 'deliveries/s': one.perSecond, ...one.row },
        { 'webhooks each': width, ratio, ...ten.row },
      ],
    };
  } finally {
    await stack.stop();
  }
}
