import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import {
  createNaming,
  defaultNaming,
  defaultRetrySettings,
  type EventSample,
  parseAllowList,
  sampleEvent,
  type SampleKind,
} from '@ringback/rules';
import {
  createAccount,
  createWebhook,
  type Database,
  listNewestDeliveries,
  type NewWebhook,
  openDatabase,
  Waker,
} from '@ringback/ledger';
import { isQueueUnavailable, openQueueEngine, Queues, type QueueSettings } from '@ringback/queue';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { type Logger, roles } from '@ringback/process';
import { createTestDatabase, redisUrl, until } from '@ringback/testing';
import type { WorkerConfig } from './config.js';
import { startWorker } from './worker.js';

type SampleTarget = { webhookId?: string; identity?: string; accountId?: string };

export type Testbed = {
  db: Database;
  queues: Queues;
  waker: Waker;
  receiver: Receiver;
  account: { id: string; callbackToken: string };
  queueSettings: QueueSettings;
  /** What the workers logged as errors or failed with, and the errors of the testbed's own connections; no timeouts. */
  errors: unknown[][];
  /** What the workers logged at the level `warn`. */
  warnings: unknown[][];
  /** What the workers logged at the level `info`. */
  notices: unknown[][];
  /** Pushes different sample events of the testbed's account into their queue, and resolves with them. */
  pushSamples(kind: SampleKind, to: SampleTarget, count?: number): Promise<EventSample[]>;
  makeWebhook(fields?: Partial<NewWebhook>): Promise<{ id: string; uri: string; verificationId: string | null }>;
  /** Resolves with the newest delivery of the webhook when that delivery is in the state. */
  waitForDelivery(
    webhook: { webhookId: string },
    state: string,
  ): Promise<Awaited<ReturnType<typeof listNewestDeliveries>>[number]>;
  /** Starts another worker in this process. Resolves with the function that stops it. */
  addWorker(overrides?: Partial<WorkerConfig>): Promise<() => Promise<void>>;
  close(): Promise<void>;
};

/** A new database and new queues, a receiver, an account and a running worker, in this process. */
export async function startTestbed(
  backend: 'postgres' | 'redis',
  overrides: Partial<WorkerConfig> = {},
): Promise<Testbed> {
  const database = await createTestDatabase();
  const queuePrefix = `test_${randomBytes(6).toString('hex')}`;
  const urls = { redisUrl: backend === 'redis' ? redisUrl() : undefined, databaseUrl: database.url };
  const queueSettings = { ...urls, prefix: queuePrefix };
  const errors: unknown[][] = [];
  const warnings: unknown[][] = [];
  const notices: unknown[][] = [];
  let isClosed = false;
  // On a busy machine, a connection or a statement may take longer than a worker's timeout; the worker then tries
  // again. A job may also end while BullMQ renews its lock.
  const isTimeout = (args: unknown[]) =>
    /timeout exceeded when trying|due to (connection|statement) timeout|Command timed out|could not renew lock/.test(
      inspect(args),
    );
  // Once the testbed is closed, a closing connection may still report that its database was dropped.
  const addError = (...args: unknown[]) => void (isClosed || isTimeout(args) || errors.push(args));
  const closers: (() => unknown)[] = [
    () => {
      isClosed = true;
      return database.drop();
    },
  ];
  const log: Logger = {
    error: addError,
    warn: (...args) => void warnings.push(args),
    info: (...args) => void notices.push(args),
    debug: () => {},
  };

  const db = openDatabase({ url: database.url, connections: 4, connectTimeoutMs: 60_000 });
  closers.push(() => db.close());
  const waker = new Waker(db, addError);
  closers.push(() => waker.close());
  const engine = openQueueEngine({ ...queueSettings, redisTimeoutMs: 60_000 });
  const queues = new PatientQueues(engine, { onError: addError, ownsEngine: true });
  closers.push(() => queues.close());
  const receiver = await startReceiver();
  closers.push(() => receiver.close());
  const config: WorkerConfig = {
    ...urls,
    databaseSchema: 'public',
    queuePrefix,
    secretKeys: [],
    // No receiver that responds takes this long, on any machine.
    callbackTimeoutMs: 20_000,
    naming: createNaming(defaultNaming, '1.2.3'),
    retries: { ...defaultRetrySettings, timeScale: 0.0001 },
    autoPauseRules: { failingAfterDays: 0, pauseOnGone: false },
    egressAllowList: parseAllowList('127.0.0.0/8'),
    egressProxy: undefined,
    probesEgressProxy: false,
    operatorCa: null,
    concurrency: 20,
    roles: new Set(roles),
    requireVerification: false,
    isDeliveryOff: false,
    retentionDays: 30,
    healthPort: 0,
    healthHost: undefined,
    otlp: { endpoint: undefined, headers: undefined },
    logLevel: 'error',
    logFormat: 'json',
    ...overrides,
  };
  const addWorker = async (workerOverrides: Partial<WorkerConfig> = {}) => {
    const ownClosers: (() => unknown)[] = [];
    const stop = async () => {
      for (const close of ownClosers.splice(0).reverse()) await close();
    };
    closers.push(stop);
    const onStop = (_name: string, close: () => unknown) => void ownClosers.push(close);
    await startWorker({ ...config, ...workerOverrides }, { log, onStop, fail: addError });
    return stop;
  };
  await addWorker();
  const account = await createAccount(db, { name: 'test' });

  return {
    db,
    queues,
    waker,
    receiver,
    account,
    queueSettings,
    errors,
    warnings,
    notices,
    addWorker,
    async pushSamples(kind, to, count = 1) {
      const events = Array.from({ length: count }, () => sampleEvent(kind, { accountId: account.id, ...to }));
      const jobs = events.map(({ event, ...data }) => ({ name: event, data }));
      await queues.pushEvents(kind === 'sms' ? 'sms' : 'rcs', jobs);
      return events;
    },
    async makeWebhook(fields = {}) {
      const defaultFields = {
        name: 'hook',
        uri: `${receiver.origin}/in`,
        active: true,
        secret: null,
        verificationCode: null,
      };
      const { webhook, verificationId } = await createWebhook(db, account.id, {
        ...defaultFields,
        bodyTemplate: null,
        signing: true,
        ...fields,
      });
      return { id: webhook.id, uri: webhook.uri, verificationId };
    },
    async waitForDelivery({ webhookId }, state) {
      let delivery: Awaited<ReturnType<typeof listNewestDeliveries>>[number] | undefined;
      const isReached = async () => {
        [delivery] = await listNewestDeliveries(db, { webhookId, limit: 1 });
        return delivery?.state === state && delivery;
      };
      return until(isReached, () => `the delivery is ${state}; it is ${delivery?.state ?? 'absent'}`);
    },
    async close() {
      for (const close of closers.reverse()) await close();
    },
  };
}

class PatientQueues extends Queues {
  override pushEvents(...args: Parameters<Queues['pushEvents']>) {
    return retryWhileUnavailable(() => super.pushEvents(...args));
  }

  override countJobsByQueue() {
    return retryWhileUnavailable(() => super.countJobsByQueue());
  }
}

/** Repeats a call while the queue engine is unavailable, which includes that it is too busy to respond. */
async function retryWhileUnavailable<T>(call: () => Promise<T>): Promise<T> {
  const { value } = await until(
    () =>
      call().then(
        (value) => ({ value }),
        (error: unknown) => (isQueueUnavailable(error) ? undefined : Promise.reject(error)),
      ),
    'the engine responds',
  );
  return value;
}
