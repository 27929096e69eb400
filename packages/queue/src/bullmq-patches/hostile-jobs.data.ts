import { reservedKeys } from './bullmq-keys.js';

/** A job that a client writes with plain Redis commands. */
export type RawJob = {
  id: string | Buffer;
  /** The fields of the job's hash. */
  fields: Record<string, string | Buffer>;
  /** The key that gets the id: `wait` when absent, none for `nowhere`. */
  list?: 'prioritized' | 'delayed' | 'nowhere';
  /** What a worker receives: the data (of nested arrays, only their depth), or why the data cannot be read. */
  expected: { data: unknown } | { reason: string };
};

const goodData = { id: 'the event' };
const plainFields = {
  name: 'sms:message:status',
  timestamp: '1700000000000',
  delay: '0',
  priority: '0',
  opts: '{"attempts":0}',
};
const tooManyBytes = 16 * 1024 * 1024 + 1;

const jobWithData = (
  name: string,
  data: string | Buffer | undefined,
  expected: RawJob['expected'],
): [string, RawJob] => [
  `data: ${name}`,
  {
    id: `data-${name.replaceAll(/\W/g, '-')}`,
    fields: { ...plainFields, ...(data === undefined ? {} : { data }) },
    expected,
  },
];
const jobWithFields = (name: string, fields: RawJob['fields']): [string, RawJob] => [
  `field: ${name}`,
  {
    id: `field-${name.replaceAll(/\W/g, '-')}`,
    fields: { ...plainFields, data: JSON.stringify(goodData), ...fields },
    expected: { data: goodData },
  },
];
const jobWithId = (id: string | Buffer, list?: RawJob['list']): [string, RawJob] => [
  `id: ${id.toString()} in ${list ?? 'wait'}`,
  {
    id,
    fields: { ...plainFields, data: JSON.stringify(goodData) },
    ...(list ? { list } : {}),
    expected: { data: goodData },
  },
];

const notJson = { reason: 'the data of the job is not JSON' };
const roundedPayload = '{ "id": 9007199254740993, "credits": 2.0000 }';
const deepArray = '['.repeat(100_000) + ']'.repeat(100_000);

export const hostileJobs: [string, RawJob][] = [
  jobWithData('broken', '{broken', notJson),
  jobWithData('cut off', '{"payload":{"id":"a"', notJson),
  jobWithData('not a number', 'NaN', notJson),
  jobWithData('two documents', '{}{}', notJson),
  jobWithData('a Python literal', "{'id': None}", notJson),
  jobWithData('a NUL', '\0', notJson),
  jobWithData('binary', Buffer.from([0x83, 0xa1, 0x61, 0x01, 0xff]), { reason: 'the data of the job is not UTF-8' }),
  jobWithData('Latin-1', Buffer.from('{"id":"caf\xe9"}', 'latin1'), { reason: 'the data of the job is not UTF-8' }),
  jobWithData('a replacement character', '{"id":"\uFFFD"}', { data: { id: '\uFFFD' } }),
  jobWithData('empty', '', { data: {} }),
  jobWithData('missing', undefined, { data: {} }),
  jobWithData('null', 'null', { data: null }),
  jobWithData('a number', '17', { data: 17 }),
  jobWithData('a text', '"x"', { data: 'x' }),
  jobWithData('10 MB', JSON.stringify('x'.repeat(10_000_000)), { data: 'x'.repeat(10_000_000) }),
  jobWithData('17 MB', JSON.stringify('x'.repeat(tooManyBytes)), {
    reason: `the data of the job has ${tooManyBytes + 2} bytes, and at most 16777216 are taken`,
  }),
  jobWithData('depth 100,000', deepArray, { data: 'depth 100000' }),
  jobWithData('a payload 100,000 levels deep', `{"payload":{"id":${deepArray}}}`, {
    data: { payload: `{"id":${deepArray}}` },
  }),
  jobWithData('a payload with numbers that JavaScript rounds', `{"a":1,"payload":${roundedPayload}}`, {
    data: { a: 1, payload: roundedPayload },
  }),
  jobWithData('a payload that JavaScript represents exactly', '{"payload":{"id":7,"units":1.5}}', {
    data: { payload: { id: 7, units: 1.5 } },
  }),
  jobWithFields('opts broken', { opts: '{' }),
  jobWithFields('opts null', { opts: 'null' }),
  jobWithFields('opts that fail at once', { opts: '{"attempts":-1,"backoff":{"type":"unheard"},"de":{"id":1}}' }),
  jobWithFields('progress broken', { progress: '{' }),
  jobWithFields('progress of a poison job', { progress: '{"starts":0}' }),
  jobWithFields('parent broken', { parent: '{', parentKey: 'x:y:z' }),
  jobWithFields('parent of another type', { parent: '17', parentKey: 'x' }),
  jobWithFields('parent without a queue', { parent: '{"id":"a"}', parentKey: 'a' }),
  jobWithFields('parent that is gone', { parent: '{"id":"a","queueKey":"gone:q"}', parentKey: 'gone:q:a' }),
  jobWithFields('starts not a number', { ats: 'x' }),
  jobWithFields('stalls not a number', { stc: '1e99' }),
  jobWithFields('attempts not a number', { atm: '{}' }),
  jobWithFields('timestamp not a number', { timestamp: 'yesterday' }),
  jobWithFields('timestamp missing', { timestamp: '' }),
  jobWithFields('delay and priority not a number', { delay: 'x', priority: 'y' }),
  jobWithFields('another id', { id: 'another' }),
  jobWithFields('a deferred failure', { defa: 'a child failed' }),
  jobWithFields('a scheduler', { rjk: 'every-second' }),
  jobWithFields('an old repeat key', { rjk: 'name:id::UTC:* * * * *' }),
  jobWithFields('a result', { returnvalue: '{', failedReason: 'x', stacktrace: '[', finishedOn: '1' }),
  jobWithFields('a deduplication id', { deid: 'wait' }),
  jobWithFields('a large field', { opts: 'x'.repeat(tooManyBytes) }),
  ...Object.keys(reservedKeys).map((id) => jobWithId(id)),
  ...Object.keys(reservedKeys).map((id) => jobWithId(id, 'nowhere')),
  jobWithId('de'),
  jobWithId('metrics'),
  jobWithId('repeat:x'),
  jobWithId('17'),
  jobWithId('0:17'),
  jobWithId('0:0'),
  jobWithId('a b\nc'),
  jobWithId('übung'),
  jobWithId(Buffer.from([0x69, 0xff, 0xfe])),
  jobWithId('x:logs'),
  jobWithId('x:lock'),
  jobWithId('x:dependencies'),
  jobWithId('..'),
  jobWithId('x'.repeat(10_000)),
  jobWithId('with-a-priority', 'prioritized'),
  jobWithId('wait', 'delayed'),
  jobWithId('with-a-delay', 'delayed'),
];
