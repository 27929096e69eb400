import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { openQueueEngine, openQueues, type Queues } from '@ringback/queue';
import { backends, createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { type StallWatch, watchForStalls } from './stall-watch.js';

describe.each(backends)('the stall watch on $name', ({ redisUrl }) => {
  let database: TestDatabase;
  let queues: Queues;
  let engine: ReturnType<typeof openQueueEngine>;
  let watch: StallWatch;
  const logged: unknown[] = [];
  beforeEach(async () => {
    database = await createTestDatabase();
    logged.length = 0;
    const prefix = `test_${randomBytes(6).toString('hex')}`;
    const settings = { redisUrl, databaseUrl: database.url, prefix, redisTimeoutMs: 60_000 };
    queues = openQueues({ ...settings, onError: () => undefined });
    engine = openQueueEngine(settings);
    const log = { error: (...entry: unknown[]) => void logged.push(entry) };
    watch = watchForStalls({ queues, queueNames: ['sms-events'], log }, { everyMs: 10, stalledAfterMs: 300 });
  });
  afterEach(async () => {
    await watch.stop();
    await queues.close();
    await engine.close();
    await database.drop();
  });

  const push = () => queues.pushEvents('sms', [{ name: 'sms:message:status', data: { payload: { id: 'a' } } }]);
  const reasonIs = (text: string) =>
    until(
      () => watch.reason()?.includes(text),
      () => `the reason holds "${text}"; it is ${watch.reason()}`,
    );
  const startWorker = (process: () => Promise<void>) =>
    engine.openWorker('sms-events', process, { removeOnComplete: { count: 0 } }, () => undefined);

  test('reports waiting events, once in the log, until they are fetched', async () => {
    expect(watch.reason()).toBeNull();
    await push();
    await reasonIs('sms-events is stalled: 1 events wait');
    const worker = startWorker(async () => undefined);
    await until(() => watch.reason() === null);
    await worker.close();
    expect(logged).toEqual([['event_queue.stalled', expect.objectContaining({ queue: 'sms-events' })]]);
  });

  test('reports that the queue is paused', async () => {
    await queues.open('sms-events').pause();
    await push();
    await reasonIs('the queue is paused');
  });

  test('reports a job that does not finish', async () => {
    let release = () => {};
    const worker = startWorker(() => new Promise((resolve) => (release = resolve)));
    await push();
    await reasonIs('has a job that a worker fetched and did not finish');
    release();
    await until(() => watch.reason() === null);
    await worker.close();
  });
});

test.each([
  ['an empty queue that is paused is not stalled', 'the queue is paused', false, null],
  ['a queue with an overwritten key is stalled', 'a key was overwritten', true, 'a key was overwritten'],
])('%s', async (_, blocker, isKeyOverwritten, expected) => {
  let checks = 0;
  const readEventQueueState = async () => {
    checks++;
    return { waiting: 0, next: null, active: null, fetchBlockers: [blocker], isKeyOverwritten };
  };
  const deps = {
    queues: { readEventQueueState },
    queueNames: ['sms-events' as const],
    log: { error: () => undefined },
  };
  const watch = watchForStalls(deps, { everyMs: 1, stalledAfterMs: 5 });
  await until(() => checks > 100);
  expect(watch.reason()).toEqual(expected === null ? null : expect.stringContaining(expected));
  await watch.stop();
});
