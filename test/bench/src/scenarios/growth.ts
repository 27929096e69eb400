import { listDeliveries } from '@ringback/ledger';
import { awaitArrival } from '../arrival.js';
import { now } from '../clock.js';
import { addPastPartitions, copyLedger } from '../ledger.js';
import { pushBurst, toWebhooks } from '../load.js';
import { describeLatency } from '../measurements.js';
import type { Result, Row } from '../result.js';
import { type BenchOptions, type Stack, startStack, type TargetWebhook } from '../stack.js';
import { measureBurst } from './throughput.js';

const levels = [0, 1_000_000, 10_000_000];
const spanDays = 25;
// The length of a partition if RETENTION_DAYS is 30.
const partitionDays = 6;
const repeats = 100;

/** Measures throughput and list latency with growing numbers of deliveries in the ledger. */
export async function growth(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    await addPastPartitions(stack.db, { days: spanDays, lengthDays: partitionDays });
    const webhooks = await stack.addWebhooks('growth', 100);
    const target = toWebhooks(stack.queues, webhooks);
    options.setStep('warming up');
    await awaitArrival(stack, await pushBurst(target, 2_000));
    const results: Row[] = [];
    let baseline: number | undefined;
    let copied = 0;
    for (const rows of levelsUpTo(options.rows)) {
      options.setStep(`copying ${rows} deliveries`);
      const copyOptions = {
        samples: webhooks.slice(0, 20),
        count: rows - copied,
        name: `old-${rows}`,
        overDays: spanDays,
        setFraction: options.setFraction,
      };
      if (rows > copied) await copyLedger(stack.db, copyOptions);
      copied = rows;
      const { row, perSecond } = await measureBurst(stack, target, options);
      baseline ??= perSecond;
      const latencies = await measureLists(stack, webhooks);
      // The ledger also has some thousands of deliveries of the warm-up and earlier bursts.
      results.push({ 'copied deliveries': rows, ratio: perSecond / baseline, ...row, ...latencies });
    }
    return { scenario: 'growth', title: 'Growth: deliveries of the last 25 days in the ledger', rows: results };
  } finally {
    await stack.stop();
  }
}

const levelsUpTo = (max: number) => [...levels.filter((level) => level < max), max];

/** Measures the first page of the delivery log: of an account, of a webhook, and of the webhook's failed deliveries. */
async function measureLists({ db, accountId }: Stack, [webhook]: TargetWebhook[]): Promise<Row> {
  const webhookId = webhook?.id ?? '';
  const filters = [{}, { webhookId }, { webhookId, states: ['failed' as const] }];
  const names = ['list', 'list of a webhook', 'list of its failures'];
  const entries: [string, number][] = [];
  for (const [index, filter] of filters.entries()) {
    const durations: number[] = [];
    for (let repeat = 0; repeat < repeats; repeat++) {
      const startedAt = now();
      await listDeliveries(db, accountId, { filter, cursor: null, perPage: 15 });
      durations.push(now() - startedAt);
    }
    entries.push([`${names[index]} p95 ms`, describeLatency(durations).p95]);
  }
  return Object.fromEntries(entries);
}
