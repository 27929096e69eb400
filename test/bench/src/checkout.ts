import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { Pool } from 'undici';
import { openQueues, type Queues } from '@ringback/queue';
import { startDistantServers } from './distance.js';
import type { Target } from './load.js';
import { readProcesses, usageOf } from './measurements.js';
import { endProgram, type Program, startProgram } from './programs.js';
import { type Receiver, startReceiver } from './receiver.js';
import { startServers } from './servers.js';
import type { BenchOptions, TargetWebhook } from './stack.js';

/**
 * The API and one worker of a checkout. They are used only through public interfaces, because the checkout may be of
 * another release.
 */
export type Checkout = {
  receiver: Receiver;
  webhooks: TargetWebhook[];
  /** Pushes events into the queues. */
  queue: Target['queues'];
  /** Posts events to `/events`, `batch` events in each request. */
  http(batch: number): Target['queues'];
  /** CPU time so far in µs, and resident memory in MB. */
  usage(): { productUs: number; databasesUs: number; apiMB: number; workerMB: number };
  stop(): Promise<void>;
};

const webhookCount = 100;
const connections = { single: 32, batch: 4 };
const execute = promisify(execFile);

/** Starts a built checkout on its own servers, with 100 webhooks at a receiver. */
export async function startCheckout(root: string, options: BenchOptions): Promise<Checkout> {
  const servers = await startServers(options.backend, options.databaseUrl);
  const receiver = await startReceiver();
  const running: Program[] = [];
  const closing: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    await Promise.all(running.map(endProgram));
    for (const close of closing) await close();
    receiver.close();
    await servers.stop();
  };
  try {
    const { databaseUrl, redisUrl } = servers;
    const distant = await startDistantServers(redisUrl ? [databaseUrl, redisUrl] : [databaseUrl], options.distanceMs);
    closing.push(async () => distant.close());
    const env = {
      DATABASE_URL: withoutJit(distant.proxyUrlFor(databaseUrl)),
      PORT: '0',
      REDIS_URL: redisUrl ? distant.proxyUrlFor(redisUrl) : '',
      EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
      LOG_FORMAT: 'json',
      API_RATE_LIMIT_PER_MINUTE: '1000000000',
      SECRETS_KEYS: randomBytes(32).toString('base64'),
    };
    const ringback = async (...words: string[]): Promise<Record<string, string>> => {
      const main = `${root}/apps/cli/dist/main.js`;
      const { stdout } = await execute(process.execPath, [main, ...words, '--json'], {
        env: { ...process.env, ...env },
      });
      return JSON.parse(stdout || '{}');
    };
    await ringback('migrate');
    const account = await ringback('account', 'create', '--name', 'bench');
    const { platform_token: platformToken } = await ringback('platform-token', 'create', '--name', 'bench');
    const [api, worker] = [await startProgram('api', { env, root }), await startProgram('worker', { env, root })];
    running.push(api, worker);
    const { origin, pathname } = new URL(api.baseUrl);
    const pool = new Pool(origin, { connections: connections.single });
    closing.push(() => pool.close());
    const post: Post = async (path, token, body) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const request = { method: 'POST', path: `${pathname}${path}`, headers, body: JSON.stringify(body) } as const;
      const response = await pool.request(request);
      const text = await response.body.text();
      if (response.statusCode >= 300) throw new Error(`${path}: ${response.statusCode} ${text}`);
      return JSON.parse(text);
    };
    const queues = openQueues({ ...servers, prefix: 'ringback', redisTimeoutMs: 60_000, onError: () => undefined });
    closing.push(() => queues.close());
    return {
      receiver,
      webhooks: await createWebhooks(post, account.access_token ?? '', receiver.origin),
      queue: queues,
      http: (batch) => pushOverHttp(post, platformToken ?? '', batch),
      usage() {
        const processes = readProcesses();
        const usage = (pid: number | undefined) => usageOf(processes, pid).cpuUs;
        const megabytes = ({ child }: Program) => (processes.get(child.pid ?? 0)?.rssBytes ?? 0) / 1e6;
        return {
          productUs: usage(api.child.pid) + usage(worker.child.pid),
          databasesUs: usage(servers.redisPid()) + usage(servers.postgresPid),
          apiMB: megabytes(api),
          workerMB: megabytes(worker),
        };
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Turns JIT off. Releases before 0.2 leave it on, and would spend most of the time in it. */
const withoutJit = (url: string) => `${url}${url.includes('?') ? '&' : '?'}options=-c%20jit%3Doff`;

type Post = (path: string, token: string, body: unknown) => Promise<{ data: { id: string } }>;

async function createWebhooks(post: Post, token: string, origin: string): Promise<TargetWebhook[]> {
  const webhooks: TargetWebhook[] = [];
  while (webhooks.length < webhookCount) {
    const path = `/ingest-paths/${webhooks.length}`;
    const { data } = await post('/developer/webhooks', token, { name: path, uri: `${origin}${path}` });
    webhooks.push({ id: data.id, channel: 'sms', path });
  }
  return webhooks;
}

/** Posts the events of a push in a closed loop over 32 connections, or over 4 if a request has several events. */
function pushOverHttp(post: Post, token: string, batch: number): Pick<Queues, 'pushEvents'> {
  return {
    async pushEvents(_channel, jobs) {
      const events = jobs.map(({ name, data }) => ({ event: name, ...data }));
      const run = async () => {
        while (events.length > 0) {
          const next = events.splice(0, batch);
          await post('/events', token, batch === 1 ? next[0] : next);
        }
      };
      await Promise.all(Array.from({ length: batch === 1 ? connections.single : connections.batch }, run));
    },
  };
}
