import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createAccount, createWebhook, type Database, migrate, openDatabase } from '@ringback/database';
import { openQueues, type Queues } from '@ringback/queue';
import { type Usage, usageOf } from './cpu.js';
import { openReceiver, type Receiver } from './receiver.js';
import { type Servers, startServers } from './servers.js';

export type StackOptions = {
  backend: 'redis' | 'postgres';
  workers: number;
  profile?: string;
  env?: Record<string, string>;
};

/** A webhook and the channel of the events that it is sent. */
export type TargetWebhook = { id: string; channel: 'sms' | 'rcs' };

export type Stack = {
  db: Database;
  queues: Queues;
  receiver: Receiver;
  accountId: string;
  /** Makes webhooks of the account, one for each path at the receiver; a third of them composed. */
  makeWebhooks(paths: string[]): Promise<TargetWebhook[]>;
  usage(): Record<'worker' | 'redis' | 'postgres', Usage>;
  stop(): Promise<void>;
};

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Everything that a benchmark needs, as real processes: PostgreSQL, Redis, workers, a receiver. */
export async function startStack({ backend, workers, profile, env = {} }: StackOptions): Promise<Stack> {
  const servers = await startServers(backend);
  await migrate(servers.databaseUrl);
  const receiver = await openReceiver();
  const settings = {
    ...{ DATABASE_URL: servers.databaseUrl, REDIS_URL: servers.redisUrl ?? '', EGRESS_ALLOW: '127.0.0.0/8' },
    ...{ LOG_LEVEL: 'warn', LOG_FORMAT: 'json', ...env },
  };
  const running = await Promise.all(Array.from({ length: workers }, () => startWorker(settings, profile)));
  const db = openDatabase({ url: servers.databaseUrl, connections: 4 });
  const where = {
    redisUrl: servers.redisUrl,
    databaseUrl: servers.databaseUrl,
    prefix: env.QUEUE_PREFIX ?? 'ringback',
  };
  const queues = openQueues({ ...where, onError: () => undefined });
  // The first call connects.
  await queues.ping();
  await queues.depths().catch(() => undefined);
  const { id: accountId } = await createAccount(db, { name: 'bench' });
  return {
    db,
    queues,
    receiver,
    accountId,
    makeWebhooks: (paths) =>
      Promise.all(paths.map((path, index) => makeWebhook({ db, accountId, uri: `${receiver.origin}${path}`, index }))),
    usage: () => usageOfAll(servers, running),
    async stop() {
      await queues.close();
      await db.close();
      await Promise.all(running.map(end));
      receiver.close();
      await servers.stop();
    },
  };
}

async function startWorker(env: Record<string, string>, profile?: string): Promise<ChildProcess> {
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const args = [...profiling, '--max-semi-space-size=32', `${root}apps/worker/dist/main.js`];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`a worker ended with ${String(code)}`)));
  await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => undefined);
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

function usageOfAll(
  { redisPid, postgresPid }: Servers,
  workers: ChildProcess[],
): Record<'worker' | 'redis' | 'postgres', Usage> {
  const all = workers.map(({ pid }) => usageOf(pid));
  const worker = {
    cpuUs: all.reduce((sum, { cpuUs }) => sum + cpuUs, 0),
    rssBytes: all.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
  };
  return { worker, redis: usageOf(redisPid), postgres: usageOf(postgresPid) };
}

type NewOne = { db: Database; accountId: string; uri: string; index: number };

async function makeWebhook({ db, accountId, uri, index }: NewOne): Promise<TargetWebhook> {
  const channel = index % 2 === 0 ? 'sms' : 'rcs';
  const prefix = channel === 'sms' ? '' : 'payload.';
  const template = { id: `{{${prefix}id}}`, text: `status {{${prefix}status}} for {{${prefix}mobile}}` };
  const fields = { name: `bench ${index}`, active: true, secret: null, verificationCode: null, signing: true };
  const created = await createWebhook(db, accountId, { ...fields, uri, payload: index % 3 === 2 ? template : null });
  return { id: created.webhook.id, channel };
}
