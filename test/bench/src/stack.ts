import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccount, createWebhook, type Database, migrate, openDatabase } from '@ringback/ledger';
import { parseSecretKeys } from '@ringback/process';
import { openQueues, type Queues } from '@ringback/queue';
import { readProcesses, type Usage, usageOf } from './measurements.js';
import { endProgram, type Program, startProgram } from './programs.js';
import type { Listening } from './receiver-process.js';
import { type Receiver, startReceiver } from './receiver.js';
import { type Servers, startServers } from './servers.js';

export type StackOptions = {
  backend: 'redis' | 'postgres';
  workers: number;
  databaseUrl: string | undefined;
  profile?: string;
  env?: Record<string, string>;
  /** How the receiver listens; on one port of plain HTTP when absent. */
  listening?: Listening;
};

/** A webhook, the channel of its events, and its path at the receiver. */
export type TargetWebhook = { id: string; channel: 'sms' | 'rcs'; path: string };

export type Stack = {
  db: Database;
  queues: Queues;
  receiver: Receiver;
  servers: Servers;
  accountId: string;
  accessToken: string;
  /**
   * Creates webhooks at `/group/0`, `/group/1` …, by default of the stack's account, at the receiver's ports in turn. A
   * third of them is composed.
   */
  addWebhooks(group: string, count: number, ofAccount?: string): Promise<TargetWebhook[]>;
  /** Starts or stops workers until `workers` run. Those that it starts get the variables of `own` too. */
  scaleTo(workers: number, own?: Record<string, string>): Promise<void>;
  startApi(): Promise<Program>;
  /** The usage of each part. `own` is the load generator. */
  usage(): Record<'worker' | 'redis' | 'postgres' | 'receiver' | 'own', Usage>;
  stop(): Promise<void>;
};

/** Starts the servers that `startServers` starts, a receiver and workers, and creates an account. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { backend, workers, databaseUrl, profile, env = {} } = options;
  const servers = await startServers(backend, databaseUrl);
  await migrate(servers.databaseUrl);
  const receiver = await startReceiver(options.listening);
  const secretsKey = randomBytes(32).toString('base64');
  const settings = {
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl ?? '',
    EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
    // Everything else has its default. The log is written too, and discarded.
    SECRETS_KEYS: secretsKey,
    LOG_FORMAT: 'json',
    ...env,
  };
  const running: Program[] = [];
  const apis: Program[] = [];
  const scaleTo = async (wanted: number, own: Record<string, string> = {}) => {
    const added = Array.from({ length: wanted - running.length }, () =>
      startProgram('worker', { env: { ...settings, ...own }, profile }),
    );
    running.push(...(await Promise.all(added)));
    await Promise.all(running.splice(wanted).map(endProgram));
  };
  const secretKeys = parseSecretKeys(secretsKey);
  const db = openDatabase({ url: servers.databaseUrl, secretKeys, connections: 4, connectTimeoutMs: 60_000 });
  const where = {
    redisUrl: servers.redisUrl,
    databaseUrl: servers.databaseUrl,
    prefix: 'ringback',
    redisTimeoutMs: 60_000,
  };
  const queues = openQueues({ ...where, onError: () => undefined });
  const stop = async () => {
    await queues.close();
    await db.close();
    await Promise.all([...running, ...apis].map(endProgram));
    receiver.close();
    await servers.stop();
  };
  try {
    await scaleTo(workers);
    // The first command opens the connection.
    await queues.check();
    await queues.countJobsByQueue().catch(() => undefined);
    const { id: accountId, accessToken } = await createAccount(db, { name: 'bench' });
    const common = { db, queues, receiver, servers, accountId, accessToken, scaleTo, stop };
    return {
      ...common,
      async addWebhooks(group, count, ofAccount = accountId) {
        const added: TargetWebhook[] = [];
        const owner = { ...common, accountId: ofAccount };
        while (added.length < count) added.push(await addWebhook(owner, `/${group}/${added.length}`, added.length));
        return added;
      },
      async startApi() {
        const api = await startProgram('api', {
          env: { ...settings, PORT: '0', API_RATE_LIMIT_PER_MINUTE: '1000000000' },
        });
        apis.push(api);
        return api;
      },
      usage: () => usageOfAll(servers, running, receiver),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function usageOfAll({ redisPid, postgresPid }: Servers, workers: Program[], { pid }: Receiver) {
  const processes = readProcesses();
  const usage = (id: number | undefined) => usageOf(processes, id);
  const all = workers.map(({ child }) => usage(child.pid));
  const worker = {
    cpuUs: all.reduce((sum, { cpuUs }) => sum + cpuUs, 0),
    peakBytes: all.reduce((sum, { peakBytes }) => sum + peakBytes, 0),
  };
  const { user, system } = process.cpuUsage();
  const own = { cpuUs: user + system, peakBytes: process.resourceUsage().maxRSS * 1_024 };
  return { worker, redis: usage(redisPid()), postgres: usage(postgresPid), receiver: usage(pid), own };
}

async function addWebhook(
  { db, accountId, receiver }: Pick<Stack, 'db' | 'accountId' | 'receiver'>,
  path: string,
  index: number,
): Promise<TargetWebhook> {
  const channel = index % 2 === 0 ? 'sms' : 'rcs';
  const prefix = channel === 'sms' ? '' : 'payload.';
  const template = { id: `{{${prefix}id}}`, text: `status {{${prefix}status}} for {{${prefix}mobile}}` };
  const fields = { name: `bench ${index}`, active: true, secret: null, verificationCode: null, signing: true };
  const uri = `${receiver.origins[index % receiver.origins.length]}${path}`;
  const created = await createWebhook(db, accountId, {
    ...fields,
    uri,
    bodyTemplate: index % 3 === 2 ? template : null,
  });
  return { id: created.webhook.id, channel, path };
}

// Two queries, so that each uses an index.
const isBusy = `SELECT EXISTS (SELECT 1 FROM deliveries WHERE due_at < now() + interval '1 second' AND state = 'pending' AND lease_expires_at IS NULL)
  OR EXISTS (SELECT 1 FROM deliveries WHERE lease_expires_at IS NOT NULL) AS busy`;

/** Resolves when no delivery is leased, or due within a second. Retries may wait. Rejects after about a minute. */
export async function awaitNoDue({ db }: Pick<Stack, 'db'>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const { rows } = await db.pool.query<{ busy: boolean }>(isBusy);
    if (!rows[0]?.busy) return;
    await sleep(100);
  }
  throw new Error('deliveries are still due after a minute');
}

export type BenchOptions = {
  backend: 'redis' | 'postgres';
  events: number;
  workers: number;
  /** A PostgreSQL server where the benchmark creates its databases. Undefined if it starts its own server. */
  databaseUrl: string | undefined;
  /** Deliveries that wait in `pending`, `backlog` and `claims`. */
  pending: number;
  /** The maximum number of deliveries in `growth`, of webhooks in `api`, and of calls in `statistics`. */
  rows: number;
  /** The folder of another built checkout, which `ingest-paths` measures first. */
  against?: string;
  /** An additional round-trip time to PostgreSQL and Redis in `ingest-paths`, in ms. */
  distanceMs: number;
  /** A folder for CPU profiles of the workers. */
  profile?: string;
  /** Shows the current step. */
  setStep(step: string): void;
  /** Shows the completed fraction of the current step, from 0 to 1. */
  setFraction(fraction: number): void;
  /** Figures that one scenario measures and another one uses. */
  shared: { throughput?: { perSecond: number; workerUs: number } };
};
