import { awaitArrival, exactness } from '../arrival.js';
import { now } from '../clock.js';
import { pushBurst, pushSteadily, type Target, toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result, Row } from '../result.js';
import { walBytes, watchTransactions } from '../sizes.js';
import { type Stack, startStack } from '../stack.js';

const webhooks = 100;
const warmUpEvents = 2_000;

/** Pushes N events and waits until all have arrived and are recorded: how many a second, and at what cost. */
export async function throughput(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    const { row, perSecond, workerUs } = await measureThroughput(stack, options);
    options.found.throughput = { perSecond, workerUs };
    const title = `Throughput: ${options.events} events to ${webhooks} webhooks, CPU for each delivery`;
    return { scenario: 'throughput', title, rows: [row] };
  } finally {
    await stack.stop();
  }
}

export type Throughput = { row: Row; perSecond: number; workerUs: number };

/** One burst on a stack that stands. A small one goes first, so that nothing is measured that happens only once. */
export async function measureThroughput(stack: Stack, options: BenchOptions): Promise<Throughput> {
  const target = toWebhooks(stack.queues, await stack.makeWebhooks('throughput', webhooks));
  options.say('warming up');
  await awaitArrival(stack, await pushBurst(target, Math.min(warmUpEvents, options.events)));
  return measureBurst(stack, target, options);
}

/** One burst of events of which each makes `deliveriesEach`, with the cost of each delivery. */
export async function measureBurst(
  stack: Stack,
  target: Target,
  { events, say, at, deliveriesEach = 1 }: Pick<BenchOptions, 'events' | 'say' | 'at'> & { deliveriesEach?: number },
): Promise<Throughput> {
  const countTransactions = await watchTransactions(stack);
  stack.receiver.reset();
  say(`${events} events at once`);
  const [before, walBefore] = [stack.usage(), await walBytes(stack)];
  const startedAt = now();
  const pushed = await pushBurst(target, events);
  const pushedAt = now();
  const arrived = await awaitArrival(stack, pushed, { at });
  const after = stack.usage();
  const committed = await countTransactions();
  const wal = (await walBytes(stack)) - walBefore;
  const seconds = (arrived.lastAt - startedAt) / 1_000;
  const deliveries = events * deliveriesEach;
  const cpu = (part: keyof typeof after) => (after[part].cpuUs - before[part].cpuUs) / deliveries;
  const row = {
    'events/s': events / seconds,
    ...(deliveriesEach > 1 ? { 'deliveries/s': deliveries / seconds } : {}),
    'push/s': events / ((pushedAt - startedAt) / 1_000),
    'worker µs': cpu('worker'),
    'redis µs': cpu('redis'),
    // Unknown of a server that is not the benchmark's own.
    ...(stack.servers.postgresPid === undefined ? {} : { 'postgres µs': cpu('postgres') }),
    'transactions each': committed / deliveries,
    'WAL bytes each': wal / deliveries,
    'worker peak MB': after.worker.peakBytes / 1e6,
    ...exactness(arrived),
  };
  return { row, perSecond: events / seconds, workerUs: cpu('worker') };
}

const warmUp = { share: 0.4, seconds: 20 };

/**
 * What a stream of single events gets through: they are pushed at the rate of a burst for some seconds, which is more
 * than can be kept up with, since nothing goes in batches at first. Figures at "half of capacity" are at half of this.
 * A slower stream goes first: code that is being compiled costs as much again as what it does.
 */
export async function measureSteadyCapacity(stack: Stack, target: Target, perSecond: number): Promise<number> {
  const slower = { perSecond: perSecond * warmUp.share, seconds: warmUp.seconds };
  await awaitArrival(stack, (await pushSteadily(target, slower)).pushed);
  stack.receiver.reset();
  const startedAt = now();
  const { pushed } = await pushSteadily(target, { perSecond, seconds: 5 });
  const { lastAt } = await awaitArrival(stack, pushed);
  return (pushed.size / (lastAt - startedAt)) * 1_000;
}
