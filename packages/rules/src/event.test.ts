import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type NewEvent, idempotencyKey, parseEvent, hasSameContent } from './event.js';
import { canonicalJson, parseExactJson, stringifyExactJson } from './json.js';

const account = '6c84fb90-12c4-11e1-840d-7b25c5ee775a';
const webhook = '110ec58a-a0f2-4ac4-8393-c866d813b8d1';
const sms = {
  event: 'sms:message:status',
  account_id: account,
  payload: { id: 'b34e35ad:1', status: 'DELIVRD', mobile: '91' },
};

const parse = (input: unknown): NewEvent => {
  const result = parseEvent(input);
  if (!result.ok) throw new Error(result.reason);
  return result.event;
};

describe('parseEvent', () => {
  test('parses an SMS report', () => {
    expect(parse(sms)).toEqual({
      name: 'sms:message:status',
      accountId: account,
      webhookId: null,
      identity: null,
      platformEventId: null,
      payload: '{"id":"b34e35ad:1","status":"DELIVRD","mobile":"91"}',
      messageId: 'b34e35ad:1',
      mobile: '91',
    });
  });

  test.each([
    [{ ...sms, account_id: undefined, webhook_id: webhook }],
    [{ ...sms, account_id: null, webhook_id: webhook, identity: null, event_id: null }],
    [{ ...sms, identity: 'number:1', event_id: 'constructor', more: 1 }],
    [{ ...sms, payload: { id: 'x', status: 'DLT-REJECTED', deep: [[[]]], nothing: null, text: 'null' } }],
    [{ ...sms, payload: { id: 'x', user_info: [] } }],
    [{ ...sms, payload: '{"id":"x"}' }],
    [{ ...sms, account_id: account.toUpperCase() }],
    [{ ...sms, event: 'rcs:message:in', payload: { id: 'not a uuid', message: { type: 'unheard of' } } }],
  ])('accepts %j', (input) => {
    expect(parseEvent(input)).toMatchObject({ ok: true });
  });

  test.each([
    ['webhookId', 'webhook_id'],
    ['webhook-id', 'webhook_id'],
    ['WEBHOOK_ID', 'webhook_id'],
    ['accountId', 'account_id'],
    ['eventId', 'event_id'],
    ['Identity', 'identity'],
  ])('refuses the misspelt field %s, without which the event would go to others', (name, field) => {
    const result = parseEvent({ ...sms, [field]: undefined, [name]: webhook });
    expect(result).toMatchObject({ ok: false, reason: expect.stringMatching(`^${name} is not a field of an event`) });
    expect(parseEvent({ ...sms, [`${name}_of_the_sender`]: webhook })).toMatchObject({ ok: true });
  });

  test('ignores a field like webhookId beside the field itself', () => {
    const ids = { account_id: account, webhook_id: webhook, identity: 'number:1', event_id: 'e' };
    const more = { accountId: account, webhookId: '', 'Webhook-Id': 7, Identity: 'number:2', eventid: 'f' };
    expect(parse({ ...sms, ...ids, ...more })).toEqual(parse({ ...sms, ...ids }));
  });

  test('a misspelt field that is null counts as absent', () => {
    const nothing = { webhookId: null, accountId: null, Identity: undefined, eventId: null };
    expect(parse({ ...sms, ...nothing })).toEqual(parse(sms));
    expect(parseEvent({ ...sms, webhookId: '' })).toMatchObject({ ok: false });
  });

  test('an empty account_id is absent, but not an empty webhook_id, without which the event would go to others', () => {
    expect(parse({ ...sms, account_id: '', webhook_id: webhook }).accountId).toBeNull();
    expect(parseEvent({ ...sms, webhook_id: '' })).toMatchObject({ reason: 'webhook_id must be a UUID' });
    const neither = 'account_id is required when webhook_id is absent';
    expect(parseEvent({ ...sms, account_id: '' })).toMatchObject({ reason: neither });
  });

  test.each([null, undefined, ''])('identity and event_id of %p are absent', (value) => {
    const event = parse({ ...sms, identity: value, event_id: value });
    expect(event).toEqual(parse(sms));
    expect(idempotencyKey(event)).toBe(idempotencyKey(parse(sms)));
  });

  test('trims identity; white space alone counts as absent', () => {
    expect(parse({ ...sms, identity: ' \tnumber:1\u00a0\n' }).identity).toBe('number:1');
    expect(parse({ ...sms, identity: '  ' }).identity).toBeNull();
    expect(parse({ ...sms, identity: ` ${'x'.repeat(255)} ` }).identity).toHaveLength(255);
  });

  test('payload.id has up to 255 characters; an emoji counts as one', () => {
    const id = '😀'.repeat(255);
    expect(parse({ ...sms, payload: { id } }).messageId).toBe(id);
  });

  test('uses the decimal digits of an integer payload.id, and leaves the payload unchanged', () => {
    for (const [written, id] of [
      ['7', '7'],
      ['-1', '-1'],
      ['0', '0'],
      ['9007199254740993', '9007199254740993'],
      ['123456789012345678901234567890', '123456789012345678901234567890'],
    ]) {
      const payload = `{"id":${written},"status":"DELIVRD"}`;
      const event = parse({ ...sms, payload });
      expect(event).toMatchObject({ messageId: id, payload });
      expect(parseEvent({ ...sms, payload: JSON.parse(payload) }, payload)).toEqual({ ok: true, event });
    }
    expect(parse({ ...sms, payload: { id: 1e21 } }).messageId).toBe('1000000000000000000000');
    for (const id of [1.5, true, null, {}, [7]]) {
      expect(parseEvent({ ...sms, payload: { id } })).toMatchObject({
        errors: { 'payload.id': ['payload.id must be a string or an integer'] },
      });
    }
  });

  test('keeps a payload that is JSON text byte for byte', () => {
    const payload = '{ "units" : 2.0, "id":"x", "2":1, "1":"\\u00e9" }';
    expect(parse({ ...sms, payload }).payload).toBe(payload);
  });

  test('keeps the source text of a payload that is an object', () => {
    const payload = '{"id":"x","credits":2.0000,"n":12345678901234567890,"e":1e2,"a":1,"a":2}';
    expect(parseEvent({ ...sms, payload: JSON.parse(payload) }, payload)).toMatchObject({
      ok: true,
      event: { payload },
    });
  });

  test('counts the depth of a duplicate member that JSON.parse drops', () => {
    const payload = `{"a":${'['.repeat(64)}${']'.repeat(64)},"a":1,"id":"x"}`;
    const refused = { ok: false, reason: 'payload is nested too deeply' };
    expect(parseEvent({ ...sms, payload })).toMatchObject(refused);
    expect(parseEvent({ ...sms, payload: JSON.parse(payload) }, payload)).toMatchObject(refused);
  });

  test.each([
    [{ mobile: '91', to: '92' }, '91'],
    [{ to: '92' }, '92'],
    [{ recipient: { from: '93' } }, '93'],
    [{ mobile: 91, recipient: [] }, null],
    [{ ['__proto__']: { mobile: '91' } }, null],
    [{ mobile: '9'.repeat(300) }, '9'.repeat(255)],
    [{ mobile: `9${'😀'.repeat(300)}` }, `9${'😀'.repeat(254)}`],
  ])('the mobile number of %j is %j', (fields, mobile) => {
    expect(parse({ ...sms, payload: JSON.stringify({ id: 'x', ...fields }) }).mobile).toBe(mobile);
  });

  test.each([64, 65])('accepts a payload of at most 64 levels: %i levels', (depth) => {
    const payload = `{"id":"x","a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(parseEvent({ ...sms, payload }).ok).toBe(depth === 64);
  });

  test('never throws, and gives a reason of one line for each refusal', () => {
    const anything = fc.anything({ withBigInt: true, withNullPrototype: true, withMap: true, withSparseArray: true });
    const inputs = fc.oneof(
      anything,
      anything.map((payload) => ({ ...sms, payload })),
      anything.map((more) => ({ ...sms, payload: { id: 'x', more } })),
    );
    fc.assert(
      fc.property(inputs, (input) => {
        const result = parseEvent(input);
        if (result.ok) expect(JSON.parse(result.event.payload)).toHaveProperty('id');
        else expect(result.reason).not.toBe('');
        expect(result.ok ? '' : result.reason).not.toContain('\n');
      }),
    );
  });

  test.each([
    [{ ...sms, event: 'sms:unknown' }, 'event', 'event must be one of'],
    // Only Ringback reports this event.
    [{ ...sms, event: 'webhook:paused' }, 'event', 'event must be one of'],
    [{ ...sms, event: undefined }, 'event', 'event is required'],
    [{ ...sms, account_id: undefined }, 'account_id', 'account_id is required'],
    [{ ...sms, account_id: 'me' }, 'account_id', 'account_id must be a UUID'],
    [{ ...sms, webhook_id: 7 }, 'webhook_id', 'webhook_id must be a UUID'],
    [{ ...sms, webhook_id: '' }, 'webhook_id', 'webhook_id must be a UUID'],
    [{ ...sms, identity: 'x'.repeat(256) }, 'identity', 'longer than 255'],
    [{ ...sms, event_id: 0 }, 'event_id', 'event_id must be a string'],
    [{ ...sms, event_id: 'x'.repeat(256) }, 'event_id', 'longer than 255'],
    [{ ...sms, event_id: 'a\0' }, 'event_id', 'not allowed'],
    [{ ...sms, payload: undefined }, 'payload', 'payload is required'],
    [{ ...sms, payload: [] }, 'payload', 'payload must be an object'],
    [{ ...sms, payload: '[1]' }, 'payload', 'payload must be an object'],
    [{ ...sms, payload: '{"id":' }, 'payload', 'payload must be an object'],
    [{ ...sms, payload: {} }, 'payload.id', 'payload.id is required'],
    [{ ...sms, payload: { id: '' } }, 'payload.id', 'payload.id must not be empty'],
    [{ ...sms, payload: { id: 1.5 } }, 'payload.id', 'payload.id must be a string'],
    [{ ...sms, payload: { id: 'x'.repeat(256) } }, 'payload.id', 'longer than 255'],
    [{ ...sms, payload: { id: '😀'.repeat(256) } }, 'payload.id', 'longer than 255'],
    [{ ...sms, payload: { id: 'a\0' } }, 'payload.id', 'not allowed'],
    [{ ...sms, payload: '{"id":"a\\u0000"}' }, 'payload.id', 'not allowed'],
    [{ ...sms, payload: '{"id":"a","text":"\0"}' }, 'payload', 'payload must be an object'],
    [{ ...sms, payload: { id: 'x', mobile: '9\0' } }, 'payload.mobile', 'not allowed'],
    [{ ...sms, identity: '\ud800' }, 'identity', 'not allowed'],
    [{ ...sms, payload: { id: 'x', big: 1n } }, 'payload', 'payload must be an object'],
    ['text', 'event', 'an event must be an object'],
    [null, 'event', 'an event must be an object'],
    [[], 'event', 'an event must be an object'],
  ])('refuses %p with an error for %s', (input, field, words) => {
    const result = parseEvent(input);
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining(words) });
    expect(result.ok ? {} : result.errors).toHaveProperty([field]);
  });

  test('refuses a payload 100,000 levels deep without exhausting the stack', () => {
    const payload = `{"id":"x","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(parseEvent({ ...sms, payload })).toMatchObject({ ok: false, reason: 'payload is nested too deeply' });
    expect(parseEvent({ ...sms, payload: JSON.parse(payload) })).toMatchObject({ ok: false });
  });
});

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

  test('takes linear time', () => {
    const escaped = JSON.stringify({ a: '"\\'.repeat(500_000), b: [...'[]'.repeat(100_000)] });
    expect(canonicalJson(escaped)).toHaveLength(escaped.length);
  });
});
