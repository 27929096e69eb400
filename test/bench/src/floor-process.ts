// What is measured as a floor, in a process of its own with the flags of a worker: bare POSTs, or jobs that do nothing.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { got } from 'got';
import { openBackend, type WorkerSettings } from '@ringback/queue';
import { Pool } from 'undici';
import { type Client, type Done, floorQueues, type Order, type Said, warmUp } from './floor-orders.js';

const atOnce = 50;
const concurrency = 200;
const body = Buffer.from(
  JSON.stringify({ id: 'b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1', mobile: '918921269000', status: 'DELIVRD' }),
);
const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };

/** One POST each; got as the worker uses it. */
function openClient(client: Client, origin: string): () => Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: atOnce });
  const url = `${origin}/floor`;
  const options = { decompress: false, followRedirect: false, retry: { limit: 0 }, throwHttpErrors: false };
  const pool = new Pool(origin, { connections: atOnce, pipelining: 1 });
  const posts = {
    got: () =>
      new Promise<void>((resolve, reject) => {
        const stream = got.stream.post(url, { ...options, agent: { http: agent }, headers, body });
        stream.on('error', reject).on('end', resolve).resume();
      }),
    'node:http': () =>
      new Promise<void>((resolve, reject) => {
        const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
          response.on('end', resolve).resume();
        });
        request.on('error', reject).end(body);
      }),
    async undici() {
      const answer = await pool.request({ path: '/floor', method: 'POST', headers, body });
      await answer.body.dump();
    },
  };
  return posts[client];
}

/** Starts a measurement; the answer ends it. */
function measure(): () => Done {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { type: 'done', ms: performance.now() - startedAt, cpuUs: user + system };
  };
}

async function post({ client, origin, count }: Order & { type: 'post' }): Promise<Done> {
  const act = openClient(client, origin);
  const repeat = async (times: number) => {
    let left = times;
    const lane = async () => {
      while (left-- > 0) await act();
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
  };
  await repeat(warmUp);
  const end = measure();
  await repeat(count);
  return end();
}

// As packages/queue and the worker's consumers have them.
const jobOptions = {
  attempts: 1_000_000,
  backoff: { type: 'custom' },
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
};
const settings: WorkerSettings = {
  concurrency,
  lockDuration: 10_000,
  stalledInterval: 5_000,
  maxStalledCount: 1_000_000,
  runRetryDelay: 1_000,
  removeOnComplete: { count: 0 },
};

/** Two jobs for each event, as with us: the first makes the second, which does nothing. */
function work({ redisUrl, databaseUrl, count }: Order & { type: 'work' }): Promise<Done> {
  const backend = openBackend({ redisUrl, databaseUrl, prefix: floorQueues.prefix });
  return new Promise((resolve, reject) => {
    const second = backend.openQueue(floorQueues.second, reject);
    let done = 0;
    let end = measure();
    const pass = async () => {
      const deliveryId = randomUUID();
      await second.add('deliver', { deliveryId }, { ...jobOptions, jobId: `deliver-${deliveryId}` });
    };
    const finish = async () => {
      if (++done === warmUp) end = measure();
      if (done === warmUp + count) resolve(end());
    };
    backend.openWorker(floorQueues.first, pass, settings, reject);
    backend.openWorker(floorQueues.second, finish, settings, reject);
    say({ type: 'working' });
  });
}

const say = (what: Said) => void process.send?.(what);

process.on('message', (order: Order) => {
  const doing = order.type === 'post' ? post(order) : work(order);
  void doing.then(say);
});
process.on('disconnect', () => process.exit(0));
say({ type: 'ready' });
