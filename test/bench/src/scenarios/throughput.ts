import { awaitArrival, deviations } from '../arrival.js';
import { now } from '../clock.js';
import { pushBurst, pushSteadily, type Target, toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result, Row } from '../result.js';
import { walBytes, watchTransactions } from '../sizes.js';
import { type Stack, startStack } from '../stack.js';

const webhookCount = 100;
const warmUpEvents = 2_000;

/** Measures the throughput of a burst, and the CPU time of each delivery. */
export async function throughput(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    const { row, perSecond, workerUs } = await measureThroughput(stack, options);
    options.shared.throughput = { perSecond, workerUs };
    const title = `Throughput: ${options.events} events to ${webhookCount} webhooks; CPU time of each delivery`;
    return { scenario: 'throughput', title, rows: [row] };
  } finally {
    await stack.stop();
  }
}

export type Throughput = { row: Row; perSecond: number; workerUs: number };

/** Measures one burst on a running stack, after a small burst as a warm-up. */
export async function measureThroughput(stack: Stack, options: BenchOptions): Promise<Throughput> {
  const target = toWebhooks(stack.queues, await stack.addWebhooks('throughput', webhookCount));
  options.setStep('warming up');
  await awaitArrival(stack, await pushBurst(target, Math.min(warmUpEvents, options.events)));
  return measureBurst(stack, target, options);
}

/** Measures one burst of events with `deliveriesEach` deliveries each, and the cost of a delivery. */
export async function measureBurst(
  stack: Stack,
  target: Target,
  {
    events,
    setStep,
    setFraction,
    deliveriesEach = 1,
  }: Pick<BenchOptions, 'events' | 'setStep' | 'setFraction'> & { deliveriesEach?: number },
): Promise<Throughput> {
  const countTransactions = await watchTransactions(stack);
  stack.receiver.reset();
  setStep(`a burst of ${events} events`);
  const [before, walBefore] = [stack.usage(), await walBytes(stack)];
  const startedAt = now();
  const pushed = await pushBurst(target, events);
  const pushedAt = now();
  const arrived = await awaitArrival(stack, pushed, { setFraction });
  const after = stack.usage();
  const committed = await countTransactions();
  const wal = (await walBytes(stack)) - walBefore;
  const seconds = (arrived.lastAtMonotonicMs - startedAt) / 1_000;
  const deliveries = events * deliveriesEach;
  const cpu = (part: keyof typeof after) => (after[part].cpuUs - before[part].cpuUs) / deliveries;
  const row = {
    'events/s': events / seconds,
    ...(deliveriesEach > 1 ? { 'deliveries/s': deliveries / seconds } : {}),
    'push/s': events / ((pushedAt - startedAt) / 1_000),
    'worker µs': cpu('worker'),
    'redis µs': cpu('redis'),
    // Unknown if the server was not started by the benchmark.
    ...(stack.servers.postgresPid === undefined ? {} : { 'postgres µs': cpu('postgres') }),
    'transactions each': committed / deliveries,
    'WAL bytes each': wal / deliveries,
    'worker peak MB': after.worker.peakBytes / 1e6,
    ...deviations(arrived),
  };
  return { row, perSecond: events / seconds, workerUs: cpu('worker') };
}

const warmUp = { share: 0.4, seconds: 20 };

/**
 * Measures the capacity of a stream of single events: pushes them at the rate of a burst, which is more than the
 * workers can process, and returns the rate at which they arrive. A slower stream is the warm-up.
 */
export async function measureSteadyCapacity(stack: Stack, target: Target, perSecond: number): Promise<number> {
  const slower = { perSecond: perSecond * warmUp.share, seconds: warmUp.seconds };
  await awaitArrival(stack, (await pushSteadily(target, slower)).pushed);
  stack.receiver.reset();
  const startedAt = now();
  const { pushed } = await pushSteadily(target, { perSecond, seconds: 5 });
  const { lastAtMonotonicMs } = await awaitArrival(stack, pushed);
  return (pushed.size / (lastAtMonotonicMs - startedAt)) * 1_000;
}
