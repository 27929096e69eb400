import { endsBefore, startTestPostgres, until } from '@ringback/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedPostgres } from '@ringback/embedded';
import type { QueueEngine, WorkerHandle } from '../queue-engine.js';
import pg from 'pg';
import { verificationQueue } from '../queue-names.js';
import { openQueueEngine } from '../open-queue-engine.js';
import { openQueues, type Queues } from '../queues.js';
import { isQueueUnavailable } from '../is-queue-unavailable.js';
import { enqueueVerifications, type VerificationJob } from '../verification-jobs.fixture.js';

// A PostgreSQL of the test's own, which is killed and started again under an open Queue and Worker.
let folder: string;
let postgres: EmbeddedPostgres;
let databaseUrl: string;
let engine: QueueEngine;
let queues: Queues;
let worker: WorkerHandle;
let errors: Error[];
let taken: string[];
let hold: Promise<void>;

const start = async () => {
  postgres = await startTestPostgres({
    folder,
    settings: { fsync: 'off' },
    orphanStopSequence: [{ signal: 'SIGKILL', withinMs: 1_000 }],
  });
  return postgres.url;
};
/** Stops the server like a crash: clients get no message, and statements do not finish. */
const kill = () => postgres.stop(1);

const open = () => {
  const settings = { databaseUrl, prefix: 'ringback' };
  engine = openQueueEngine(settings);
  queues = openQueues({ ...settings, onError: (error) => errors.push(error) });
  const take = async ({ data }: VerificationJob) => {
    taken.push(data.verificationId);
    await hold;
  };
  const options = { lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 1_000, runRetryDelay: 1_000 };
  const addError = (error: Error) => errors.push(error);
  worker = engine.openWorker(verificationQueue, take, { ...options, removeOnComplete: { count: 0 } }, addError);
};
const enqueue = (id: string) => queues.enqueueVerification(id);
const troubleOf = async (act: () => Promise<unknown>) => {
  const error: unknown = await endsBefore(10_000, act).then(
    () => 'it succeeded',
    (trouble: unknown) => trouble,
  );
  return { error, unavailable: isQueueUnavailable(error) };
};
const queueAgain = (id: string) =>
  until(async () => (await troubleOf(() => enqueue(id))).error === 'it succeeded', 'it is queued');
const depth = async () => (await queues.countJobsByQueue())[verificationQueue];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringback-queue-'));
  databaseUrl = await start();
  errors = [];
  taken = [];
  hold = Promise.resolve();
});

afterEach(async () => {
  await worker.close();
  await queues.close();
  await engine.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('producer and worker recover from a failed first connection', async () => {
  await kill();
  open();
  expect(await troubleOf(() => enqueue(randomUUID()))).toMatchObject({ unavailable: true });
  expect(await troubleOf(() => queues.countJobsByQueue())).toMatchObject({ unavailable: true });
  expect(await troubleOf(() => queues.check())).toMatchObject({ unavailable: true });
  expect(await start()).toBe(databaseUrl);
  const first = randomUUID();
  await queueAgain(first);
  await until(() => taken.includes(first), 'the verification is taken');
});

test('an open producer and worker survive a restart of the server without losing a job', async () => {
  open();
  const [before, later, after] = [randomUUID(), randomUUID(), randomUUID()];
  await enqueue(before);
  await enqueueVerifications(queues, [later], 3_000);
  await until(() => taken.includes(before), 'the first verification is taken');
  await kill();
  expect(await troubleOf(() => enqueue(after))).toMatchObject({ unavailable: true });
  expect(await start()).toBe(databaseUrl);
  await queueAgain(after);
  await until(() => taken.includes(after) && taken.includes(later), 'all verifications are taken');
  expect(taken.filter((id) => id === later)).toHaveLength(1);
});

test('a job that ends while the server is unavailable is finished once it is back, and does not run again', async () => {
  open();
  let finish = () => undefined;
  hold = new Promise((resolve) => (finish = () => void resolve()));
  const one = randomUUID();
  await enqueue(one);
  await until(() => taken.includes(one), 'the verification is taken');
  await kill();
  finish();
  expect(await start()).toBe(databaseUrl);
  await until(async () => {
    const jobs = await depth().catch(() => ({ unavailable: 1 }));
    return Object.values(jobs).every((count) => count === 0);
  }, 'the job is done');
  expect(taken).toEqual([one]);
});

test('a job is finished without another attempt if the connection breaks while it is being finished', async () => {
  open();
  let finish = () => undefined;
  hold = new Promise((resolve) => (finish = () => void resolve()));
  const one = randomUUID();
  await enqueue(one);
  await until(() => taken.includes(one), 'the verification is taken');
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  await admin.query('BEGIN; LOCK TABLE ringback.job');
  finish();
  const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'ringback-queue' AND wait_event_type = 'Lock'`;
  await until(async () => ((await admin.query(terminate)).rowCount ?? 0) > 0, 'the connection is terminated');
  await admin.query('ROLLBACK');
  await admin.end();
  await until(async () => Object.values(await depth()).every((count) => count === 0), 'the job is done');
  expect(taken).toEqual([one]);
});

test('a worker reports nothing about a restart except that the server was unavailable', async () => {
  open();
  const [before, after] = [randomUUID(), randomUUID()];
  await enqueue(before);
  await until(() => taken.length === 1, 'the first verification is taken');
  // Otherwise the kill may interrupt only the statement that finishes the job, which is tried again.
  await until(async () => Object.values(await depth()).every((count) => count === 0), 'its job is done');
  await kill();
  await start();
  await queueAgain(after);
  await until(() => taken.length === 2, 'the second verification is taken');
  expect(errors.filter((error) => !isQueueUnavailable(error))).toEqual([]);
});
