import { toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result, Row } from '../result.js';
import { type Stack, startStack, type TargetWebhook } from '../stack.js';
import { measureStream } from '../steady.js';
import { measureSteadyCapacity, measureThroughput } from './throughput.js';

const webhooks = 100;
const seconds = 20;

/** The same steady load with healthy receivers, with 10 of 100 that hang, and with one that hangs and gets half of all. */
export async function isolation(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    const burst = await measureThroughput(stack, { ...options, events: Math.min(options.events, 5_000) });
    const all = await stack.makeWebhooks('isolation', webhooks);
    options.say('what a stream gets through');
    const capacity = await measureSteadyCapacity(stack, toWebhooks(stack.queues, all), burst.perSecond);
    const perSecond = capacity / 2;
    const half = all.slice(1).flatMap((webhook) => [...all.slice(0, 1), webhook]);
    const mayHang = new Set(all.slice(0, 10).map(({ path }) => path));
    const loads: Load[] = [
      { name: 'all healthy', targets: all, hanging: [], mayHang, perSecond },
      { name: '10 of 100 hang', targets: all, hanging: all.slice(0, 10), mayHang, perSecond },
      { name: 'one hangs and gets half', targets: half, hanging: all.slice(0, 1), mayHang, perSecond },
    ];
    const rows: Row[] = [];
    let healthyP99: number | undefined;
    for (const load of loads) {
      options.say(load.name);
      const { row, p99 } = await run(stack, load);
      healthyP99 ??= p99;
      rows.push({ load: load.name, 'p99 ratio': p99 / healthyP99, ...row });
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
  hanging: TargetWebhook[];
  mayHang: Set<string>;
  perSecond: number;
};

async function run(stack: Stack, { targets, hanging, mayHang, perSecond }: Load) {
  const hang = hanging.map(({ path }) => path);
  const isWanted = (key: string) => !hang.includes(pathOf(key));
  // Retries of calls that hung under an earlier load come when they are due.
  const isKnown = (key: string) => mayHang.has(pathOf(key));
  stack.receiver.behave({ hang });
  // What hung is answered from then on, and worked off before the next load.
  const onArrival = () => stack.receiver.behave({});
  const target = toWebhooks(stack.queues, targets);
  return measureStream(stack, { target, perSecond, seconds, isWanted, isKnown, onArrival });
}
