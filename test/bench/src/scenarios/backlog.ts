import { setTimeout as sleep } from 'node:timers/promises';
import { awaitArrival, compare, deviations, measureStream } from '../arrival.js';
import { now } from '../clock.js';
import { createWaiting, sleepUntil, type Waiting } from '../due-deliveries.js';
import { pushBurst, type Target, toWebhooks } from '../load.js';
import type { Result, Row } from '../result.js';
import { type BenchOptions, type Stack, startStack, type TargetWebhook } from '../stack.js';
import { measureBurst, measureSteadyCapacity, measureThroughput } from './throughput.js';

const seconds = 20;
// The stream starts this long before the retries are due.
const streamLeadMs = 5_000;
const leadMs = streamLeadMs + 2_000;
const maxRetries = 100_000;

/** Retries to a receiver that never responds become due at the same time, during a steady stream to other receivers. */
export async function backlog(options: BenchOptions): Promise<Result> {
  const count = Math.min(options.pending, maxRetries);
  const stack = await startStack(options);
  try {
    const burst = await measureThroughput(stack, { ...options, events: Math.min(options.events, 5_000) });
    const [dead] = await stack.addWebhooks('dead', 1);
    if (!dead) throw new Error('no webhook was created');
    const target = toWebhooks(stack.queues, await stack.addWebhooks('fresh', 100));
    options.setStep('measuring the capacity of a stream');
    const capacity = await measureSteadyCapacity(stack, target, burst.perSecond);
    const perSecond = capacity / 2;
    options.setStep(`a stream of ${Math.round(perSecond)} events/s`);
    const baseline = await measureStream(stack, { target, perSecond, seconds });

    options.setStep('one attempt without a response');
    stack.receiver.behave({ hang: [dead.path] });
    await pushBurst(toWebhooks(stack.queues, [dead]), 1);
    await awaitAttempt(stack.db.pool, dead.id);
    const waiting = { samples: [dead], count, name: 'dead', leadMs };
    const { dueAtMonotonicMs } = await createWaiting(stack, waiting, options);
    options.setStep('waiting until the retries are due');
    if (now() > dueAtMonotonicMs - streamLeadMs)
      throw new Error('the retries were due before the stream started; use a smaller --pending');
    await sleepUntil(dueAtMonotonicMs - streamLeadMs);
    options.setStep(`${count} retries to a receiver that never responds`);
    const isWanted = (_key: string, at: number) => at >= dueAtMonotonicMs;
    // The remaining retries are not awaited.
    const during = await measureStream(stack, {
      target,
      perSecond,
      seconds: seconds + streamLeadMs / 1_000,
      isWanted,
      settle: false,
    });
    const retriesPerSecond = (await countRetried(stack.db.pool, dead.id)) / seconds;
    return {
      scenario: 'backlog',
      title: `Backlog: ${Math.round(perSecond)} events/s, half of the capacity, while ${count} retries to one dead receiver are due`,
      rows: [
        { load: 'no backlog', 'p99 ratio': 1, ...baseline.row },
        { load: 'backlog', 'p99 ratio': during.p99 / baseline.p99, ...during.row, 'retries/s': retriesPerSecond },
      ],
    };
  } finally {
    await stack.stop();
  }
}

type Pool = { query(text: string, values: unknown[]): Promise<{ rows: unknown[] }> };

/** Counts the deliveries of a webhook that had a retry. */
async function countRetried(pool: Pool, webhookId: string): Promise<number> {
  const statement = `SELECT count(*)::int AS count FROM deliveries WHERE webhook_id = $1 AND attempt_count > 1`;
  const [row] = (await pool.query(statement, [webhookId])).rows;
  return (row as { count: number }).count;
}

async function awaitAttempt(pool: Pool, webhookId: string): Promise<void> {
  const attempted = `SELECT 1 FROM deliveries WHERE webhook_id = $1 AND attempt_count > 0`;
  while ((await pool.query(attempted, [webhookId])).rows.length === 0) await sleep(100);
}

const baselineSeconds = 10;
/** The rate of the stream, as a share of the throughput of a burst. */
const freshShare = 0.2;
/** The maximum number of deliveries that really fail, as samples for the copies. */
const realFailures = 5_000;
/** The time that a restart of Redis may take. */
const restartMs = 10_000;

/**
 * Measures deliveries that wait for a retry: their size, their effect on new events, and the time until they are
 * delivered.
 */
export async function pending(options: BenchOptions): Promise<Result[]> {
  const stack = await startStack(options);
  try {
    const fresh = toWebhooks(stack.queues, await stack.addWebhooks('fresh', 100));
    const samples = (await stack.addWebhooks('retry', 200)).filter(({ channel }) => channel === 'sms');
    options.setStep('warming up');
    await awaitArrival(stack, await pushBurst(fresh, 2_000));
    const empty = await measureBurst(stack, fresh, options);
    const perSecond = empty.perSecond * freshShare;
    options.setStep(`a stream of ${Math.round(perSecond)} events/s`);
    const baseline = await measureStream(stack, { target: fresh, perSecond, seconds: baselineSeconds });

    await failOnce(stack, samples, options);
    const leadMs = (options.events / empty.perSecond) * 1_500 + restartMs + 15_000;
    const waitingOptions = { samples, count: options.pending, name: 'retry', leadMs };
    const waiting = await createWaiting(stack, waitingOptions, options);
    const during = await measureBurst(stack, fresh, options);
    const restart = options.backend === 'redis' ? await restartRedis(stack, options) : {};
    if (now() > waiting.dueAtMonotonicMs)
      throw new Error('the retries were due before the new events had arrived and Redis was restarted');
    const drained = await drain(stack, { fresh, waiting, perSecond, baselineP99: baseline.p99 }, options);
    return [
      {
        scenario: 'pending',
        title: `Pending: new events while ${options.pending} deliveries wait for a retry`,
        rows: [
          { load: 'no waiting deliveries', ratio: 1, ...empty.row },
          { load: 'waiting deliveries', ratio: during.perSecond / empty.perSecond, ...during.row },
        ],
      },
      {
        scenario: 'pending-cost',
        title: 'Pending: size of the waiting deliveries',
        rows: [{ ...costs(waiting, options), ...restart }],
      },
      {
        scenario: 'pending-drain',
        title: `Pending: a stream of ${Math.round(perSecond)} events/s to other webhooks while all retries are due`,
        rows: [{ load: 'no retries due', 'p99 ratio': 1, ...baseline.row }, drained],
      },
    ];
  } finally {
    await stack.stop();
  }
}

function costs({ ledgerBytes }: Waiting, { pending: waiting }: BenchOptions): Row {
  return { waiting, 'PostgreSQL bytes each': ledgerBytes / waiting };
}

/** Kills and restarts Redis. The waiting deliveries are in PostgreSQL, so none is lost. */
async function restartRedis({ servers }: Stack, { setStep }: BenchOptions): Promise<Row> {
  setStep('restarting Redis');
  const startedAt = now();
  await servers.restartRedis();
  return { 'seconds to restart Redis': (now() - startedAt) / 1_000 };
}

/** Lets first attempts fail. Their deliveries are the samples for the copies. */
async function failOnce(stack: Stack, samples: TargetWebhook[], { events, setStep }: BenchOptions): Promise<void> {
  const count = Math.min(events, realFailures);
  setStep(`${count} first attempts that fail`);
  stack.receiver.reset();
  stack.receiver.behave({ fail: 'all' });
  await pushBurst(toWebhooks(stack.queues, samples), count);
  while ((await stack.receiver.count()).calls < count) await sleep(100);
  // The last attempts are recorded.
  await sleep(1_000);
  stack.receiver.behave({});
  // The samples themselves are not retried during the run.
  await stack.db.pool.query(`UPDATE deliveries SET due_at = now() + interval '2 days' WHERE state = 'pending'`);
}

type DrainOptions = { fresh: Target; waiting: Waiting; perSecond: number; baselineP99: number };

const stuckMs = 60_000;

/** Measures a stream of new events from the due time of the retries until all of them have arrived. */
async function drain(
  stack: Stack,
  { fresh, waiting, perSecond, baselineP99 }: DrainOptions,
  options: BenchOptions,
): Promise<Row> {
  const { keys, dueAtMonotonicMs } = waiting;
  options.setStep('waiting until the retries are due');
  await sleepUntil(dueAtMonotonicMs - 1_000);
  options.setStep('all retries are due');
  let [arrivedCount, lastProgressAt] = [0, dueAtMonotonicMs];
  const sampling = setInterval(() => {
    void stack.receiver.count().then(({ arrived: { retry = 0 } }) => {
      if (retry > arrivedCount) [arrivedCount, lastProgressAt] = [retry, now()];
      options.setFraction(arrivedCount / keys.size);
    });
  }, 500);
  const { row, p99 } = await measureStream(stack, {
    target: fresh,
    perSecond,
    seconds: 7_200,
    until: () => arrivedCount >= keys.size || now() - lastProgressAt > stuckMs,
    isWanted: (_key, at) => at >= dueAtMonotonicMs,
    isKnown: (key) => key.startsWith('/retry/'),
  });
  clearInterval(sampling);
  const all = compare(keys, await stack.receiver.report(), () => true);
  const drainS = (all.lastAtMonotonicMs - dueAtMonotonicMs) / 1_000;
  return {
    load: 'all retries due',
    'p99 ratio': p99 / baselineP99,
    ...row,
    'seconds to drain': drainS,
    'drained/s': (keys.size - all.missing) / drainS,
    // Of the stream and of the retries.
    missing: Number(row.missing) + deviations(all).missing,
    repeated: Number(row.repeated) + deviations(all).repeated,
  };
}
