import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCertificate } from '@ringback/receiver';
import { createTemporaryFolder } from '@ringback/testing';
import { awaitArrival, deviations, measureStream } from '../arrival.js';
import { now } from '../clock.js';
import { pushBurst, pushSteadily, type Target, toWebhooks } from '../load.js';
import { walBytes, watchTransactions } from '../measurements.js';
import type { Listening } from '../receiver-process.js';
import type { Result, Row } from '../result.js';
import { type BenchOptions, type Stack, startStack } from '../stack.js';

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

const shares = [0.25, 0.5, 0.8];
const seconds = 10;
const idlePerSecond = 20;

/** Measures the latency from push to receiver at 20 events/s, and at shares of the measured capacity. */
export async function latency(options: BenchOptions): Promise<Result> {
  const stack = await startStack(options);
  try {
    const burst = await measureThroughput(stack, { ...options, events: Math.min(options.events, 5_000) });
    const target = toWebhooks(stack.queues, await stack.addWebhooks('latency', 100));
    options.setStep('measuring the capacity of a stream');
    const capacity = await measureSteadyCapacity(stack, target, burst.perSecond);
    const rows: Row[] = [];
    for (const perSecond of [idlePerSecond, ...shares.map((share) => capacity * share)]) {
      options.setStep(`a stream of ${Math.round(perSecond)} events/s`);
      const { row } = await measureStream(stack, { target, perSecond, seconds });
      const load = perSecond === idlePerSecond ? 'idle' : `${Math.round((perSecond / capacity) * 100)} %`;
      rows.push({ load, ...row });
    }
    return {
      scenario: 'latency',
      title: `Latency from push to the first byte at the receiver; 100 % is a stream of ${Math.round(capacity)} events/s`,
      rows,
    };
  } finally {
    await stack.stop();
  }
}

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

const tlsWebhookCount = 300;

/**
 * Measures the worker's CPU for a delivery over HTTPS beside plain HTTP. The receiver keeps its connections open, or
 * closes each one after a response. The receiver counts new connections and resumed TLS sessions. Each row has its own
 * worker, because a worker caches sessions.
 */
export async function tls(options: BenchOptions): Promise<Result> {
  const certificate = makeCertificate();
  const folder = createTemporaryFolder('ringback-bench-ca');
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, certificate.cert);
  const env = { NODE_EXTRA_CA_CERTS: caFile };
  const kinds: [string, Listening][] = [
    ['http, kept alive', {}],
    ['http, closed', { closes: true }],
    ['https, kept alive', { certificate }],
    ['https, closed', { certificate, closes: true }],
    [`https, closed, ${tlsWebhookCount} ports`, { certificate, closes: true, ports: tlsWebhookCount }],
    ['https, closed, never resumed', { certificate, closes: true, resumes: false }],
  ];
  try {
    const rows: Row[] = [];
    for (const [calls, listening] of kinds)
      rows.push({ calls, ...(await measure({ ...options, env }, listening, calls)) });
    const closedHttp = rows.find(({ calls }) => calls === 'http, closed');
    for (const row of rows)
      row['µs more than http, closed'] = Number(row['worker µs']) - Number(closedHttp?.['worker µs']);
    return { scenario: 'tls', title: `TLS: ${options.events} events to ${tlsWebhookCount} webhooks`, rows };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  options: BenchOptions & { env: Record<string, string> },
  listening: Listening,
  calls: string,
): Promise<Row> {
  const stack = await startStack({ ...options, listening });
  try {
    const target = toWebhooks(stack.queues, await stack.addWebhooks('tls', tlsWebhookCount));
    options.setStep(`${calls}: warming up`);
    await awaitArrival(stack, await pushBurst(target, Math.min(warmUpEvents, options.events)));
    const { row } = await measureBurst(stack, target, options);
    const { connections, resumed } = await stack.receiver.count();
    return { connections, resumed, ...row };
  } finally {
    await stack.stop();
  }
}

// SMS is retried after 0.9 s, RCS after 5 ms.
const env = { RETRY_TIME_SCALE: '0.0005' };

/** Compares a healthy receiver with one that fails every first attempt. */
export async function retries(options: BenchOptions): Promise<Result> {
  const stack = await startStack({ ...options, env });
  try {
    const target = toWebhooks(stack.queues, await stack.addWebhooks('retries', 100));
    options.setStep('warming up');
    await awaitArrival(stack, await pushBurst(target, 2_000));
    const run = async (fail: 'none' | 'first', callsEach: number) => {
      stack.receiver.behave({ fail });
      const { row, perSecond } = await measureBurst(stack, target, options);
      const { calls } = await stack.receiver.count();
      const unexpected = calls - options.events * callsEach;
      return { perSecond, row: { ...row, ...(unexpected === 0 ? {} : { 'unexpected calls': unexpected }) } };
    };
    const healthy = await run('none', 1);
    const failing = await run('first', 2);
    return {
      scenario: 'retries',
      title: `Retries: ${options.events} events, each delivered once`,
      rows: [
        { receiver: 'healthy', ratio: 1, 'calls/s': healthy.perSecond, ...healthy.row },
        {
          receiver: 'fails every first attempt',
          ratio: failing.perSecond / healthy.perSecond,
          'calls/s': failing.perSecond * 2,
          ...failing.row,
        },
      ],
    };
  } finally {
    await stack.stop();
  }
}
