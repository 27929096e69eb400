import { setTimeout as sleep } from 'node:timers/promises';
import { createAccount, subscribe } from '@ringback/database';
import { awaitArrival } from '../arrival.js';
import { now } from '../clock.js';
import { pushBurst, toSubscribers, toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result } from '../result.js';
import { type Stack, startStack, type TargetWebhook } from '../stack.js';
import { measureStream } from '../steady.js';

const perSecond = 20;
const calmSeconds = 15;
const maxSeconds = 600;
const leadMs = 1_000;

/** A trickle of one account, by itself and beside as many events of another one as the engine takes, at once. */
export async function flood(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    const { queues, db, accountId } = stack;
    const other = await createAccount(db, { name: 'other' });
    const few = (await stack.makeWebhooks('few', 20, other.id)).filter(({ channel }) => channel === 'sms');
    const [flooded] = await stack.makeWebhooks('flood', 1);
    if (flooded === undefined) throw new Error('there is no webhook to flood');
    await subscribe(db, accountId, { event: 'sms:message:status', identity: 'all', webhookId: flooded.id });
    options.say('warming up');
    const target = toWebhooks(queues, few);
    await awaitArrival(stack, await pushBurst(target, 2_000));
    options.say('a trickle by itself');
    const calm = await measureStream(stack, { target, perSecond, seconds: calmSeconds });
    options.say(`the same beside a flood of ${options.events}`);
    const flooding = pushFlood(stack, flooded, options);
    const until = () => flooding.isOver;
    const isKnown = (key: string) => key.startsWith('/flood/');
    const beside = await measureStream(stack, { target, perSecond, seconds: maxSeconds, until, isKnown });
    const { pushed, perSecond: floodPerSecond } = await flooding.done;
    const { missing, repeated } = await awaitArrival(stack, pushed, { isKnown: (key) => key.startsWith('/few/') });
    return {
      scenario: 'flood',
      title: `Flood: ${perSecond} events/s of one account while another one pushes ${options.events} at once`,
      rows: [
        { load: 'no flood', 'p99 ratio': 1, ...calm.row },
        {
          ...{ load: 'flood', 'p99 ratio': beside.p99 / calm.p99, ...beside.row, 'flood, events/s': floodPerSecond },
          ...{ 'flood missing': missing, 'flood repeated': repeated },
        },
      ],
    };
  } finally {
    await stack.stop();
  }
}

/** Pushes it, and is over when all of it arrived. */
function pushFlood(stack: Stack, webhook: TargetWebhook, { events, at }: BenchOptions) {
  const { queues, accountId, receiver } = stack;
  const push = async () => {
    await sleep(leadMs);
    const startedAt = now();
    const pushed = await pushBurst(toSubscribers(queues, accountId, [webhook]), events);
    for (let arrived = 0; arrived < events; at(arrived / events)) {
      await sleep(100);
      arrived = (await receiver.count()).arrived['flood'] ?? 0;
    }
    return { pushed, perSecond: (events / (now() - startedAt)) * 1_000 };
  };
  const flooding = {
    isOver: false,
    done: push().finally(() => {
      flooding.isOver = true;
    }),
  };
  return flooding;
}
