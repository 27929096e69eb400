import { toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result, Row } from '../result.js';
import { startStack } from '../stack.js';
import { measureStream } from '../steady.js';
import { measureSteadyCapacity, measureThroughput } from './throughput.js';

const shares = [0.25, 0.5, 0.8];
const seconds = 10;
const idlePerSecond = 20;

/** From push to the receiver at a steady rate, at shares of the throughput of the same run, and on an idle machine. */
export async function latency(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    const burst = await measureThroughput(stack, { ...options, events: Math.min(options.events, 5_000) });
    const target = toWebhooks(stack.queues, await stack.makeWebhooks('latency', 100));
    options.say('what a stream gets through');
    const capacity = await measureSteadyCapacity(stack, target, burst.perSecond);
    const rows: Row[] = [];
    for (const perSecond of [idlePerSecond, ...shares.map((share) => capacity * share)]) {
      options.say(`a stream of ${Math.round(perSecond)} events/s`);
      const { row } = await measureStream(stack, { target, perSecond, seconds });
      const load = perSecond === idlePerSecond ? 'idle' : `${Math.round((perSecond / capacity) * 100)} %`;
      rows.push({ load, ...row });
    }
    return {
      scenario: 'latency',
      title: `Latency from push to the receiver's first byte; a stream of ${Math.round(capacity)} events/s is 100 %`,
      rows,
    };
  } finally {
    await stack.stop();
  }
}
