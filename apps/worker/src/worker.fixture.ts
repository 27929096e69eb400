import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { defaultRetrySettings, parseAllowList } from '@ringback/callbacks';
import {
  createAccount,
  createWaker,
  createWebhook,
  type Database,
  listDeliveries,
  type NewWebhook,
  openDatabase,
  type Waker,
} from '@ringback/database';
import { isQueueUnavailable, openQueues, type Queues, type QueueSettings } from '@ringback/queue';
import { openReceiver, type Receiver } from '@ringback/receiver';
import { type Logger, roles } from '@ringback/runtime';
import { createTestDatabase, redisUrl, until } from '@ringback/testing';
import type { WorkerConfig } from './config.js';
import { startWorker } from './worker.js';

export type Scene = {
  db: Database;
  queues: Queues;
  waker: Waker;
  receiver: Receiver;
  account: { id: string; callbackToken: string };
  /** Where the queues are. */
  engine: QueueSettings;
  /** What the workers logged as an error. */
  errors: unknown[][];
  makeWebhook(fields?: Partial<NewWebhook>): Promise<{ id: string; uri: string; verificationId: string | null }>;
  /** Resolves with the only delivery of the event once it is in the state. */
  waitForDelivery(
    eventOrWebhook: { webhookId: string },
    state: string,
  ): Promise<Awaited<ReturnType<typeof listDeliveries>>[number]>;
  /** Starts a further worker, in this process too. */
  addWorker(overrides?: Partial<WorkerConfig>): Promise<void>;
  close(): Promise<void>;
};

/** A database and queues of its own, a receiver, an account and a running worker, in this process. */
export async function openScene(backend: 'postgres' | 'redis', overrides: Partial<WorkerConfig> = {}): Promise<Scene> {
  const database = await createTestDatabase();
  const queuePrefix = `test_${randomBytes(6).toString('hex')}`;
  const where = { redisUrl: backend === 'redis' ? redisUrl() : undefined, databaseUrl: database.url };
  const engine = { ...where, prefix: queuePrefix };
  const errors: unknown[][] = [];
  let isOver = false;
  // A connection that is about to close may still hear that its database is dropped.
  // On a busy machine PostgreSQL may take longer to accept a connection than a worker waits, which tries again.
  const isSlowConnect = (words: unknown[]) =>
    /timeout exceeded when trying|due to connection timeout/.test(inspect(words));
  const note = (...words: unknown[]) => void (isOver || isSlowConnect(words) || errors.push(words));
  const closers: (() => unknown)[] = [
    () => {
      isOver = true;
      return database.drop();
    },
  ];
  const silent = () => {};
  const log: Logger = { error: note, warn: silent, info: silent, debug: silent };

  const db = openDatabase({ url: database.url, connections: 4, connectTimeoutMs: 20_000 });
  closers.push(() => db.close());
  const waker = createWaker(db, note);
  closers.push(() => waker.close());
  const opened = openQueues({ ...engine, onError: note });
  closers.push(() => opened.close());
  const queues: Queues = { ...opened, pushEvents: (...push) => retryWhileAway(() => opened.pushEvents(...push)) };
  const receiver = await openReceiver();
  closers.push(() => receiver.close());
  const config: WorkerConfig = {
    ...where,
    queuePrefix,
    secretKeys: [],
    // Nothing that answers takes so long, on any machine.
    timeoutMs: 20_000,
    retries: { ...defaultRetrySettings, timeScale: 0.0001 },
    pausing: { failingAfterDays: 0, gone: false },
    allow: parseAllowList('127.0.0.0/8'),
    proxy: undefined,
    concurrency: 20,
    roles: new Set(roles),
    requireVerification: false,
    retentionDays: 30,
    healthPort: 0,
    host: undefined,
    otlp: { endpoint: undefined, headers: undefined },
    logLevel: 'error',
    logFormat: 'json',
    ...overrides,
  };
  const addWorker = (more: Partial<WorkerConfig> = {}) =>
    startWorker({ ...config, ...more }, { log, onStop: (_name, close) => closers.push(close), fail: note });
  await addWorker();
  const account = await createAccount(db, { name: 'test' });

  return {
    db,
    queues,
    waker,
    receiver,
    account,
    engine,
    errors,
    addWorker,
    async makeWebhook(fields = {}) {
      const standard = {
        name: 'hook',
        uri: `${receiver.origin}/in`,
        active: true,
        secret: null,
        verificationCode: null,
      };
      const { webhook, verificationId } = await createWebhook(db, account.id, {
        ...standard,
        payload: null,
        signing: true,
        ...fields,
      });
      return { id: webhook.id, uri: webhook.uri, verificationId };
    },
    async waitForDelivery({ webhookId }, state) {
      let found: Awaited<ReturnType<typeof listDeliveries>>[number] | undefined;
      const look = async () => {
        [found] = await listDeliveries(db, { webhookId, limit: 1 });
        return found?.state === state && found;
      };
      return until(look, () => `the delivery is ${state}; it is ${found?.state ?? 'absent'}`);
    },
    async close() {
      for (const close of closers.reverse()) await close();
    },
  };
}

/** Repeats a push that the engine was too busy to take. */
async function retryWhileAway(push: () => Promise<void>): Promise<void> {
  const isPushed = () =>
    push().then(
      () => true,
      (error: unknown) => (isQueueUnavailable(error) ? false : Promise.reject(error)),
    );
  await until(isPushed, 'the engine takes the events');
}
