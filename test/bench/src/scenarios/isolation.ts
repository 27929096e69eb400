import { toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result, Row } from '../result.js';
import { type Stack, startStack, type TargetWebhook } from '../stack.js';
import { measureStream } from '../steady.js';
import { measureSteadyCapacity, measureThroughput } from './throughput.js';

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
