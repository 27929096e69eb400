import { describe, expect, test } from '@jest/globals';
import { idempotencyKey } from './idempotency-key.js';
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

  test('does not depend on other fields of the payload', () => {
    expect(key({ payload: { status: 'DELIVRD', id: 'b34e35ad:1', more: 1 } })).toBe(key({}));
    expect(key({ event_id: 'e', payload: { id: 'other' } })).toBe(key({ event_id: 'e' }));
    const rcsIn = { event: 'rcs:message:in', payload: { id: 'i', status: 'x' } };
    expect(key(rcsIn)).toBe(key({ ...rcsIn, payload: { id: 'i' } }));
  });

  test('differs by message, status, event, webhook, event_id and account', () => {
    const keys = [
      key({}),
      key({ payload: { ...sms.payload, id: 'other' } }),
      key({ payload: { ...sms.payload, status: 'EXPIRED' } }),
      key({ payload: { id: 'b34e35ad:1' } }),
      key({ event: 'rcs:message:status' }),
      key({ event: 'rcs:message:in' }),
      key({ webhook_id: webhook }),
      key({ event_id: 'b34e35ad:1' }),
      key({ account_id: webhook }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
