import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Consumer, openQueueEngine, openQueues, type QueueEngine, type Queues } from '@ringback/queue';
import {
  backends,
  createTestDatabase,
  redisUrl,
  type RedisServer,
  startRedis,
  startTcpProxy,
  type TcpProxy,
  type TestDatabase,
  until,
} from '@ringback/testing';
import { QueueWatch } from './queue-watch.js';

const program = fileURLToPath(new URL('./queue-watch.fixture.js', import.meta.url));

(redisUrl() === undefined ? describe.skip : describe)('a consumer that is idle', () => {
  let redis: RedisServer;
  let proxy: TcpProxy;
  let queues: Queues;
  let child: ChildProcess;
  let output: string;
  const push = () => queues.enqueueVerification(randomUUID());
  const countLogged = (event: string) => output.split(`"message":"${event}"`).length - 1;
  const waitUntilTaken = (count: number) =>
    until(
      () => countLogged('job.taken') === count,
      () => `${count} jobs are taken; the process said ${output}`,
    );

  beforeEach(async () => {
    redis = await startRedis();
    proxy = await startTcpProxy(redis.url);
    queues = openQueues({
      redisUrl: redis.url,
      databaseUrl: '',
      prefix: 'test',
      redisTimeoutMs: 60_000,
      onError: () => undefined,
    });
    output = '';
    child = fork(program, [proxy.proxyUrlFor(redis.url), redis.url], { silent: true });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    await once(child, 'message');
    await push();
    await waitUntilTaken(1);
  });

  afterEach(async () => {
    child.kill('SIGKILL');
    await queues.close();
    await proxy.close();
    await redis.remove();
  });

  test('is restarted while jobs wait, and fetches again', async () => {
    // From now on, open connections are dead without reporting an error.
    proxy.dropTraffic();
    proxy.pass();
    await push();
    await waitUntilTaken(2);
    await until(() => countLogged('queue.stuck') === 1, 'the restart is logged');
    await push();
    await waitUntilTaken(3);
    expect([countLogged('queue.stuck'), child.exitCode]).toEqual([1, null]);
  });

  test('ends its process when jobs still wait after a restart', async () => {
    // The process may end before this one, on a busy machine, has read the reply to its push.
    const ended = once(child, 'close');
    proxy.dropTraffic();
    await push();
    await ended;
    expect([child.exitCode, countLogged('queue.stuck'), countLogged('job.taken')]).toEqual([1, 1, 1]);
    expect(output).toContain('ringback: Queue verifications is stuck; restarting this worker.\n');
  });

  test('is not restarted while no job waits', async () => {
    // It would have been restarted after five checks.
    await until(() => countLogged('queue.checked') > 10, 'the queue was checked');
    await push();
    await waitUntilTaken(2);
    expect([countLogged('queue.stuck'), child.exitCode]).toEqual([0, null]);
  });
});

describe.each(backends)('a queue on $name whose jobs wait', ({ redisUrl: url }) => {
  let database: TestDatabase;
  let queues: Queues;
  let engine: QueueEngine;
  let consumer: Consumer;
  let watch: QueueWatch;
  beforeEach(async () => {
    database = await createTestDatabase();
    const prefix = `test_${randomBytes(6).toString('hex')}`;
    const settings = { redisUrl: url, databaseUrl: database.url, prefix, redisTimeoutMs: 60_000 };
    queues = openQueues({ ...settings, onError: () => undefined });
    engine = openQueueEngine(settings);
    const ignore = () => undefined;
    const log = { error: ignore, warn: ignore, info: ignore, debug: ignore };
    const handler = { handle: async () => ({ type: 'complete' as const }), giveUp: async () => undefined };
    consumer = new Consumer({ engine, log }, 'sms-events', { concurrency: 1, handler });
    const fail = (error: unknown) => {
      throw error;
    };
    watch = new QueueWatch({ queues, consumers: [consumer], log, fail }, { everyMs: 10, stuckAfterMs: 300 });
  });
  afterEach(async () => {
    await watch.stop();
    await consumer.close();
    await queues.close();
    await engine.close();
    await database.drop();
  });

  test('is reported with the reason while it is paused, and no longer once it is resumed', async () => {
    expect(watch.reason()).toBeNull();
    await queues.open('sms-events').pause();
    await queues.pushEvents('sms', [{ name: 'sms:message:status', data: { payload: { id: 'a' } } }]);
    await until(
      () => watch.reason() === 'sms-events has 1 waiting jobs: the queue is paused',
      () => `the reason is ${watch.reason()}`,
    );
    await queues.open('sms-events').resume();
    await until(() => watch.reason() === null, 'it is no longer reported');
  });
});
