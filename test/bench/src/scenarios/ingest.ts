import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { awaitArrival, deviations } from '../arrival.js';
import { type Checkout, startCheckout } from '../checkout.js';
import { now } from '../clock.js';
import { pushBurst, type Pushed, pushSteadily, toWebhooks } from '../load.js';
import { describeLatency } from '../measurements.js';
import type { Result, Row } from '../result.js';
import { type BenchOptions, type Stack, startStack } from '../stack.js';

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

const ownRoot = fileURLToPath(new URL('../../../../', import.meta.url));
const streams = [
  { perSecond: 300, seconds: 20 },
  { perSecond: 20, seconds: 15 },
];
const warmUpPerPath = 5_000;
const idleMs = 15_000;

type Measured = Row & { 'events/s': number; 'CPU µs': number };

/**
 * Measures bursts and streams on each entry path: the queue, and `POST /events` with one and with a hundred events in a
 * request. Then measures an idle stack. With `against` it measures that checkout first and returns the ratios too.
 */
export async function ingestPaths(options: BenchOptions): Promise<Result[]> {
  const measure = async (root: string) => {
    const checkout = await startCheckout(root, options);
    try {
      return await measureAll(checkout, options);
    } finally {
      await checkout.stop();
    }
  };
  const [otherRows, ownRows] = [options.against && (await measure(options.against)), await measure(ownRoot)];
  const title = (of: string) =>
    `${of}: bursts of ${options.events} events to 100 webhooks, and streams; CPU time of each delivery`;
  const result = (scenario: string, of: string, rows: Row[]): Result => ({ scenario, title: title(of), rows });
  if (!otherRows) return [result('ingest-paths', 'Ingest paths', ownRows)];
  const ratios = {
    scenario: 'ingest-paths-ratios',
    title: 'Ratios of this checkout to the other one',
    rows: ownRows.map(ratioTo(otherRows)),
  };
  return [
    result('ingest-paths-against', 'The other checkout', otherRows),
    result('ingest-paths', 'This checkout', ownRows),
    ratios,
  ];
}

async function measureAll(checkout: Checkout, options: BenchOptions): Promise<Measured[]> {
  const byEntryPath = {
    queue: checkout.queue,
    'HTTP, one by one': checkout.http(1),
    'HTTP, in hundreds': checkout.http(100),
  };
  const rows: Measured[] = [];
  for (const [entryPath, queues] of Object.entries(byEntryPath)) {
    const target = toWebhooks(queues, checkout.webhooks);
    options.setStep(`${entryPath}: warming up`);
    await awaitArrival(checkout, await pushBurst(target, warmUpPerPath), { settle: false });
    options.setStep(`${entryPath}: a burst of ${options.events} events`);
    rows.push(await measureLoad(checkout, { entryPath, load: 'burst' }, () => pushBurst(target, options.events)));
    // A stream of requests with a hundred events would be a series of bursts.
    if (entryPath === 'HTTP, in hundreds') continue;
    for (const stream of streams) {
      options.setStep(`${entryPath}: ${stream.perSecond} events/s`);
      const push = async () => (await pushSteadily(target, stream)).pushed;
      rows.push(await measureLoad(checkout, { entryPath, load: `${stream.perSecond}/s` }, push));
    }
  }
  options.setStep('idle');
  return [...rows, await measureIdle(checkout)];
}

type Labels = { entryPath: string; load: string };

async function measureLoad(
  checkout: Checkout,
  labels: Labels,
  push: () => ReturnType<typeof pushBurst>,
): Promise<Measured> {
  const { receiver, usage } = checkout;
  receiver.reset();
  const before = usage();
  const startedAt = now();
  const pushed = await push();
  const arrived = await awaitArrival(checkout, pushed, { settle: false });
  const after = usage();
  const { p50, p99 } = describeLatency(arrived.latencies);
  const product = (after.productUs - before.productUs) / pushed.size;
  const databases = (after.databasesUs - before.databasesUs) / pushed.size;
  return {
    ...labels,
    'events/s': (pushed.size / (arrived.lastAtMonotonicMs - startedAt)) * 1_000,
    ...(labels.load === 'burst' ? {} : { 'p50 ms': p50, 'p99 ms': p99 }),
    'product µs': product,
    'databases µs': databases,
    'CPU µs': product + databases,
    'API MB': after.apiMB,
    'worker MB': after.workerMB,
    ...deviations(arrived),
  };
}

async function measureIdle({ usage }: Checkout): Promise<Measured> {
  await sleep(2_000);
  const [before, startedAt] = [usage(), now()];
  await sleep(idleMs);
  const after = usage();
  const us = after.productUs + after.databasesUs - before.productUs - before.databasesUs;
  const memory = { 'API MB': after.apiMB, 'worker MB': after.workerMB };
  return {
    entryPath: 'none',
    load: 'idle',
    'events/s': 0,
    '% of a core': us / (now() - startedAt) / 10,
    'CPU µs': us,
    ...memory,
  };
}

const compared = ['events/s', 'p50 ms', 'p99 ms', 'CPU µs', 'API MB', 'worker MB'];

const ratioTo =
  (otherRows: Row[]) =>
  (row: Row, index: number): Row => {
    const ratios = compared.flatMap((name) => {
      const [own, other] = [row[name], otherRows[index]?.[name]];
      return typeof own === 'number' && typeof other === 'number' && other > 0 ? [[name, own / other] as const] : [];
    });
    return { entryPath: row.entryPath ?? '', load: row.load ?? '', ...Object.fromEntries(ratios) };
  };
