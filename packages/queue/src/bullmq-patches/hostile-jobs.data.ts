import { reservedKeys } from './bullmq-keys.js';

/** A job that a client writes with plain Redis commands: the fields of its hash, and the list that gets its id. */
export type RawJob = {
  id: string | Buffer;
  fields: Record<string, string | Buffer>;
  /** The list that gets the id; `wait` when absent. */
  list?: 'prioritized' | 'delayed' | 'nowhere';
  /** What a worker receives: the data, or why it cannot be read. */
  expected: { data: unknown } | { reason: string };
};

const good = { id: 'the event' };
const plain = {
  name: 'sms:message:status',
  timestamp: '1700000000000',
  delay: '0',
  priority: '0',
  opts: '{"attempts":0}',
};
const tooManyBytes = 16 * 1024 * 1024 + 1;

const jobOfData = (name: string, data: string | Buffer | undefined, expected: RawJob['expected']): [string, RawJob] => [
  `data: ${name}`,
  {
    id: `data-${name.replaceAll(/\W/g, '-')}`,
    fields: { ...plain, ...(data === undefined ? {} : { data }) },
    expected,
  },
];
const jobWith = (name: string, fields: RawJob['fields']): [string, RawJob] => [
  `field: ${name}`,
  {
    id: `field-${name.replaceAll(/\W/g, '-')}`,
    fields: { ...plain, data: JSON.stringify(good), ...fields },
    expected: { data: good },
  },
];
const jobCalled = (id: string | Buffer, list?: RawJob['list']): [string, RawJob] => [
  `id: ${id.toString()} in ${list ?? 'wait'}`,
  { id, fields: { ...plain, data: JSON.stringify(good) }, ...(list ? { list } : {}), expected: { data: good } },
];

const notJson = { reason: 'the data of the job is not JSON' };
const rounded = '{ "id": 9007199254740993, "credits": 2.0000 }';
const deep = '['.repeat(100_000) + ']'.repeat(100_000);

export const hostileJobs: [string, RawJob][] = [
  jobOfData('broken', '{broken', notJson),
  jobOfData('cut off', '{"payload":{"id":"a"', notJson),
  jobOfData('not a number', 'NaN', notJson),
  jobOfData('two documents', '{}{}', notJson),
  jobOfData('a Python literal', "{'id': None}", notJson),
  jobOfData('a NUL', '\0', notJson),
  jobOfData('binary', Buffer.from([0x83, 0xa1, 0x61, 0x01, 0xff]), { reason: 'the data of the job is not UTF-8' }),
  jobOfData('Latin-1', Buffer.from('{"id":"caf\xe9"}', 'latin1'), { reason: 'the data of the job is not UTF-8' }),
  jobOfData('a replacement character', '{"id":"\uFFFD"}', { data: { id: '\uFFFD' } }),
  jobOfData('empty', '', { data: {} }),
  jobOfData('missing', undefined, { data: {} }),
  jobOfData('null', 'null', { data: null }),
  jobOfData('a number', '17', { data: 17 }),
  jobOfData('a text', '"x"', { data: 'x' }),
  jobOfData('10 MB', JSON.stringify('x'.repeat(10_000_000)), { data: 'x'.repeat(10_000_000) }),
  jobOfData('17 MB', JSON.stringify('x'.repeat(tooManyBytes)), {
    reason: `the data of the job has ${tooManyBytes + 2} bytes, and at most 16777216 are taken`,
  }),
  jobOfData('depth 100,000', deep, { data: 'depth 100000' }),
  jobOfData('a payload 100,000 levels deep', `{"payload":{"id":${deep}}}`, {
    data: { payload: `{"id":${deep}}` },
  }),
  jobOfData('a payload with numbers that JavaScript rounds', `{"a":1,"payload":${rounded}}`, {
    data: { a: 1, payload: rounded },
  }),
  jobOfData('a payload that JavaScript represents exactly', '{"payload":{"id":7,"units":1.5}}', {
    data: { payload: { id: 7, units: 1.5 } },
  }),
  jobWith('opts broken', { opts: '{' }),
  jobWith('opts null', { opts: 'null' }),
  jobWith('opts that fail at once', { opts: '{"attempts":-1,"backoff":{"type":"unheard"},"de":{"id":1}}' }),
  jobWith('progress broken', { progress: '{' }),
  jobWith('progress of a poison job', { progress: '{"starts":0}' }),
  jobWith('parent broken', { parent: '{', parentKey: 'x:y:z' }),
  jobWith('parent of another type', { parent: '17', parentKey: 'x' }),
  jobWith('parent without a queue', { parent: '{"id":"a"}', parentKey: 'a' }),
  jobWith('parent that is gone', { parent: '{"id":"a","queueKey":"gone:q"}', parentKey: 'gone:q:a' }),
  jobWith('starts not a number', { ats: 'x' }),
  jobWith('stalls not a number', { stc: '1e99' }),
  jobWith('attempts not a number', { atm: '{}' }),
  jobWith('timestamp not a number', { timestamp: 'yesterday' }),
  jobWith('timestamp missing', { timestamp: '' }),
  jobWith('delay and priority not a number', { delay: 'x', priority: 'y' }),
  jobWith('another id', { id: 'another' }),
  jobWith('a deferred failure', { defa: 'a child failed' }),
  jobWith('a scheduler', { rjk: 'every-second' }),
  jobWith('an old repeat key', { rjk: 'name:id::UTC:* * * * *' }),
  jobWith('a result', { returnvalue: '{', failedReason: 'x', stacktrace: '[', finishedOn: '1' }),
  jobWith('a deduplication id', { deid: 'wait' }),
  jobWith('a large field', { opts: 'x'.repeat(tooManyBytes) }),
  ...Object.keys(reservedKeys).map((id) => jobCalled(id)),
  ...Object.keys(reservedKeys).map((id) => jobCalled(id, 'nowhere')),
  jobCalled('de'),
  jobCalled('metrics'),
  jobCalled('repeat:x'),
  jobCalled('17'),
  jobCalled('0:17'),
  jobCalled('0:0'),
  jobCalled('a b\nc'),
  jobCalled('übung'),
  jobCalled(Buffer.from([0x69, 0xff, 0xfe])),
  jobCalled('x:logs'),
  jobCalled('x:lock'),
  jobCalled('x:dependencies'),
  jobCalled('..'),
  jobCalled('x'.repeat(10_000)),
  jobCalled('with-a-priority', 'prioritized'),
  jobCalled('wait', 'delayed'),
  jobCalled('with-a-delay', 'delayed'),
];
