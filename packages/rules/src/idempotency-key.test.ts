import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.js';
import { parseExactJson, stringifyExactJson } from './exact-json.js';
import { hasSameContent, idempotencyKey } from './idempotency-key.js';
import { parseEvent } from './parse-event.js';

const account = '6c84fb90-12c4-11e1-840d-7b25c5ee775a';
const webhook = '110ec58a-a0f2-4ac4-8393-c866d813b8d1';
const sms = { event: 'sms:message:status', account_id: account, payload: { id: 'b34e35ad:1', status: 'DELIVRD' } };

const parse = (input: object) => {
  const result = parseEvent(input);
  if (!result.ok) throw new Error(result.reason);
  return result.event;
};

describe('idempotencyKey', () => {
  const key = (input: object) => idempotencyKey(parse({ ...sms, ...input }));

  test('depends on nothing but the event_id when there is one', () => {
    const withEventId = key({ event_id: 'e' });
    expect(key({ event_id: 'e', identity: 'number:1', payload: { id: 'other' } })).toBe(withEventId);
    expect(withEventId).not.toBe(key({}));
  });

  test('differs by name, account, webhook, identity and event_id, and by everything in the payload', () => {
    const rcs = { event: 'rcs:message:status', payload: { id: 'r', status: 'read', read_at: '2026-01-15T09:32:07Z' } };
    const inbound = {
      event: 'rcs:message:in',
      payload: { id: 'i', message: { type: 'text', payload: { text: 'a' } } },
    };
    const keys = [
      key({}),
      key({ payload: { ...sms.payload, id: 'other' } }),
      key({ payload: { ...sms.payload, status: 'EXPIRED' } }),
      key({ payload: { ...sms.payload, part: 1 } }),
      key({ payload: { ...sms.payload, part: 2 } }),
      key({ payload: { ...sms.payload, part: '2' } }),
      key({ payload: { ...sms.payload, part: null } }),
      key({ payload: { ...sms.payload, part: {} } }),
      key({ payload: { ...sms.payload, part: [] } }),
      key({ payload: { ...sms.payload, status: 'UNDELIV err:1' } }),
      key({ payload: { ...sms.payload, status: 'UNDELIV err:11' } }),
      key({ payload: { id: 'b34e35ad:1' } }),
      key(rcs),
      key({ ...rcs, payload: { ...rcs.payload, read_at: '2026-01-15T09:32:08Z' } }),
      key(inbound),
      key({ ...inbound, payload: { id: 'i', message: { type: 'text', payload: { text: 'b' } } } }),
      key({ event: 'rcs:message:status' }),
      key({ event: 'rcs:message:in' }),
      key({ webhook_id: webhook }),
      key({ event_id: 'b34e35ad:1' }),
      key({ account_id: webhook }),
      key({ identity: 'number:1' }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('keeps numbers as they are written', () => {
    const numbers = ['2', '2.0', '2.0000', '2e0', '-0', '0', '12345678901234567890', '12345678901234567891'];
    const keys = numbers.map((number) => key({ payload: `{"id":"x","n":${number}}` }));
    expect(new Set(keys).size).toBe(numbers.length);
  });

  test('is the same for any order of keys, white space and escapes, and for a payload as a text', () => {
    const object = { id: 'x', b: { d: [1, { f: 1, e: 'é/"\\' }], c: null }, a: true };
    const text =
      '\n{ "a" :true, "b":{"c":null,\t"d":[ 1,{"e":"\\u00e9\\/\\"\\\\","f":1}\r\n] }, "a":1, "a":true, "\\u0069d":"x" } ';
    expect(key({ payload: text })).toBe(key({ payload: object }));
    expect(key({ payload: JSON.stringify(object) })).toBe(key({ payload: object }));
  });
});

test('contents are the same unless the identity or something in the payload differs', () => {
  const content = (payload: string, identity: string | null = null) => ({ payload, identity });
  expect(hasSameContent(content('{"a":1,"b":2}'), content('{ "b":2, "a":1 }'))).toBe(true);
  expect(hasSameContent(content('{"a":1}'), content('{"a":1.0}'))).toBe(false);
  expect(hasSameContent(content('{}'), content('{}', 'number:1'))).toBe(false);
});

describe('canonicalJson', () => {
  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, sorted(member)]))
        : value;

  test('keeps the content of every JSON text, and does not change its own result', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const canonical = canonicalJson(JSON.stringify(value, null, indent));
        expect(JSON.parse(canonical)).toEqual(JSON.parse(JSON.stringify(sorted(value))));
        expect(canonicalJson(canonical)).toBe(canonical);
        expect(canonical).toBe(canonicalJson(stringifyExactJson(parseExactJson(canonical))));
      }),
    );
  });

  test('ends for text that is not JSON', () => {
    for (const text of ['', '{', '[', '"', '{"a"', '{"a":', '[1', '}', '{]', '[}', '"\\', '\0'])
      expect(() => [canonicalJson(text)]).not.toThrow(RangeError);
  });

  test('takes linear time', () => {
    const escaped = JSON.stringify({ a: '"\\'.repeat(500_000), b: [...'[]'.repeat(100_000)] });
    expect(canonicalJson(escaped)).toHaveLength(escaped.length);
  });
});
