import type { BenchOptions } from '../options.js';
import { awaitArrival, pushSteadily } from '../load.js';
import type { Result, Row } from '../result.js';
import { startStack } from '../stack.js';
import { describeLatency } from '../statistics.js';
import { measureSteadyCapacity, measureThroughput } from './throughput.js';

const shares = [0.25, 0.5, 0.8];
const seconds = 10;

/** From push to the receiver at a steady rate, at shares of the throughput of the same run, and on an idle machine. */
export async function latency(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    const burst = await measureThroughput(stack, { ...options, events: Math.min(options.events, 20_000) });
    const webhooks = await stack.makeWebhooks(Array.from({ length: 100 }, (_, index) => `/latency/${index}`));
    options.say('what a stream gets through');
    const perSecond = await measureSteadyCapacity(stack, { queues: stack.queues, webhooks }, burst.perSecond);
    const rows: Row[] = [];
    for (const rate of [20, ...shares.map((share) => perSecond * share)]) {
      options.say(`latency at ${Math.round(rate)} events/s`);
      stack.receiver.reset();
      const pushed = await pushSteadily({ queues: stack.queues, webhooks }, { perSecond: rate, seconds });
      const { latencies, missing, repeated } = await awaitArrival(stack.receiver, pushed);
      const { p50, p95, p99, max } = describeLatency(latencies);
      rows.push({
        load: rate === 20 ? 'idle' : `${Math.round((rate / perSecond) * 100)} %`,
        'events/s': rate,
        'p50 ms': p50,
        'p95 ms': p95,
        'p99 ms': p99,
        'max ms': max,
        missing,
        repeated,
      });
    }
    return {
      scenario: 'latency',
      title: `Latency from push to the receiver; a stream of ${Math.round(perSecond)} events/s is 100 %`,
      rows,
    };
  } finally {
    await stack.stop();
  }
}
