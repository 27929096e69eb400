import { toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result, Row } from '../result.js';
import { startStack } from '../stack.js';
import { measureStream } from '../steady.js';
import { measureSteadyCapacity, measureThroughput } from './throughput.js';

const shares = [0.25, 0.5, 0.8];
const seconds = 10;
const idlePerSecond = 20;

/** Measures the latency from push to receiver at 20 events/s, and at shares of the measured capacity. */
export async function latency(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    const burst = await measureThroughput(stack, { ...options, events: Math.min(options.events, 5_000) });
    const target = toWebhooks(stack.queues, await stack.addWebhooks('latency', 100));
    options.setStep('measuring the capacity of a stream');
    const capacity = await measureSteadyCapacity(stack, target, burst.perSecond);
    const rows: Row[] = [];
    for (const perSecond of [idlePerSecond, ...shares.map((share) => capacity * share)]) {
      options.setStep(`a stream of ${Math.round(perSecond)} events/s`);
      const { row } = await measureStream(stack, { target, perSecond, seconds });
      const load = perSecond === idlePerSecond ? 'idle' : `${Math.round((perSecond / capacity) * 100)} %`;
      rows.push({ load, ...row });
    }
    return {
      scenario: 'latency',
      title: `Latency from push to the first byte at the receiver; 100 % is a stream of ${Math.round(capacity)} events/s`,
      rows,
    };
  } finally {
    await stack.stop();
  }
}
