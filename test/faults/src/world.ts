import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createAccount,
  createPlatformToken,
  createWebhook,
  type Database,
  type NewWebhook,
  openDatabase,
} from '@ringback/database';
import { openQueues, type Queues } from '@ringback/queue';
import { withTimeout } from '@ringback/runtime';
import { openTcpProxy, type RedisServer, startRedis, type TcpProxy } from '@ringback/testing';
import { type Load, openLoad, pushByHttp, pushByQueue } from './load.js';
import type { PostgresServer } from './postgres-server.js';
import { type Program, startProgram } from './program.js';
import { openRecorder, type Recorder } from './recorder.js';

export type BackendName = 'redis' | 'postgres';

export type Api = Program & { baseUrl: string };

/** Everything that one story plays in: servers, a receiver, an account with webhooks, and the processes that it starts. */
export type World = {
  backend: BackendName;
  env: NodeJS.ProcessEnv;
  postgres: PostgresServer;
  database: string;
  redis: RedisServer | undefined;
  recorder: Recorder;
  db: Database;
  queues: Queues;
  account: { id: string; accessToken: string };
  platformToken: string;
  webhooks: string[];
  programs: Program[];
  /** Of the story's account, unless another one is named. */
  addWebhook(path: string, changes?: Partial<NewWebhook>, accountId?: string): Promise<string>;
  /** Another account, with so many webhooks. */
  addAccount(path: string, count: number): Promise<{ accountId: string; accessToken: string; webhooks: string[] }>;
  /** A hop before a server, for the processes that are started with its address; it stays until the end. */
  openProxy(url: string): Promise<TcpProxy>;
  /** `through`: a command that becomes the worker in the end. */
  startWorker(env?: NodeJS.ProcessEnv, through?: string[]): Promise<Program>;
  startApi(env?: NodeJS.ProcessEnv): Promise<Api>;
  /** `args`: the options of `ringback bridge`. */
  startBridge(args: string[]): Promise<Program>;
  /** A platform that pushes over HTTP when there is an API, else into the queues. */
  openLoad(api?: Api): Load;
  /** The folder of the processes' output. */
  logs: string;
  /** Aborted when the world closes. */
  over: AbortSignal;
  close(options: { keepLogs: boolean }): Promise<void>;
};

export type WorldOptions = {
  backend: BackendName;
  postgres: PostgresServer;
  webhooks?: number;
  env?: NodeJS.ProcessEnv;
};

type StartOptions = { through?: string[]; args?: string[] };

/** Retries come soon, so that they are part of every story: 1.8 s for SMS, 10 and 100 ms for RCS. */
const common = {
  EGRESS_ALLOW: '127.0.0.0/8,::1/128',
  RETRY_TIME_SCALE: '0.001',
  WORKER_CONCURRENCY: '25',
  LOG_FORMAT: 'json',
  PORT: '0',
  // Machines that run tests are busy; stories in which calls hang have the usual limit.
  CALLBACK_TIMEOUT_MS: '8000',
};

const ignore = () => {};

/** Opens a world of its own: a database, a Redis where it is on Redis, a receiver, an account with webhooks. */
export async function openWorld({
  backend,
  postgres,
  webhooks: count = 10,
  env: more = {},
}: WorldOptions): Promise<World> {
  const database = await postgres.createDatabase();
  const redis = backend === 'redis' ? await startRedis() : undefined;
  const recorder = await openRecorder();
  const databaseUrl = postgres.url(database);
  const env = { ...common, DATABASE_URL: databaseUrl, REDIS_URL: redis?.url ?? '', QUEUE_PREFIX: 'faults', ...more };
  const db = openDatabase({ url: databaseUrl, connections: 2, connectTimeoutMs: 60_000, onError: ignore });
  const queues = openQueues({ redisUrl: redis?.url, databaseUrl, prefix: env.QUEUE_PREFIX, onError: ignore });
  const account = await createAccount(db, { name: 'faults' });
  const { token: platformToken } = await createPlatformToken(db, { name: 'faults' });
  const logs = mkdtempSync(join(tmpdir(), 'ringback-faults-logs-'));
  const webhooks: string[] = [];
  const over = new AbortController();
  const programs: Program[] = [];
  const proxies: TcpProxy[] = [];

  const addWebhook = async (path: string, changes: Partial<NewWebhook> = {}, accountId = account.id) => {
    const uri = `${recorder.origin}${path}`;
    const plain = { active: true, secret: null, verificationCode: null, payload: null, signing: true };
    const { webhook } = await createWebhook(db, accountId, { name: path, uri, ...plain, ...changes });
    return webhook.id;
  };
  const addAccount = async (path: string, many: number) => {
    const { id: accountId, accessToken } = await createAccount(db, { name: path });
    const added: string[] = [];
    for (let index = 0; index < many; index++) added.push(await addWebhook(path, {}, accountId));
    return { accountId, accessToken, webhooks: added };
  };
  const start = async (
    app: string,
    changes: NodeJS.ProcessEnv = {},
    { through = [], args = [] }: StartOptions = {},
  ) => {
    // A story that timed out may still be running.
    over.signal.throwIfAborted();
    const logFile = join(logs, `${app}-${programs.length}.log`);
    const program = await startProgram(`apps/${app}/dist/main.js`, {
      env: { ...env, ...changes },
      logFile,
      through,
      args,
    });
    programs.push(program);
    if (over.signal.aborted) await program.end('SIGKILL');
    return program;
  };
  for (let index = 0; index < count; index++) webhooks.push(await addWebhook(`/${index}`));
  return {
    ...{
      backend,
      env,
      postgres,
      database,
      redis,
      recorder,
      db,
      queues,
      account,
      platformToken,
      webhooks,
      programs,
      logs,
      over: over.signal,
    },
    addWebhook,
    addAccount,
    async openProxy(url) {
      const proxy = await openTcpProxy(url);
      proxies.push(proxy);
      return proxy;
    },
    startWorker: (changes, through = []) => start('worker', changes, { through }),
    startBridge: (args) => start('cli', {}, { args: ['bridge', ...args] }),
    async startApi(changes) {
      const api = await start('api', changes);
      return { ...api, baseUrl: api.details.baseUrl ?? '' };
    },
    openLoad: (api) =>
      openLoad({
        push: api ? pushByHttp(api.baseUrl, platformToken) : pushByQueue(queues),
        webhooks,
        over: over.signal,
      }),
    async close({ keepLogs }) {
      over.abort();
      const running = programs.filter((program) => program.ending() === undefined);
      await Promise.all(running.map((program) => program.end('SIGKILL')));
      for (const close of [() => queues.close(), () => db.close(), () => recorder.close()]) {
        await withTimeout(5_000, close(), ignore).catch(ignore);
      }
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await redis?.remove();
      if (!keepLogs) rmSync(logs, { recursive: true, force: true });
    },
  };
}
