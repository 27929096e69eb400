import { expect, test } from '@jest/globals';
import { readMessage } from './message.js';

const accountId = '180ebbb5-9b6f-4c51-a98a-0123456789ab';
const read = (body: string | Buffer, event?: string, defaultEvent?: string) =>
  readMessage({ body: Buffer.from(body), event }, { defaultEvent }, () => Promise.reject(new Error('unexpected')));

test('the event is named by the body, else by the message, else by the option', async () => {
  const named = JSON.stringify({ event: 'rcs:message:in', account_id: accountId, payload: { id: '1' } });
  const unnamed = JSON.stringify({ account_id: accountId, payload: { id: '1' } });
  expect((await read(named, 'rcs:message:status', 'sms:message:status')).name).toBe('rcs:message:in');
  expect((await read(unnamed, 'rcs:message:status', 'sms:message:status')).name).toBe('rcs:message:status');
  expect((await read(unnamed, undefined, 'sms:message:status')).name).toBe('sms:message:status');
  expect((await read('{"event":null}', 'rcs:message:in')).name).toBe('rcs:message:in');
  expect((await read(unnamed)).name).toBe('');
});

test('the fields of the body are kept, and the payload keeps its exact text', async () => {
  const exact = '{"account_id":"a","event_id":"e","payload":{"id":"1","units":2}}';
  expect(await read(exact)).toEqual({ name: '', data: JSON.parse(exact) });
  const payload = '{"id":"1", "cost":2.0000,"n":12345678901234567890}';
  expect((await read(`{"identity":"number:1","payload":${payload}}`)).data).toEqual({ identity: 'number:1', payload });
});

test('a body that cannot be read has a reason and keeps its text, or the start of a text that is too large', async () => {
  expect(await read('{"payload":', 'sms:message:status')).toEqual({
    name: 'sms:message:status',
    data: '{"payload":',
    unreadableReason: 'the message is not JSON',
  });
  expect(await read('')).toMatchObject({ data: '', unreadableReason: 'the message is empty' });
  expect(await read(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({
    data: '"\uFFFD"',
    unreadableReason: 'the message is not UTF-8',
  });
  expect(await read(Buffer.alloc(16 * 1024 * 1024 + 1, 0x20))).toEqual({
    name: '',
    data: ' '.repeat(1_000),
    unreadableReason: 'the message has 16777217 bytes, and the maximum is 16777216',
  });
});

test('an event that is not a name makes a body unreadable, with its text kept, and is empty if a header has it', async () => {
  const long = 'x'.repeat(256);
  const unreadableReason = 'the message has an event that is not a name';
  for (const event of [{ card: '4111' }, ['a'], 7, true, long]) {
    const body = JSON.stringify({ event, payload: {} });
    expect(await read(body, 'sms:message:status')).toEqual({ name: '', data: body, unreadableReason });
  }
  expect(await read('{"payload":{}}', long, 'sms:message:status')).toEqual({ name: '', data: { payload: {} } });
  expect((await read('{"payload":{}}', '', 'sms:message:status')).name).toBe('sms:message:status');
});

test.each(['[1]', 'null', '1', '"text"'])('%s is data, which is checked later', async (body) => {
  expect(await read(body, 'sms:message:status')).toEqual({ name: 'sms:message:status', data: JSON.parse(body) });
});
