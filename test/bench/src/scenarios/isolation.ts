import { setTimeout as sleep } from 'node:timers/promises';
import { createAccount, subscribe } from '@ringback/ledger';
import { awaitArrival, measureStream } from '../arrival.js';
import { now } from '../clock.js';
import { pushBurst, toSubscribers, toWebhooks } from '../load.js';
import type { Result, Row } from '../result.js';
import { type BenchOptions, type Stack, startStack, type TargetWebhook } from '../stack.js';
import { measureBurst, measureSteadyCapacity, measureThroughput } from './throughput.js';

const webhookCount = 100;
const seconds = 20;

/**
 * Measures the latency of healthy receivers while others fail: none, 10 of 100, or one that gets half of the events.
 */
export async function isolation(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    const burst = await measureThroughput(stack, { ...options, events: Math.min(options.events, 5_000) });
    const all = await stack.addWebhooks('isolation', webhookCount);
    options.setStep('measuring the capacity of a stream');
    const capacity = await measureSteadyCapacity(stack, toWebhooks(stack.queues, all), burst.perSecond);
    const perSecond = capacity / 2;
    const half = all.slice(1).flatMap((webhook) => [...all.slice(0, 1), webhook]);
    const ten = all.slice(0, 10);
    const common = { targets: all, everFaulty: new Set(ten.map(({ path }) => path)), perSecond };
    const loads: Load[] = [
      { ...common, name: 'all healthy', faulty: [], fault: 'hang' },
      { ...common, name: '10 of 100 hang', faulty: ten, fault: 'hang' },
      { ...common, name: '10 of 100 reset', faulty: ten, fault: 'reset' },
      { ...common, name: '10 of 100 drip', faulty: ten, fault: 'drip' },
      { ...common, name: '1 of 100 hangs, gets half', targets: half, faulty: all.slice(0, 1), fault: 'hang' },
    ];
    const rows: Row[] = [];
    let healthyP99: number | undefined;
    for (const load of loads) {
      options.setStep(load.name);
      const { row, p99, throughputRatio } = await run(stack, load);
      healthyP99 ??= p99;
      rows.push({ load: load.name, 'p99 ratio': p99 / healthyP99, 'throughput ratio': throughputRatio, ...row });
    }
    const title = `Isolation: ${Math.round(perSecond)} events/s, half of the capacity; latency of healthy receivers`;
    return { scenario: 'isolation', title, rows };
  } finally {
    await stack.stop();
  }
}

const pathOf = (key: string) => key.slice(0, key.indexOf(' '));

type Load = {
  name: string;
  targets: TargetWebhook[];
  faulty: TargetWebhook[];
  fault: 'hang' | 'reset' | 'drip';
  /** The paths that are faulty under any load. */
  everFaulty: Set<string>;
  perSecond: number;
};

async function run(stack: Stack, { targets, faulty, fault, everFaulty, perSecond }: Load) {
  const paths = faulty.map(({ path }) => path);
  const isWanted = (key: string) => !paths.includes(pathOf(key));
  // Calls that failed under an earlier load are retried during this one.
  const isKnown = (key: string) => everFaulty.has(pathOf(key));
  stack.receiver.behave({ [fault]: paths });
  // The receivers respond again, so that all deliveries are final before the next load.
  const onArrival = () => stack.receiver.behave({});
  const target = toWebhooks(stack.queues, targets);
  return measureStream(stack, { target, perSecond, seconds, isWanted, isKnown, onArrival });
}

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
          load: 'flood',
          'p99 ratio': during.p99 / baseline.p99,
          ...during.row,
          'flood, events/s': floodPerSecond,
          'flood missing': missing,
          'flood repeated': repeated,
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
