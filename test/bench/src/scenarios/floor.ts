import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { openBackend } from '@ringback/queue';
import { sampleEvent } from '@ringback/samples';
import { type Client, clients, type Done, floorQueues, type Order, warmUp } from '../floor-orders.js';
import { nextMessage } from '../message.js';
import type { BenchOptions } from '../options.js';
import { flags } from '../programs.js';
import { openReceiver } from '../receiver.js';
import type { Result, Row } from '../result.js';
import { startServers } from '../servers.js';
import { throughput } from './throughput.js';

type Cost = { perSecond: number; cpuUs: number; missing?: number };

/**
 * What the parts cost alone, each in one process: bare POSTs with the same client and with others, and two jobs for
 * each event. Then Ringback, by what the same client and the two jobs allow together.
 */
export async function floor(options: BenchOptions): Promise<Result> {
  if (!options.found.throughput) await throughput(options);
  const costs = new Map<string, Cost>();
  for (const client of clients) {
    options.say(`bare POSTs with ${client}`);
    costs.set(client, await measurePosts(client, options.events));
  }
  options.say('two jobs that do nothing for each event');
  const jobs = await measureJobs(options, options.events);
  const { perSecond, workerUs } = options.found.throughput ?? { perSecond: Number.NaN, workerUs: Number.NaN };
  const rows: Row[] = [...costs].map(([name, cost]) => ({ part: name, ...figures(cost) }));
  rows.push({ part: 'two no-op jobs', ...figures(jobs) });
  for (const client of ['got', 'undici'] as const) {
    const both = together(costs.get(client) ?? jobs, jobs);
    rows.push({ part: `${client} + two jobs`, ...figures(both) });
  }
  const ringback = { perSecond: perSecond / options.workers, cpuUs: workerUs };
  const share = (client: Client) => {
    const both = together(costs.get(client) ?? jobs, jobs);
    return { speed: ringback.perSecond / both.perSecond, cpu: ringback.cpuUs / both.cpuUs };
  };
  const [same, fastest] = [share('got'), share('undici')];
  rows.push({
    part: 'Ringback, a worker',
    ...figures(ringback),
    'speed, of got + jobs': same.speed,
    'CPU, times got + jobs': same.cpu,
    'speed, of undici + jobs': fastest.speed,
    'CPU, times undici + jobs': fastest.cpu,
  });
  return { scenario: 'floor', title: 'Floor: what the parts of a delivery cost alone, in one process each', rows };
}

const figures = ({ perSecond, cpuUs, missing }: Cost): Row => ({
  'a second': perSecond,
  'CPU µs': cpuUs,
  ...(missing === undefined ? {} : { missing }),
});

/** One process that does both for each event. */
const together = (post: Cost, jobs: Cost): Cost => ({
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
  const receiver = await openReceiver();
  try {
    return await withProcess(async (child) => {
      const done = nextMessage<Done>(child, 'done');
      child.send({ type: 'post', client, origin: receiver.origin, count } satisfies Order);
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
      const working = nextMessage(child, 'working');
      child.send({ type: 'work', ...where, count } satisfies Order);
      await working;
      await pushJobs(where, warmUp + count);
      return costOf(await done, count);
    });
  } finally {
    await servers.stop();
  }
}

/** Pushes SMS reports as a platform does, without any job options. */
async function pushJobs(where: { redisUrl: string | undefined; databaseUrl: string }, count: number): Promise<void> {
  const engine = openBackend({ ...where, prefix: floorQueues.prefix });
  const queue = engine.openQueue(floorQueues.first, () => undefined);
  const { event: name, payload } = sampleEvent('sms', {});
  const data = { webhook_id: randomUUID(), payload: JSON.stringify(payload) };
  for (let done = 0; done < count; done += 500)
    await queue.addBulk(Array.from({ length: Math.min(500, count - done) }, () => ({ name, data })));
  await queue.close();
  await engine.close();
}
