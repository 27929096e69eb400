import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { redisUrl } from '@ringback/testing';
import { openQueues } from '../queues.js';

test('jobs whose ids start with 0: are counted and listed, and not deleted', async () => {
  const prefix = `test_${randomBytes(6).toString('hex')}`;
  const keyPrefix = `${prefix}:sms-events:`;
  const redis = new Redis(redisUrl() ?? '');
  const errors: Error[] = [];
  const queues = openQueues({
    redisUrl: redisUrl(),
    databaseUrl: '',
    prefix,
    redisTimeoutMs: 60_000,
    onError: (error) => errors.push(error),
  });
  // The first pushed job is at the end of the list, where BullMQ kept its markers before version 5.
  const ids = ['0:17', '0:18', '19'];
  for (const id of ids) {
    await redis.hset(`${keyPrefix}${id}`, { name: 'x', data: '{}', timestamp: '1700000000000', opts: '{}' });
    await redis.lpush(`${keyPrefix}wait`, id);
  }
  // The second reading finds the same: the first one deletes no job.
  for (let reading = 0; reading < 2; reading++) {
    expect(await queues.countFetchable('sms-events')).toBe(3);
    expect(await queues.readEventQueueState('sms-events')).toMatchObject({ waiting: 3, next: '0:17' });
    expect(await queues.readOldestPushTime('sms-events')).toEqual(new Date(1_700_000_000_000));
  }
  // A marker is not a job.
  await redis.rpush(`${keyPrefix}wait`, '0:0');
  expect(await queues.countFetchable('sms-events')).toBe(3);
  expect(await redis.lrange(`${keyPrefix}wait`, 0, -1)).toEqual([...ids].reverse());
  await queues.close();
  redis.disconnect();
  expect(errors).toEqual([]);
});
