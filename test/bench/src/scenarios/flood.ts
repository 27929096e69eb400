import { setTimeout as sleep } from 'node:timers/promises';
import { createAccount, subscribe } from '@ringback/ledger';
import { awaitArrival } from '../arrival.js';
import { now } from '../clock.js';
import { pushBurst, toSubscribers, toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result } from '../result.js';
import { type Stack, startStack, type TargetWebhook } from '../stack.js';
import { measureStream } from '../steady.js';

const perSecond = 20;
const baselineSeconds = 15;
const maxSeconds = 600;
const leadMs = 1_000;

/** Measures a slow stream of one account, alone and during a burst of another account. */
export async function flood(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    const { queues, db, accountId } = stack;
    const other = await createAccount(db, { name: 'other' });
    const webhooks = (await stack.addWebhooks('few', 20, other.id)).filter(({ channel }) => channel === 'sms');
    const [flooded] = await stack.addWebhooks('flood', 1);
    if (flooded === undefined) throw new Error('there is no webhook to flood');
    await subscribe(db, accountId, { event: 'sms:message:status', identity: 'all', webhookId: flooded.id });
    options.setStep('warming up');
    const target = toWebhooks(queues, webhooks);
    await awaitArrival(stack, await pushBurst(target, 2_000));
    options.setStep('a slow stream alone');
    const baseline = await measureStream(stack, { target, perSecond, seconds: baselineSeconds });
    options.setStep(`the same stream during a burst of ${options.events} events`);
    const flooding = pushFlood(stack, flooded, options);
    const until = () => flooding.isOver;
    const isKnown = (key: string) => key.startsWith('/flood/');
    const during = await measureStream(stack, { target, perSecond, seconds: maxSeconds, until, isKnown });
    const { pushed, perSecond: floodPerSecond } = await flooding.done;
    const { missing, repeated } = await awaitArrival(stack, pushed, { isKnown: (key) => key.startsWith('/few/') });
    return {
      scenario: 'flood',
      title: `Flood: ${perSecond} events/s of one account while another one pushes a burst of ${options.events}`,
      rows: [
        { load: 'no flood', 'p99 ratio': 1, ...baseline.row },
        {
          ...{
            load: 'flood',
            'p99 ratio': during.p99 / baseline.p99,
            ...during.row,
            'flood, events/s': floodPerSecond,
          },
          ...{ 'flood missing': missing, 'flood repeated': repeated },
        },
      ],
    };
  } finally {
    await stack.stop();
  }
}

/** Pushes the burst in the background. `isOver` becomes true when all of it has arrived. */
function pushFlood(stack: Stack, webhook: TargetWebhook, { events, setFraction }: BenchOptions) {
  const { queues, accountId, receiver } = stack;
  const push = async () => {
    await sleep(leadMs);
    const startedAt = now();
    const pushed = await pushBurst(toSubscribers(queues, accountId, [webhook]), events);
    for (let arrived = 0; arrived < events; setFraction(arrived / events)) {
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
