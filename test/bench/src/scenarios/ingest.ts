import { setTimeout as sleep } from 'node:timers/promises';
import { awaitArrival, deviations } from '../arrival.js';
import { now } from '../clock.js';
import { type Pushed, pushBurst, toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result } from '../result.js';
import { type Stack, startStack } from '../stack.js';

const webhookCount = 100;
const warmUpEvents = 2_000;
// The first deliveries are a warm-up, because code that is not compiled yet is slower.
const warmUpShare = 0.2;
const checkEveryMs = 50;
const maxMs = 600_000;

/** Measures ingest and delivery separately, each with a worker that has only this role. */
export async function ingest(options: BenchOptions): Promise<Result> {
  const stack = await startStack({ ...options, workers: 0 });
  try {
    const target = toWebhooks(stack.queues, await stack.addWebhooks('ingest', webhookCount));
    await stack.scaleTo(1, { WORKER_ROLES: 'ingest' });
    options.setStep('warming up');
    const early = await pushBurst(target, Math.min(warmUpEvents, options.events));
    await awaitIngested(stack, early.size);
    options.setStep(`ingest of ${options.events} events`);
    const before = stack.usage();
    const startedAt = now();
    const pushed = await pushBurst(target, options.events);
    await awaitIngested(stack, early.size + pushed.size, options.setFraction);
    const ingestedPerSecond = (pushed.size / (now() - startedAt)) * 1_000;
    const workerUs = (stack.usage().worker.cpuUs - before.worker.cpuUs) / pushed.size;
    await stack.scaleTo(0);
    options.setStep('delivery');
    await stack.scaleTo(1, { WORKER_ROLES: 'deliver' });
    const { row, perSecond } = await measureDrain(stack, new Map([...early, ...pushed]), options);
    return {
      scenario: 'ingest',
      title: `Ingest and delivery of ${options.events} events, each by one worker`,
      rows: [
        { work: 'delivery', ratio: 1, 'events/s': perSecond, ...row },
        { work: 'ingest', ratio: ingestedPerSecond / perSecond, 'events/s': ingestedPerSecond, 'worker µs': workerUs },
      ],
    };
  } finally {
    await stack.stop();
  }
}

/** Waits until the ledger has `wanted` deliveries. */
async function awaitIngested(
  { db }: Stack,
  wanted: number,
  setFraction: (fraction: number) => void = () => undefined,
): Promise<void> {
  for (const startedAt = now(); now() - startedAt < maxMs; await sleep(checkEveryMs)) {
    const { rows } = await db.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM deliveries');
    const count = rows[0]?.count ?? 0;
    if (count >= wanted) return;
    setFraction(count / wanted);
  }
  throw new Error(`${wanted} events were not ingested within ${maxMs / 1_000} s`);
}

async function measureDrain(stack: Stack, wanted: Pushed, { setFraction }: Pick<BenchOptions, 'setFraction'>) {
  const arrived = await awaitArrival(stack, wanted, { setFraction });
  const times = (await stack.receiver.report()).times.toSorted((one, other) => one - other);
  const first = Math.floor(times.length * warmUpShare);
  const lastedMs = (times.at(-1) ?? 0) - (times[first] ?? 0);
  return { row: deviations(arrived), perSecond: ((times.length - 1 - first) / lastedMs) * 1_000 };
}
