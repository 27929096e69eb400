import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parseEvent } from './parse-event.js';
import { failuresOf } from './failures.fixture.js';
import { memberTexts } from './scan-json.js';

type Documents = Record<'broken' | 'valid' | 'either', Record<string, string>>;
const file = new URL('../src/json-documents.json', import.meta.url);
const documents: Documents = JSON.parse(readFileSync(file, 'utf8'));
const { broken, valid, either } = Object.fromEntries(
  (['broken', 'valid', 'either'] as const).map((kind) => [
    kind,
    Object.entries(documents[kind]).map(([name, bytes]) => [name, Buffer.from(bytes, 'latin1').toString()] as const),
  ]),
) as Record<keyof Documents, (readonly [string, string])[]>;

const envelope = { event: 'sms:message:status', webhook_id: '0190a0a0-0000-7000-8000-000000000000' };
const payloadOf = (parsed: ReturnType<typeof parseEvent>) => (parsed.ok ? parsed.event.payload : parsed.errors);

const within = (text: string): string => `{"id":"1","value":${text}}`;
const refusal = { payload: [expect.stringMatching(/^payload must /)] };

test('each broken document as a payload is refused with a reason', () => {
  const failures = failuresOf(broken, ([, text]) => {
    expect(payloadOf(parseEvent({ ...envelope, payload: text }))).toEqual(refusal);
  });
  expect(failures).toEqual([]);
});

test('each broken document within a payload is refused with a reason', () => {
  const failures = failuresOf(broken, ([, text]) => {
    expect(payloadOf(parseEvent({ ...envelope, payload: within(text) }))).toEqual(refusal);
  });
  expect(failures).toEqual([]);
});

test('each valid document within a payload that is text is kept byte for byte', () => {
  const failures = failuresOf(valid, ([, text]) => {
    expect(payloadOf(parseEvent({ ...envelope, payload: within(text) }))).toBe(within(text));
  });
  expect(failures).toEqual([]);
});

test('each valid document within a payload that is an object is kept byte for byte', () => {
  const failures = failuresOf(valid, ([, text]) => {
    const payload = within(text);
    const source = `{"event":"${envelope.event}", "payload" : ${payload} ,"webhook_id":"${envelope.webhook_id}"}`;
    expect(payloadOf(parseEvent(JSON.parse(source), memberTexts(source, 'payload')[0]))).toBe(payload);
  });
  expect(failures).toEqual([]);
});

test('each document that parsers may treat either way is kept byte for byte or refused with a reason', () => {
  const failures = failuresOf(either, ([, text]) => {
    const payload = within(text);
    const parsed = payloadOf(parseEvent({ ...envelope, payload }));
    if (typeof parsed === 'string') expect([parsed, JSON.parse(payload).id]).toEqual([payload, '1']);
    else expect(parsed).toEqual({ payload: [expect.stringMatching(/^payload (must|is nested) /)] });
  });
  expect(failures).toEqual([]);
});
