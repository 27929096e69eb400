import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchOptions } from '../options.js';
import { awaitArrival, pushBurst, pushSteadily, type Target } from '../load.js';
import type { Result, Row } from '../result.js';
import { type Stack, startStack } from '../stack.js';

const webhooks = 100;

/** Pushes N events and waits until all have arrived and are recorded: how many a second, and at what cost. */
export async function throughput(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    const { row, perSecond } = await measureThroughput(stack, options);
    options.found.perSecond = perSecond;
    return {
      scenario: 'throughput',
      title: `Throughput: ${options.events} events to ${webhooks} webhooks`,
      rows: [row],
    };
  } finally {
    await stack.stop();
  }
}

/** One burst on a stack that stands. A small one goes first, so that nothing is measured that happens only once. */
export async function measureThroughput(
  stack: Stack,
  { events, say }: BenchOptions,
): Promise<{ row: Row; perSecond: number }> {
  const ids = await stack.makeWebhooks(Array.from({ length: webhooks }, (_, index) => `/throughput/${index}`));
  const target = { queues: stack.queues, webhooks: ids };
  say('warming up');
  await awaitArrival(stack.receiver, await pushBurst(target, 2_000));
  await settled(stack);
  stack.receiver.reset();
  say(`pushing ${events} events`);
  const before = stack.usage();
  const startedAt = performance.timeOrigin + performance.now();
  const pushed = await pushBurst(target, events);
  const pushedAt = performance.timeOrigin + performance.now();
  const arrived = await awaitArrival(stack.receiver, pushed);
  await settled(stack);
  const after = stack.usage();
  const seconds = (arrived.lastAt - startedAt) / 1_000;
  const cpu = (part: 'worker' | 'redis' | 'postgres') => (after[part].cpuUs - before[part].cpuUs) / events;
  const row = {
    'events/s': events / seconds,
    'push/s': events / ((pushedAt - startedAt) / 1_000),
    'worker µs': cpu('worker'),
    'redis µs': cpu('redis'),
    'postgres µs': cpu('postgres'),
    'worker MB': after.worker.rssBytes / 1e6,
    missing: arrived.missing,
    repeated: arrived.repeated,
  };
  return { row, perSecond: events / seconds };
}

/**
 * What a stream of single events gets through: they are pushed at the rate of a burst for some seconds, which is more
 * than can be kept up with, since nothing goes in batches at first. Figures at "half of capacity" are at half of this.
 */
export async function measureSteadyCapacity(stack: Stack, target: Target, perSecond: number): Promise<number> {
  stack.receiver.reset();
  const startedAt = performance.timeOrigin + performance.now();
  const pushed = await pushSteadily(target, { perSecond, seconds: 5 });
  const { lastAt } = await awaitArrival(stack.receiver, pushed);
  await settled(stack);
  return (pushed.size / (lastAt - startedAt)) * 1_000;
}

/** Resolves when no delivery is due any more: what waits for a retry may wait. */
export async function settled({ db }: Stack): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { rows } = await db.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM deliveries WHERE state = 'pending' AND next_attempt_at < now() + interval '1 second'`,
    );
    if (rows[0]?.n === 0) return;
    await sleep(100);
  }
}
