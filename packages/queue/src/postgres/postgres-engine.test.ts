import { endsBefore, startTestPostgres, until } from '@ringback/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedPostgres } from '@ringback/embedded';
import { consume } from '../consumer.fixture.js';
import type { Consumer } from '../consumer.js';
import type { QueueEngine } from '../engine.js';
import pg from 'pg';
import { verificationQueue } from '../jobs.js';
import { openQueueEngine } from '../producer.js';
import { openQueues, type Queues } from '../producer.js';
import { isQueueUnavailable } from '../engine.js';
import { enqueueVerifications, type VerificationJob } from '../verification-jobs.fixture.js';

// A PostgreSQL for this file only. Tests kill it and start it again while queues and a worker are open.
let folder: string;
let postgres: EmbeddedPostgres;
let databaseUrl: string;
let engine: QueueEngine;
let queues: Queues;
let worker: Consumer;
let errors: Error[];
let taken: string[];
/** Jobs end when this resolves. */
let jobsMayEnd: Promise<void>;

const startServer = async () => {
  postgres = await startTestPostgres({
    folder,
    settings: { fsync: 'off' },
    orphanStopSequence: [{ signal: 'SIGKILL', withinMs: 1_000 }],
  });
  return postgres.url;
};
/** Stops the server like a crash: clients get no message, and statements do not finish. */
const killServer = () => postgres.stop(1);

const openQueuesAndWorker = () => {
  const settings = { databaseUrl, prefix: 'ringback' };
  engine = openQueueEngine(settings);
  queues = openQueues({ ...settings, onError: (error) => errors.push(error) });
  const take = async ({ data }: VerificationJob) => {
    taken.push(data.verificationId);
    await jobsMayEnd;
  };
  const options = { lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 1_000 };
  const addError = (error: Error) => errors.push(error);
  worker = consume(engine, verificationQueue, take, { ...options, onError: addError });
};
const enqueue = (id: string) => queues.enqueueVerification(id);
const errorOf = async (call: () => Promise<unknown>) => {
  const error: unknown = await endsBefore(10_000, call).then(
    () => 'it succeeded',
    (rejection: unknown) => rejection,
  );
  return { error, isUnavailable: isQueueUnavailable(error) };
};
const enqueueWhenAvailable = (id: string) =>
  until(async () => (await errorOf(() => enqueue(id))).error === 'it succeeded', 'it is queued');
const countJobs = async () => (await queues.countJobsByQueue())[verificationQueue];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringback-queue-'));
  databaseUrl = await startServer();
  errors = [];
  taken = [];
  jobsMayEnd = Promise.resolve();
});

afterEach(async () => {
  await worker.close();
  await queues.close();
  await engine.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a producer and a worker recover from a failed first connection', async () => {
  await killServer();
  openQueuesAndWorker();
  expect(await errorOf(() => enqueue(randomUUID()))).toMatchObject({ isUnavailable: true });
  expect(await errorOf(() => queues.countJobsByQueue())).toMatchObject({ isUnavailable: true });
  expect(await errorOf(() => queues.check())).toMatchObject({ isUnavailable: true });
  expect(await startServer()).toBe(databaseUrl);
  const first = randomUUID();
  await enqueueWhenAvailable(first);
  await until(() => taken.includes(first), 'the verification is taken');
});

test('an open producer and worker survive a restart of the server without losing a job', async () => {
  openQueuesAndWorker();
  const [before, later, after] = [randomUUID(), randomUUID(), randomUUID()];
  await enqueue(before);
  await enqueueVerifications(queues, [later], 3_000);
  await until(() => taken.includes(before), 'the first verification is taken');
  await killServer();
  expect(await errorOf(() => enqueue(after))).toMatchObject({ isUnavailable: true });
  expect(await startServer()).toBe(databaseUrl);
  await enqueueWhenAvailable(after);
  await until(() => taken.includes(after) && taken.includes(later), 'all verifications are taken');
  expect(taken.filter((id) => id === later)).toHaveLength(1);
});

test('a job that ends while the server is unavailable is finished later, and does not run again', async () => {
  openQueuesAndWorker();
  let finish = () => undefined;
  jobsMayEnd = new Promise((resolve) => (finish = () => void resolve()));
  const id = randomUUID();
  await enqueue(id);
  await until(() => taken.includes(id), 'the verification is taken');
  await killServer();
  finish();
  expect(await startServer()).toBe(databaseUrl);
  await until(async () => {
    const counts = await countJobs().catch(() => ({ unavailable: 1 }));
    return Object.values(counts).every((count) => count === 0);
  }, 'the job is done');
  expect(taken).toEqual([id]);
});

test('a job is finished without another attempt if the connection breaks while it is being finished', async () => {
  openQueuesAndWorker();
  let finish = () => undefined;
  jobsMayEnd = new Promise((resolve) => (finish = () => void resolve()));
  const id = randomUUID();
  await enqueue(id);
  await until(() => taken.includes(id), 'the verification is taken');
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  await admin.query('BEGIN; LOCK TABLE ringback.job');
  finish();
  const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'ringback-queue' AND wait_event_type = 'Lock'`;
  await until(async () => ((await admin.query(terminate)).rowCount ?? 0) > 0, 'the connection is terminated');
  await admin.query('ROLLBACK');
  await admin.end();
  await until(async () => Object.values(await countJobs()).every((count) => count === 0), 'the job is done');
  expect(taken).toEqual([id]);
});

test('a worker reports nothing about a restart except that the server was unavailable', async () => {
  openQueuesAndWorker();
  const [before, after] = [randomUUID(), randomUUID()];
  await enqueue(before);
  await until(() => taken.length === 1, 'the first verification is taken');
  // Otherwise the kill may interrupt only the statement that finishes the job, which BullMQ repeats without an error.
  await until(async () => Object.values(await countJobs()).every((count) => count === 0), 'its job is done');
  await killServer();
  await startServer();
  await enqueueWhenAvailable(after);
  await until(() => taken.length === 2, 'the second verification is taken');
  expect(errors.filter((error) => !isQueueUnavailable(error))).toEqual([]);
});
