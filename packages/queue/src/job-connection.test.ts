import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { redisUrl, until } from '@ringback/testing';
import { consume } from './consumer.fixture.js';
import type { Consumer } from './consumer.js';
import type { QueueEngine } from './engine.js';
import { maxDataBytes, readEventData, UnreadableData } from './job-connection.js';
import { openQueueEngine } from './producer.js';

/** What a worker receives: the data (of nested arrays, only their depth), or why the data cannot be read. */
type Expected = { data: unknown } | { reason: string };
type Fields = Record<string, string | Buffer>;

const plainFields = {
  name: 'sms:message:status',
  timestamp: '1700000000000',
  delay: '0',
  priority: '0',
  opts: '{"attempts":0}',
};
const withData = (data: string | Buffer): Fields => ({ ...plainFields, data });
const withField = (name: string, value: string): Fields => ({
  ...plainFields,
  data: '{"id":"the event"}',
  [name]: value,
});
const theEvent = { data: { id: 'the event' } };
const notJson = { reason: 'the data of the job is not JSON' };
const notUtf8 = { reason: 'the data of the job is not UTF-8' };
const roundedPayload = '{ "id": 9007199254740993, "credits": 2.0000 }';
const deepArray = '['.repeat(100_000) + ']'.repeat(100_000);
const tooManyBytes = 16 * 1024 * 1024 + 1;

const jobs: [string, Fields, Expected][] = [
  ['data that is broken', withData('{broken'), notJson],
  ['data that is cut off', withData('{"payload":{"id":"a"'), notJson],
  ['data that is not a number', withData('NaN'), notJson],
  ['data of two documents', withData('{}{}'), notJson],
  ['data in binary', withData(Buffer.from([0x83, 0xa1, 0x61, 0x01, 0xff])), notUtf8],
  ['data in Latin-1', withData(Buffer.from('{"id":"caf\xe9"}', 'latin1')), notUtf8],
  ['data with a replacement character', withData('{"id":"\uFFFD"}'), { data: { id: '\uFFFD' } }],
  ['no data', plainFields, { data: {} }],
  ['data null', withData('null'), { data: null }],
  ['data that is a text', withData('"x"'), { data: 'x' }],
  ['data of depth 100,000', withData(deepArray), { data: 'depth 100000' }],
  [
    'data that is too large',
    withData(JSON.stringify('x'.repeat(tooManyBytes))),
    { reason: `the data of the job has ${tooManyBytes + 2} bytes, and at most 16777216 are taken` },
  ],
  [
    'a payload with numbers that JavaScript rounds',
    withData(`{"a":1,"payload":${roundedPayload}}`),
    { data: { a: 1, payload: roundedPayload } },
  ],
  ['options that are not JSON', withField('opts', '{'), theEvent],
  ['options null', withField('opts', 'null'), theEvent],
  ['options that are not JSON, and broken data', { ...withData('{broken'), opts: '{' }, notJson],
  ['a progress that is not JSON', withField('progress', '{'), theEvent],
  [
    'a parent that is gone',
    { ...withField('parent', '{"id":"a","queueKey":"gone:q"}'), parentKey: 'gone:q:a' },
    theEvent,
  ],
  ['a timestamp that is not a number', withField('timestamp', 'yesterday'), theEvent],
  ['no name', { data: '{"id":"the event"}' }, theEvent],
  ['a scheduler', withField('rjk', 'every-second'), theEvent],
  ['a deferred failure', withField('defa', 'a child failed'), theEvent],
  ['a result of an earlier run', { ...withField('returnvalue', '{'), stacktrace: '[', finishedOn: '1' }, theEvent],
];

(redisUrl() === undefined ? describe.skip : describe)('a job that a client wrote with plain Redis commands', () => {
  const prefix = `test_${randomBytes(6).toString('hex')}`;
  const key = (name: string) => `${prefix}:sms-events:${name}`;
  const taken: unknown[] = [];
  let redis: Redis;
  let engine: QueueEngine;
  let consumer: Consumer;

  beforeAll(() => {
    redis = new Redis(redisUrl() ?? '');
    engine = openQueueEngine({ redisUrl: redisUrl(), databaseUrl: '', prefix, redisTimeoutMs: 60_000 });
    consumer = consume(engine, 'sms-events', async ({ data }) => void taken.push(data), {
      concurrency: 5,
      // A job that had to stall before it is taken would take a minute.
      lockDuration: 60_000,
    });
  });
  afterAll(async () => {
    await consumer.close();
    await engine.close();
    redis.disconnect();
  });

  let pushed = 0;
  const push = async (fields: Fields) => {
    const id = `job-${++pushed}`;
    await redis.hset(key(id), fields);
    await redis.lpush(key('wait'), id);
  };
  const describeData = (data: unknown): Expected => {
    if (data instanceof UnreadableData) return { reason: data.reason };
    let depth = 0;
    for (let inner = data; Array.isArray(inner); inner = inner[0]) depth++;
    return { data: depth > 0 ? `depth ${depth}` : data };
  };
  const isEmpty = async () => (await redis.exists(...['wait', 'active', 'delayed', 'prioritized'].map(key))) === 0;

  test.each(jobs)('with %s is taken once, and so is the next job', async (_what, fields, expected) => {
    taken.length = 0;
    // The unreadable job is fetched once by itself, and once when the job before it is finished.
    for (const each of [withData('"first"'), fields, withData('"second"'), fields, withData('"last"')])
      await push(each);
    await redis.zadd(key('marker'), 0, '0');
    await until(isEmpty, () => `all are taken; taken were ${taken.length}`);
    const others = ['first', 'second', 'last'];
    expect(taken.filter((data) => others.includes(data as string))).toHaveLength(3);
    expect(taken.filter((data) => !others.includes(data as string)).map(describeData)).toEqual([expected, expected]);
  });
});

const withSize = (bytes: number, character = 'x') =>
  `{"payload":"${character.repeat((bytes - 14) / Buffer.byteLength(character))}"}`;

test.each(['x', 'ü'])(
  'data of the maximum size is read, and larger data keeps its first 1,000 characters',
  (character) => {
    expect(readEventData(withSize(maxDataBytes, character))).toMatchObject({ payload: expect.any(String) });
    const tooLarge = withSize(maxDataBytes + 2, character);
    expect(Buffer.byteLength(tooLarge)).toBe(maxDataBytes + 2);
    expect(readEventData(tooLarge)).toEqual(
      new UnreadableData(
        tooLarge.slice(0, 1_000),
        'the data of the job has 16777218 bytes, and at most 16777216 are taken',
      ),
    );
  },
);
