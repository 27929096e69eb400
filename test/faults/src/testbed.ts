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
} from '@ringback/ledger';
import { withTimeout } from '@ringback/process';
import { openQueues, type Queues } from '@ringback/queue';
import { type RedisServer, startRedis, startTcpProxy, type TcpProxy } from '@ringback/testing';
import { createLoad, type Load, pushByHttp, pushByQueue } from './load.js';
import type { PostgresServer } from './postgres.js';
import { type Program, startProgram } from './program.js';
import { type Recorder, startRecorder } from './recorder.js';

export type BackendName = 'redis' | 'postgres';

export type Api = Program & { baseUrl: string };

/**
 * What a scenario runs in: servers, a receiver, an account with webhooks, and the processes that the scenario starts.
 */
export type Testbed = {
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
  /** Creates a webhook at the receiver, by default of the scenario's account. */
  addWebhook(path: string, changes?: Partial<NewWebhook>, accountId?: string): Promise<string>;
  /** Creates another account with `count` webhooks, all at the same path. */
  addAccount(path: string, count: number): Promise<{ accountId: string; accessToken: string; webhooks: string[] }>;
  /** Opens a proxy for a server. The proxy closes with the testbed. */
  startProxy(url: string): Promise<TcpProxy>;
  /** `wrapper`: a command with its arguments that executes the worker. */
  startWorker(env?: NodeJS.ProcessEnv, wrapper?: string[]): Promise<Program>;
  startApi(env?: NodeJS.ProcessEnv): Promise<Api>;
  /** `args`: the options of `ringback bridge`. */
  startBridge(args: string[]): Promise<Program>;
  /** `args`: the options of `ringback outcomes`. */
  startOutcomes(args: string[]): Promise<Program>;
  /** Creates a load that is pushed to the API over HTTP, or into the queues if there is no `api`. */
  createLoad(api?: Api): Load;
  /** The folder of the processes' output. */
  logs: string;
  /** Aborted when the testbed closes. */
  closeSignal: AbortSignal;
  close(options: { keepLogs: boolean }): Promise<void>;
};

export type TestbedOptions = {
  backend: BackendName;
  postgres: PostgresServer;
  webhooks?: number;
  env?: NodeJS.ProcessEnv;
};

const defaultEnv = {
  EGRESS_ALLOWED_CIDRS: '127.0.0.0/8,::1/128',
  // SMS is retried after 1.8 s, RCS after 10 and 100 ms.
  RETRY_TIME_SCALE: '0.001',
  WORKER_CONCURRENCY: '25',
  LOG_FORMAT: 'json',
  PORT: '0',
  // Above the default of 3 s, because test machines are busy. Scenarios in which calls hang set the default.
  CALLBACK_TIMEOUT_MS: '8000',
};

const ignore = () => {};

/**
 * Creates the testbed of a scenario: a database, a Redis server on that backend, a receiver, and an account with
 * webhooks.
 */
export async function createTestbed({ backend, postgres, webhooks: count = 10, env: ownEnv = {} }: TestbedOptions) {
  const database = await postgres.createDatabase();
  const redis = backend === 'redis' ? await startRedis() : undefined;
  const recorder = await startRecorder();
  const databaseUrl = postgres.url(database);
  const urls = { DATABASE_URL: databaseUrl, REDIS_URL: redis?.url ?? '' };
  const env = { ...defaultEnv, ...urls, QUEUE_PREFIX: 'faults', ...ownEnv };
  const db = openDatabase({ url: databaseUrl, connections: 2, connectTimeoutMs: 60_000, onError: ignore });
  const queues = openQueues({
    redisUrl: redis?.url,
    databaseUrl,
    prefix: env.QUEUE_PREFIX,
    onError: ignore,
  });
  const account = await createAccount(db, { name: 'faults' });
  const { token: platformToken } = await createPlatformToken(db, { name: 'faults' });
  const logs = mkdtempSync(join(tmpdir(), 'ringback-faults-logs-'));
  const closing = new AbortController();
  const closeSignal = closing.signal;
  const accounts = createAccounts({ db, recorder, account });
  const webhooks = await accounts.addWebhooks('', count);
  const proxies: TcpProxy[] = [];
  const processes = createProcesses({ env, logs, closeSignal });
  const testbed: Testbed = {
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
    logs,
    closeSignal,
    ...accounts,
    ...processes,
    async startProxy(url) {
      const proxy = await startTcpProxy(url);
      proxies.push(proxy);
      return proxy;
    },
    createLoad(api) {
      const push = api ? pushByHttp(api.baseUrl, platformToken) : pushByQueue(queues);
      return createLoad({ push, webhooks, closeSignal });
    },
    async close({ keepLogs }) {
      closing.abort();
      await killAll(processes.programs);
      for (const close of [() => queues.close(), () => db.close(), () => recorder.close()]) {
        await withTimeout(5_000, close(), ignore).catch(ignore);
      }
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await redis?.remove();
      if (!keepLogs) rmSync(logs, { recursive: true, force: true });
    },
  };
  return testbed;
}

type Accounts = Pick<Testbed, 'addWebhook' | 'addAccount'> & {
  /** Creates webhooks of the scenario's account at `path/0`, `path/1` …. */
  addWebhooks(path: string, count: number): Promise<string[]>;
};

function createAccounts({ db, recorder, account }: Pick<Testbed, 'db' | 'recorder' | 'account'>): Accounts {
  const addWebhook: Testbed['addWebhook'] = async (path, changes = {}, accountId = account.id) => {
    const defaults = { active: true, secret: null, verificationCode: null, bodyTemplate: null, signing: true };
    const fields = { name: path, uri: `${recorder.origin}${path}`, ...defaults, ...changes };
    return (await createWebhook(db, accountId, fields)).webhook.id;
  };
  return {
    addWebhook,
    async addWebhooks(path, count) {
      const webhooks: string[] = [];
      while (webhooks.length < count) webhooks.push(await addWebhook(`${path}/${webhooks.length}`));
      return webhooks;
    },
    async addAccount(path, count) {
      const { id: accountId, accessToken } = await createAccount(db, { name: path });
      const webhooks: string[] = [];
      while (webhooks.length < count) webhooks.push(await addWebhook(path, {}, accountId));
      return { accountId, accessToken, webhooks };
    },
  };
}

type Processes = Pick<Testbed, 'programs' | 'startWorker' | 'startApi' | 'startBridge' | 'startOutcomes'>;

function createProcesses({ env, logs, closeSignal }: Pick<Testbed, 'env' | 'logs' | 'closeSignal'>): Processes {
  const programs: Program[] = [];
  const start = async (
    app: string,
    changes: NodeJS.ProcessEnv = {},
    options: { wrapper?: string[]; args?: string[] } = {},
  ) => {
    // A scenario that timed out may still be running.
    closeSignal.throwIfAborted();
    const logFile = join(logs, `${app}-${programs.length}.log`);
    const program = await startProgram(`apps/${app}/dist/main.js`, {
      env: { ...env, ...changes },
      logFile,
      ...options,
    });
    programs.push(program);
    if (closeSignal.aborted) await program.end('SIGKILL');
    return program;
  };
  return {
    programs,
    startWorker: (changes, wrapper = []) => start('worker', changes, { wrapper }),
    startBridge: (args) => start('cli', {}, { args: ['bridge', ...args] }),
    startOutcomes: (args) => start('cli', {}, { args: ['outcomes', ...args] }),
    async startApi(changes) {
      const api = await start('api', changes);
      return { ...api, baseUrl: api.details.baseUrl ?? '' };
    },
  };
}

async function killAll(programs: Program[]): Promise<void> {
  const running = programs.filter((program) => program.ending() === undefined);
  await Promise.all(running.map((program) => program.end('SIGKILL')));
}
