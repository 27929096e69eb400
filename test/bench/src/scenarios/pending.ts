import { setTimeout as sleep } from 'node:timers/promises';
import { awaitArrival, compare, exactness } from '../arrival.js';
import { now } from '../clock.js';
import { pushBurst, type Target, toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result, Row } from '../result.js';
import { type Stack, startStack, type TargetWebhook } from '../stack.js';
import { measureStream } from '../steady.js';
import { makeWaiting, sleepUntil, type Waiting } from '../waiting.js';
import { measureBurst } from './throughput.js';

const seconds = 10;
/** The fresh stream beside the drain, as a share of what a burst gets through. */
const freshShare = 0.2;
/** So many failures are left by the worker itself, to be copied. */
const realFailures = 5_000;
/** What is left for Redis to start again. */
const restartMs = 10_000;

/** Deliveries that wait for a retry: what they take, what they cost fresh events, and how they drain. */
export async function pending(options: BenchOptions): Promise<Result[]> {
  const stack = await startStack(options);
  try {
    const fresh = toWebhooks(stack.queues, await stack.makeWebhooks('fresh', 100));
    const samples = (await stack.makeWebhooks('retry', 200)).filter(({ channel }) => channel === 'sms');
    options.say('warming up');
    await awaitArrival(stack, await pushBurst(fresh, 2_000));
    const empty = await measureBurst(stack, fresh, options);
    const perSecond = empty.perSecond * freshShare;
    options.say(`a stream of ${Math.round(perSecond)} events/s`);
    const calm = await measureStream(stack, { target: fresh, perSecond, seconds });

    await failOnce(stack, samples, options);
    const spareMs = (options.events / empty.perSecond) * 1_500 + restartMs + 15_000;
    const making = {
      samples,
      count: options.pending,
      name: 'retry',
      spareMs,
    };
    const waiting = await makeWaiting(stack, making, options);
    const beside = await measureBurst(stack, fresh, options);
    const restart = options.backend === 'redis' ? await restartRedis(stack, options) : {};
    if (now() > waiting.dueAt)
      throw new Error('the retries were due before the fresh events beside them had arrived and Redis was back');
    const drained = await drain(stack, { fresh, waiting, perSecond, calmP99: calm.p99 }, options);
    return [
      {
        scenario: 'pending',
        title: `Pending: fresh events beside ${options.pending} deliveries that wait for a retry`,
        rows: [
          { load: 'nothing waits', ratio: 1, ...empty.row },
          { load: 'they wait', ratio: beside.perSecond / empty.perSecond, ...beside.row },
        ],
      },
      {
        scenario: 'pending-cost',
        title: 'Pending: what they take',
        rows: [{ ...costs(waiting, options), ...restart }],
      },
      {
        scenario: 'pending-drain',
        title: `Pending: a stream of ${Math.round(perSecond)} events/s to other webhooks while all of them fall due`,
        rows: [{ load: 'nothing is due', 'p99 ratio': 1, ...calm.row }, drained],
      },
    ];
  } finally {
    await stack.stop();
  }
}

function costs({ ledgerBytes }: Waiting, { pending: waiting }: BenchOptions): Row {
  return { waiting, 'PostgreSQL bytes each': ledgerBytes / waiting };
}

/** Kills Redis while everything waits in PostgreSQL. What falls due afterwards is what was there before. */
async function restartRedis({ servers }: Stack, { say }: BenchOptions): Promise<Row> {
  say('Redis is killed and started again');
  const startedAt = now();
  await servers.restartRedis();
  return { 'seconds to restart Redis': (now() - startedAt) / 1_000 };
}

/** Lets real first attempts fail. */
async function failOnce(stack: Stack, samples: TargetWebhook[], { events, say }: BenchOptions): Promise<void> {
  const count = Math.min(events, realFailures);
  say(`${count} first attempts that fail`);
  stack.receiver.reset();
  stack.receiver.behave({ fail: 'all' });
  await pushBurst(toWebhooks(stack.queues, samples), count);
  while ((await stack.receiver.count()).calls < count) await sleep(100);
  // The last of them are recorded.
  await sleep(1_000);
  stack.receiver.behave({});
  // They have served: whatever comes of them comes after the run.
  await stack.db.pool.query(`UPDATE deliveries SET due_at = now() + interval '2 days' WHERE state = 'pending'`);
}

type Draining = { fresh: Target; waiting: Waiting; perSecond: number; calmP99: number };

const stuckMs = 60_000;

/** From when all are due: until all have arrived, with a stream of fresh events beside them. */
async function drain(
  stack: Stack,
  { fresh, waiting, perSecond, calmP99 }: Draining,
  options: BenchOptions,
): Promise<Row> {
  const { keys, dueAt } = waiting;
  options.say('waiting until all are due');
  await sleepUntil(dueAt - 1_000);
  options.say('all fall due');
  let [seen, since] = [0, dueAt];
  const watch = setInterval(() => {
    void stack.receiver.count().then(({ arrived: { retry = 0 } }) => {
      if (retry > seen) [seen, since] = [retry, now()];
      options.at(seen / keys.size);
    });
  }, 500);
  const { row, p99 } = await measureStream(stack, {
    ...{ target: fresh, perSecond, seconds: 7_200 },
    until: () => seen >= keys.size || now() - since > stuckMs,
    isWanted: (_key, at) => at >= dueAt,
    isKnown: (key) => key.startsWith('/retry/'),
  });
  clearInterval(watch);
  const all = compare(keys, await stack.receiver.report(), () => true);
  const drainS = (all.lastAt - dueAt) / 1_000;
  return {
    load: 'all fall due',
    'p99 ratio': p99 / calmP99,
    ...row,
    'seconds to drain': drainS,
    'drained/s': (keys.size - all.missing) / drainS,
    // Both kinds: the stream and what was drained.
    missing: Number(row.missing) + exactness(all).missing,
    repeated: Number(row.repeated) + exactness(all).repeated,
  };
}
