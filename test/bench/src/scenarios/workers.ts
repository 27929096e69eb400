import { awaitArrival } from '../arrival.js';
import { pushBurst, toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result, Row } from '../result.js';
import { startStack } from '../stack.js';
import { measureBurst } from './throughput.js';

const counts = [1, 2, 4];
// With so few concurrent calls to slow receivers the CPU is not the limit.
const fewCalls = 20;
const responseMs = 100;
const fewCallsEventsShare = 0.2;

/** Measures the throughput of 1, 2 and 4 workers, limited by the cores that they share, and limited by their calls. */
export async function workers(options: BenchOptions): Promise<Result[]> {
  const few = {
    ...options,
    events: Math.ceil(options.events * fewCallsEventsShare),
    env: { WORKER_CONCURRENCY: `${fewCalls}` },
  };
  return [
    { scenario: 'workers', title: 'Workers that share the cores', rows: await measureWorkers(options) },
    {
      scenario: 'workers-calls',
      title: `Workers with ${fewCalls} concurrent calls each, to receivers that respond after ${responseMs} ms`,
      rows: await measureWorkers(few, responseMs),
    },
  ];
}

async function measureWorkers(options: BenchOptions & { env?: Record<string, string> }, delayMs = 0): Promise<Row[]> {
  const stack = await startStack({ ...options, workers: 1 });
  try {
    const target = toWebhooks(stack.queues, await stack.addWebhooks('workers', 100));
    stack.receiver.behave({ delayMs });
    const rows: Row[] = [];
    for (const count of counts) {
      await stack.scaleTo(count);
      options.setStep(`${count} workers`);
      await awaitArrival(stack, await pushBurst(target, options.events / 5));
      const { row, perSecond } = await measureBurst(stack, target, options);
      const perSecondOfOne = Number(rows[0]?.['events/s'] ?? perSecond);
      rows.push({ workers: count, ratio: perSecond / perSecondOfOne, ...row });
    }
    return rows;
  } finally {
    await stack.stop();
  }
}
