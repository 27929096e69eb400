import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { openQueueEngine } from '@ringback/queue';
import { sampleEvent } from '@ringback/rules';
import { type Client, clients, type Done, floorQueues, type FloorRequest, warmUp } from '../floor-messages.js';
import { flags, nextMessage } from '../programs.js';
import { startReceiver } from '../receiver.js';
import type { Result, Row } from '../result.js';
import { startServers } from '../servers.js';
import type { BenchOptions } from '../stack.js';
import { throughput } from './throughput.js';

type Cost = { perSecond: number; cpuUs: number; missing?: number };

/**
 * Measures the minimum cost of a delivery's parts, each in its own process: plain POSTs with three HTTP clients, and
 * two no-op jobs for each event. Compares a worker with the sum of the parts.
 */
export async function floor(options: BenchOptions): Promise<Result> {
  if (!options.shared.throughput) await throughput(options);
  const costs = new Map<string, Cost>();
  for (const client of clients) {
    options.setStep(`plain POSTs with ${client}`);
    costs.set(client, await measurePosts(client, options.events));
  }
  options.setStep('two no-op jobs for each event');
  const jobs = await measureJobs(options, options.events);
  const { perSecond, workerUs } = options.shared.throughput ?? { perSecond: Number.NaN, workerUs: Number.NaN };
  const rows: Row[] = [...costs].map(([name, cost]) => ({ part: name, ...figures(cost) }));
  rows.push({ part: 'two no-op jobs', ...figures(jobs) });
  for (const client of ['got', 'undici'] as const) {
    const sum = addCosts(costs.get(client) ?? jobs, jobs);
    rows.push({ part: `${client} + two jobs`, ...figures(sum) });
  }
  const ringback = { perSecond: perSecond / options.workers, cpuUs: workerUs };
  const share = (client: Client) => {
    const sum = addCosts(costs.get(client) ?? jobs, jobs);
    return { speed: ringback.perSecond / sum.perSecond, cpu: ringback.cpuUs / sum.cpuUs };
  };
  const [same, fastest] = [share('got'), share('undici')];
  rows.push({
    part: 'Ringback, a worker',
    ...figures(ringback),
    'speed / (got + jobs)': same.speed,
    'CPU / (got + jobs)': same.cpu,
    'speed / (undici + jobs)': fastest.speed,
    'CPU / (undici + jobs)': fastest.cpu,
  });
  return {
    scenario: 'floor',
    title: 'Floor: the minimum cost of the parts of a delivery, each in its own process',
    rows,
  };
}

const figures = ({ perSecond, cpuUs, missing }: Cost): Row => ({
  'per second': perSecond,
  'CPU µs': cpuUs,
  ...(missing === undefined ? {} : { missing }),
});

/** The cost of both parts in one process. */
const addCosts = (post: Cost, jobs: Cost): Cost => ({
  perSecond: 1 / (1 / post.perSecond + 1 / jobs.perSecond),
  cpuUs: post.cpuUs + jobs.cpuUs,
});

async function withProcess<T>(act: (child: ChildProcess) => Promise<T>): Promise<T> {
  const file = fileURLToPath(new URL('../floor-process.js', import.meta.url));
  const child = fork(file, { execArgv: flags, serialization: 'advanced' });
  try {
    await nextMessage(child, 'ready');
    return await act(child);
  } finally {
    child.kill('SIGKILL');
  }
}

async function measurePosts(client: Client, count: number): Promise<Cost> {
  const receiver = await startReceiver();
  try {
    return await withProcess(async (child) => {
      const done = nextMessage<Done>(child, 'done');
      child.send({ type: 'post', client, origin: receiver.origin, count } satisfies FloorRequest);
      const cost = costOf(await done, count);
      return { ...cost, missing: warmUp + count - (await receiver.count()).calls };
    });
  } finally {
    receiver.close();
  }
}

const costOf = ({ ms, cpuUs }: Done, count: number): Cost => ({
  perSecond: (count / ms) * 1_000,
  cpuUs: cpuUs / count,
});

async function measureJobs({ backend, databaseUrl }: BenchOptions, count: number): Promise<Cost> {
  const servers = await startServers(backend, databaseUrl);
  try {
    const where = { redisUrl: servers.redisUrl, databaseUrl: servers.databaseUrl };
    return await withProcess(async (child) => {
      const done = nextMessage<Done>(child, 'done');
      const consuming = nextMessage(child, 'consuming');
      child.send({ type: 'work', ...where, count } satisfies FloorRequest);
      await consuming;
      await pushJobs(where, warmUp + count);
      return costOf(await done, count);
    });
  } finally {
    await servers.stop();
  }
}

/** Pushes SMS reports without job options, like a platform. */
async function pushJobs(where: { redisUrl: string | undefined; databaseUrl: string }, count: number): Promise<void> {
  const engine = openQueueEngine({ ...where, prefix: floorQueues.prefix });
  const queue = engine.openQueue(floorQueues.first, () => undefined);
  const { event: name, payload } = sampleEvent('sms', {});
  const data = { webhook_id: randomUUID(), payload: JSON.stringify(payload) };
  for (let done = 0; done < count; done += 500)
    await queue.addBulk(Array.from({ length: Math.min(500, count - done) }, () => ({ name, data })));
  await queue.close();
  await engine.close();
}
