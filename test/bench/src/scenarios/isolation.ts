import { toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result, Row } from '../result.js';
import { type Stack, startStack, type TargetWebhook } from '../stack.js';
import { measureStream } from '../steady.js';
import { measureSteadyCapacity, measureThroughput } from './throughput.js';

const webhooks = 100;
const seconds = 20;

/** The same steady load with healthy receivers, with 10 of 100 that are ill, and with one that hangs and gets half of all. */
export async function isolation(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    const burst = await measureThroughput(stack, { ...options, events: Math.min(options.events, 5_000) });
    const all = await stack.makeWebhooks('isolation', webhooks);
    options.say('what a stream gets through');
    const capacity = await measureSteadyCapacity(stack, toWebhooks(stack.queues, all), burst.perSecond);
    const perSecond = capacity / 2;
    const half = all.slice(1).flatMap((webhook) => [...all.slice(0, 1), webhook]);
    const some = all.slice(0, 10);
    const common = { targets: all, mayBeIll: new Set(some.map(({ path }) => path)), perSecond };
    const loads: Load[] = [
      { ...common, name: 'all healthy', ill: [], illness: 'hang' },
      { ...common, name: '10 of 100 hang', ill: some, illness: 'hang' },
      { ...common, name: '10 of 100 reset', ill: some, illness: 'reset' },
      { ...common, name: '10 of 100 drip', ill: some, illness: 'drip' },
      { ...common, name: 'one hangs and gets half', targets: half, ill: all.slice(0, 1), illness: 'hang' },
    ];
    const rows: Row[] = [];
    let healthyP99: number | undefined;
    for (const load of loads) {
      options.say(load.name);
      const { row, p99, kept } = await run(stack, load);
      healthyP99 ??= p99;
      rows.push({ load: load.name, 'p99 ratio': p99 / healthyP99, 'throughput ratio': kept, ...row });
    }
    const title = `Isolation: ${Math.round(perSecond)} events/s, half of what a stream gets through; healthy ones' latency`;
    return { scenario: 'isolation', title, rows };
  } finally {
    await stack.stop();
  }
}

const pathOf = (key: string) => key.slice(0, key.indexOf(' '));

type Load = {
  name: string;
  targets: TargetWebhook[];
  ill: TargetWebhook[];
  illness: 'hang' | 'reset' | 'drip';
  mayBeIll: Set<string>;
  perSecond: number;
};

async function run(stack: Stack, { targets, ill, illness, mayBeIll, perSecond }: Load) {
  const paths = ill.map(({ path }) => path);
  const isWanted = (key: string) => !paths.includes(pathOf(key));
  // Retries of calls that failed under an earlier load come when they are due.
  const isKnown = (key: string) => mayBeIll.has(pathOf(key));
  stack.receiver.behave({ [illness]: paths });
  // What hung is answered from then on, and worked off before the next load.
  const onArrival = () => stack.receiver.behave({});
  const target = toWebhooks(stack.queues, targets);
  return measureStream(stack, { target, perSecond, seconds, isWanted, isKnown, onArrival });
}
