// Measures the minimum cost of a delivery's parts, in a process with the flags of a worker: plain POSTs, or no-op jobs.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { got } from 'got';
import { openQueueEngine, Consumer } from '@ringback/queue';
import { createLogger } from '@ringback/process';
import { Pool } from 'undici';
import { type Client, type Done, floorQueues, type FloorMessage, type FloorRequest, warmUp } from './floor-messages.js';

const maxConcurrentPosts = 50;
const concurrency = 200;
const log = createLogger({ service: 'floor', level: 'error', format: 'json' });
const body = Buffer.from(
  JSON.stringify({ id: 'b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1', mobile: '918921269000', status: 'DELIVRD' }),
);
const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };

/** Returns a function that sends one POST. got has the same options as in the worker. */
function createSender(client: Client, origin: string): () => Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: maxConcurrentPosts });
  const url = `${origin}/floor`;
  const options = { decompress: false, followRedirect: false, retry: { limit: 0 }, throwHttpErrors: false };
  const pool = new Pool(origin, { connections: maxConcurrentPosts, pipelining: 1 });
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
      const response = await pool.request({ path: '/floor', method: 'POST', headers, body });
      await response.body.dump();
    },
  };
  return posts[client];
}

/** Starts a measurement. The returned function ends it. */
function measure(): () => Done {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { type: 'done', ms: performance.now() - startedAt, cpuUs: user + system };
  };
}

async function post({ client, origin, count }: FloorRequest & { type: 'post' }): Promise<Done> {
  const act = createSender(client, origin);
  const repeat = async (times: number) => {
    let left = times;
    const useConnection = async () => {
      while (left-- > 0) await act();
    };
    await Promise.all(Array.from({ length: maxConcurrentPosts }, useConnection));
  };
  await repeat(warmUp);
  const end = measure();
  await repeat(count);
  return end();
}

// The options of packages/queue and of the worker's consumers.
const jobOptions = {
  attempts: 1_000_000,
  backoff: { type: 'custom' },
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
};

/** Two jobs for each event: the first one adds the second one, which does nothing. */
function work({ redisUrl, databaseUrl, count }: FloorRequest & { type: 'work' }): Promise<Done> {
  const backend = openQueueEngine({ redisUrl, databaseUrl, prefix: floorQueues.prefix });
  return new Promise((resolve, reject) => {
    const second = backend.openQueue(floorQueues.second, reject);
    let done = 0;
    let end = measure();
    const addSecond = async () => {
      const deliveryId = randomUUID();
      await second.add('deliver', { deliveryId }, { ...jobOptions, jobId: `deliver-${deliveryId}` });
    };
    const finish = async () => {
      if (++done === warmUp) end = measure();
      if (done === warmUp + count) resolve(end());
    };
    const consume = (queue: string, run: () => Promise<void>) => {
      const handle = async () => {
        await run();
        return { type: 'complete' as const };
      };
      const handler = { handle, giveUp: () => Promise.resolve() };
      new Consumer({ engine: backend, log }, queue, { concurrency, handler });
    };
    consume(floorQueues.first, addSecond);
    consume(floorQueues.second, finish);
    send({ type: 'consuming' });
  });
}

const send = (message: FloorMessage) => void process.send?.(message);

process.on('message', (request: FloorRequest) => {
  const measuring = request.type === 'post' ? post(request) : work(request);
  void measuring.then(send);
});
process.on('disconnect', () => process.exit(0));
send({ type: 'ready' });
