import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parseEvent, parseExactJson } from '@ringback/rules';
import { type MappedMessage, mapMessage, parseMessageMap } from './message-map.js';

const map = (value: unknown) => parseMessageMap(typeof value === 'string' ? value : JSON.stringify(value));
const apply = (value: unknown, message: unknown): MappedMessage => {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  return mapMessage(map(value), parseExactJson(text), text);
};

const accountId = '180ebbb5-9b6f-4c51-a98a-0123456789ab';
const report = {
  kind: 'dlr',
  acct: accountId,
  ref: 77,
  dlr: { id: 'm-1', to: '9189', stat: 3 },
  tags: [{ 'a b': 'x' }],
};
const base = { event: 'sms:message:status', account_id: '$.acct', payload: '$.dlr' };

test('the example of the guide becomes a flat delivery report', () => {
  const guide = readFileSync(new URL('../../../../docs/guide/push.md', import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  const [, message = '', ofGuide = ''] = blocks;
  const mapped = apply(ofGuide, message);
  expect(mapped).toEqual({
    ok: true,
    event: 'sms:message:status',
    externalId: '10042',
    data: {
      payload:
        '{"id":"b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1","mobile":"918921269000","status":"DELIVRD","credits":0.075,' +
        '"deliv_time":"2026-11-27 10:15:31","channel":"sms"}',
    },
  });
  const data = mapped.ok ? mapped.data : {};
  expect(parseEvent({ ...data, event: 'sms:message:status', account_id: accountId })).toMatchObject({
    ok: true,
    event: { messageId: 'b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1', mobile: '918921269000' },
  });
  const other = message.replace('"dlr_status": 1', '"dlr_status": 99').replace(/"done_date".*\n/, '');
  const reason = '$.dlr_status (payload.status) has a value that is not in $values';
  expect(apply(ofGuide, other)).toMatchObject({ ok: false, reason: `the map does not fit the message: ${reason}` });
  expect(guide).toContain(reason);
});

describe('a map', () => {
  test.each<[string, object, object]>([
    ['constants and paths', base, { event: 'sms:message:status', data: { account_id: accountId } }],
    ['an integer as an id', { ...base, event_id: '$.ref' }, { data: { event_id: '77' } }],
    [
      'a table',
      { ...base, event: { $path: '$.kind', $values: { dlr: 'rcs:message:in' } } },
      { event: 'rcs:message:in' },
    ],
    [
      'a table with a constant for all else',
      { ...base, event: { $path: '$.kind', $values: {}, $default: 'rcs:message:in' } },
      { event: 'rcs:message:in' },
    ],
    [
      'a table that keeps all else',
      { ...base, payload: { id: '1', status: { $path: '$.dlr.stat', $values: { 1: 'ok' }, $default: '$.dlr.stat' } } },
      { data: { payload: '{"id":"1","status":3}' } },
    ],
    [
      'paths of all kinds',
      {
        ...base,
        payload: { id: "$['dlr']['id']", tag: "$.tags[0]['a b']", n: null, o: { of: '$.ref' }, no: '$.none?' },
      },
      { data: { payload: '{"id":"m-1","tag":"x","n":null,"o":{"of":77}}' } },
    ],
    ['optional ids that are absent', { ...base, event_id: '$.none?', identity: '$.dlr.none?' }, { ok: true }],
    ['no event', { account_id: '$.acct', payload: '$.dlr' }, { event: undefined }],
  ])('%s', (_name, given, expected) => {
    expect(apply(given, report)).toMatchObject(expected);
  });

  test('the whole message is kept byte for byte, and a part of it with its digits', () => {
    const text = '{ "id": "1",  "n": 2.0000, "part": {"id" : 12345678901234567890}, "text": "{\\"id\\":  1}" }';
    const payloadOf = (payload: unknown) => {
      const mapped = apply({ ...base, account_id: accountId, payload }, text);
      return mapped.ok ? mapped.data['payload'] : mapped.reason;
    };
    expect(payloadOf('$')).toBe(text);
    expect(payloadOf('$.part')).toBe('{"id":12345678901234567890}');
    expect(payloadOf('$.text')).toBe('{"id":  1}');
    expect(payloadOf('$.n')).toContain('$.n (payload) is not an object, or the JSON text of one');
  });

  test.each<[string, object, string]>([
    [
      'a path without a value',
      { ...base, payload: { id: '$.dlr.msg' } },
      '$.dlr.msg (payload.id) is not in the message',
    ],
    [
      'an account that is an object',
      { ...base, account_id: '$.dlr' },
      '$.dlr (account_id) is not a text or an integer',
    ],
    [
      'a name that only the prototype has',
      { ...base, identity: '$.constructor' },
      '$.constructor (identity) is not in',
    ],
    [
      'a table without the value',
      { ...base, event: { $path: '$.kind', $values: {} } },
      '$.kind (event) has a value that',
    ],
    ['a table of the prototype', { ...base, event_id: { $path: '$.p', $values: {} } }, '$.p (event_id) has a value'],
    ['an empty account', { ...base, account_id: '$.empty' }, '$.empty (account_id) is empty'],
    ['null in place of an account', { ...base, account_id: '$.nothing' }, '$.nothing (account_id) is empty'],
    ['a character that cannot be stored', { ...base, event_id: '$.nul' }, '$.nul (event_id) is not a text or'],
    [
      'null in place of the message id',
      { ...base, payload: { id: '$.nothing' } },
      '$.nothing (payload.id) is not a text',
    ],
    ['a text as payload', { ...base, payload: '$.tags' }, '$.tags (payload) is not an object'],
  ])('does not fit %s, and the reason names the path', (_name, given, reason) => {
    const message = { ...report, empty: '', nothing: null, nul: 'a\0', p: 'toString' };
    const mapped = apply(given, message);
    expect(mapped.ok ? '' : mapped.reason).toContain(`the map does not fit the message: ${reason}`);
  });

  test('does not fit messages that are no objects, or nested too deeply', () => {
    const reasonFor = (message: string) => {
      const mapped = apply(base, message);
      return mapped.ok ? 'none' : mapped.reason;
    };
    for (const message of ['[1]', '"text"', 'null', '7.50'])
      expect(reasonFor(message)).toContain('$.acct (account_id)');
    expect(reasonFor(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toBe('the message is nested too deeply');
  });
});

test.each<[unknown, string]>([
  ['{\n  "event": "x",\n  oops\n}', 'line 3, column 3: this is not JSON'],
  ['{"a":1', 'this is not JSON'],
  ['[]', 'a map must be a JSON object'],
  [{ ...base, acount: '$.a' }, 'acount: a map has no such field; its fields are event, account_id, external_id, '],
  [{ account_id: '$.a' }, 'payload: is required'],
  [{ payload: '$' }, 'account_id: it is required, unless external_id or webhook_id is given'],
  [{ ...base, external_id: '$.a' }, 'external_id: account_id is given too'],
  [{ ...base, event: 'sms:status' }, 'event: must be one of sms:message:status, '],
  [{ ...base, event: { $path: '$.k', $values: { a: 'sms' } } }, 'event.$values.a: must be one of'],
  [{ ...base, event: { $path: '$.k', $values: {}, $default: 'sms' } }, 'event.$default: must be one of'],
  [{ ...base, event_id: 7 }, 'event_id: must be a text that is not empty'],
  [{ ...base, event_id: { a: '$.a' } }, 'event_id: must be a path, a table or a constant'],
  [{ ...base, account_id: '$.a[' }, 'account_id: "$.a[" is no path; write $.name, '],
  [{ ...base, account_id: '$..a' }, 'account_id: "$..a" is no path'],
  [{ ...base, account_id: '$.a[*]' }, 'account_id: "$.a[*]" is no path'],
  [{ ...base, account_id: '$a' }, 'account_id: "$a" is no path'],
  [{ ...base, payload: 'text' }, 'payload: must be a path, or an object with a source for each field'],
  [{ ...base, payload: { status: '$.s' } }, 'payload.id: is required'],
  [{ ...base, payload: { id: '$.i', a: { b: '$.' } } }, 'payload.a.b: "$." is no path'],
  [{ ...base, payload: { id: '$.i', a: [] } }, 'payload.a: must not be an array'],
  [{ ...base, payload: { id: '$.i', a: { $path: '$.a' } } }, 'payload.a.$values: must be an object'],
  [{ ...base, payload: { id: '$.i', a: { $values: {} } } }, 'payload.a.$path: must be a path'],
  [{ ...base, payload: { id: '$.i', a: { $pth: '$.a' } } }, 'payload.a.$pth: a table has only the fields'],
  [{ ...base, payload: { id: '$.i', a: { $path: '$.a', $values: { b: {} } } } }, 'payload.a.$values.b: must be a text'],
])('a mistake in a map is named with its place: %j', (given, message) => {
  expect(() => map(given)).toThrow(message);
});
