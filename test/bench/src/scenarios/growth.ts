import { listDeliveryLog } from '@ringback/database';
import { awaitArrival } from '../arrival.js';
import { now } from '../clock.js';
import { copyLedger } from '../ledger.js';
import { pushBurst, toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import { makePastPartitions } from '../partitions.js';
import type { Result, Row } from '../result.js';
import { type Stack, startStack, type TargetWebhook } from '../stack.js';
import { describeLatency } from '../statistics.js';
import { measureBurst } from './throughput.js';

const levels = [0, 1_000_000, 10_000_000];
const overDays = 25;
// As long as they are where the ledger is kept for 30 days.
const lengthDays = 6;
const lists = 100;

/** Throughput and lists with more rows in the ledger. */
export async function growth(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    await makePastPartitions(stack.db, { days: overDays, lengthDays });
    const webhooks = await stack.makeWebhooks('growth', 100);
    const target = toWebhooks(stack.queues, webhooks);
    options.say('warming up');
    await awaitArrival(stack, await pushBurst(target, 2_000));
    const ofLedger: Row[] = [];
    let first: number | undefined;
    let had = 0;
    for (const rows of levelsUpTo(options.rows)) {
      options.say(`${rows} deliveries in the ledger`);
      const copying = {
        samples: webhooks.slice(0, 20),
        count: rows - had,
        name: `old-${rows}`,
        overDays,
        at: options.at,
      };
      if (rows > had) await copyLedger(stack.db, copying);
      had = rows;
      const { row, perSecond } = await measureBurst(stack, target, options);
      first ??= perSecond;
      ofLedger.push({ deliveries: rows, ratio: perSecond / first, ...row, ...(await measureLists(stack, webhooks)) });
    }
    return { scenario: 'growth', title: 'Growth: deliveries of the last 25 days in the ledger', rows: ofLedger };
  } finally {
    await stack.stop();
  }
}

const levelsUpTo = (most: number) => [...levels.filter((level) => level < most), most];

/** How long the first page of the log takes: of the account, of a webhook, and of those that failed there. */
async function measureLists({ db, accountId }: Stack, [webhook]: TargetWebhook[]): Promise<Row> {
  const webhookId = webhook?.id ?? '';
  const filters = [{}, { webhookId }, { webhookId, states: ['failed' as const] }];
  const names = ['list', 'list of a webhook', 'list of its failed'];
  const entries: [string, number][] = [];
  for (const [index, filter] of filters.entries()) {
    const durations: number[] = [];
    for (let repeat = 0; repeat < lists; repeat++) {
      const startedAt = now();
      await listDeliveryLog(db, accountId, { filter, cursor: null, perPage: 15 });
      durations.push(now() - startedAt);
    }
    entries.push([`${names[index]} p95 ms`, describeLatency(durations).p95]);
  }
  return Object.fromEntries(entries);
}
