import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { backends, createTestDatabase, until } from '@ringback/testing';
import { collectErrors } from '../errors.fixture.js';
import { openQueueEngine } from '../open-queue-engine.js';
import { eventQueues } from '../queue-names.js';
import { openQueues } from '../queues.js';

test.each(backends)(
  'the next job is the oldest waiting one, and the active job the oldest active one, on $name',
  async ({ redisUrl }) => {
    const database = await createTestDatabase();
    const prefix = `test_${randomBytes(6).toString('hex')}`;
    const settings = { redisUrl, databaseUrl: database.url, redisTimeoutMs: 60_000, prefix };
    const { errors, addError } = collectErrors();
    const queues = openQueues({ ...settings, onError: addError });
    const engine = openQueueEngine(settings);
    const name = eventQueues.sms;
    try {
      expect(await queues.readEventQueueState(name)).toMatchObject({ waiting: 0, next: null, active: null });
      for (const jobId of ['first', 'second', 'third', 'fourth'])
        await queues.open(name).addBulk([{ name: 'sms:message:status', data: {}, opts: { jobId } }]);
      expect(await queues.readEventQueueState(name)).toMatchObject({ waiting: 4, next: 'first', active: null });
      let finish = () => {};
      const finished = new Promise<void>((resolve) => (finish = resolve));
      const worker = engine.openWorker(name, () => finished, { concurrency: 2 }, addError);
      await until(async () => (await queues.readEventQueueState(name)).waiting === 2, 'two jobs are active');
      expect(await queues.readEventQueueState(name)).toMatchObject({ waiting: 2, next: 'third', active: 'first' });
      finish();
      await worker.close();
      expect(errors).toEqual([]);
    } finally {
      await queues.close();
      await engine.close();
      await database.drop();
    }
  },
);
