import type { BenchOptions } from '../options.js';
import { awaitArrival, type Pushed, pushSteadily } from '../load.js';
import type { Result, Row } from '../result.js';
import { type Stack, startStack, type TargetWebhook } from '../stack.js';
import { describeLatency } from '../statistics.js';
import { measureSteadyCapacity, measureThroughput, settled } from './throughput.js';

const webhooks = 100;
const seconds = 20;

/** The same steady load with healthy receivers, with 10 of 100 that hang, and with one that hangs and gets half of all. */
export async function isolation(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    const burst = await measureThroughput(stack, { ...options, events: Math.min(options.events, 20_000) });
    const ids = await stack.makeWebhooks(Array.from({ length: webhooks }, (_, index) => `/isolation/${index}`));
    options.say('what a stream gets through');
    const capacity = await measureSteadyCapacity(stack, { queues: stack.queues, webhooks: ids }, burst.perSecond);
    const rate = capacity / 2;
    const hanging = (count: number) => ids.slice(0, count).map(({ id }) => id);
    const half = ids.slice(1).flatMap((webhook) => [...ids.slice(0, 1), webhook]);
    const loads: Load[] = [
      { name: 'all healthy', targets: ids, hanging: [], rate },
      { name: '10 of 100 hang', targets: ids, hanging: hanging(10), rate },
      { name: 'one hangs and gets half', targets: half, hanging: hanging(1), rate },
    ];
    const rows: Row[] = [];
    for (const load of loads) {
      options.say(load.name);
      const row = await run(stack, load);
      // What hung is answered now, and worked off before the next load.
      await settled(stack);
      rows.push({ ...row, 'p99 ratio': Number(row['p99 ms']) / Number(rows[0]?.['p99 ms'] ?? row['p99 ms']) });
    }
    return {
      scenario: 'isolation',
      title: `Isolation: ${Math.round(rate)} events/s, half of what a stream gets through`,
      rows,
    };
  } finally {
    await stack.stop();
  }
}

type Load = { targets: TargetWebhook[]; hanging: string[]; rate: number; name: string };

async function run({ queues, receiver }: Stack, { targets, hanging, rate, name }: Load): Promise<Row> {
  const places = [...new Set(targets.map(({ id }) => id))];
  receiver.reset();
  receiver.behave({ hang: hanging.map((id) => `/isolation/${places.indexOf(id)}`) });
  const pushed = await pushSteadily({ queues, webhooks: targets }, { perSecond: rate, seconds });
  const healthy: Pushed = new Map([...pushed].filter(([, { webhookId }]) => !hanging.includes(webhookId)));
  const { latencies, missing, repeated } = await awaitArrival(receiver, healthy);
  receiver.behave({});
  const { p50, p99, max } = describeLatency(latencies);
  return { load: name, healthy: healthy.size, 'p50 ms': p50, 'p99 ms': p99, 'max ms': max, missing, repeated };
}
