import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parseEvent } from './event.js';
import { memberSources } from './json-source.js';

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

describe.each(broken)('the broken document %s', (_name, text) => {
  test.each([
    ['as a payload', text],
    ['within a payload', `{"id":"1","value":${text}}`],
  ])('%s is refused with a reason', (_place, payload) => {
    expect(payloadOf(parseEvent({ ...envelope, payload }))).toEqual({
      payload: [expect.stringMatching(/^payload must /)],
    });
  });
});

describe.each(valid)('the document %s', (_name, text) => {
  const payload = `{"id":"1","value":${text}}`;
  test('within a payload that is text is kept byte for byte', () => {
    expect(payloadOf(parseEvent({ ...envelope, payload }))).toBe(payload);
  });
  test('within a payload that is an object is kept byte for byte', () => {
    const source = `{"event":"${envelope.event}", "payload" : ${payload} ,"webhook_id":"${envelope.webhook_id}"}`;
    expect(payloadOf(parseEvent(JSON.parse(source), memberSources(source, 'payload')[0]))).toBe(payload);
  });
});

test.each(either)('the document %s within a payload is kept byte for byte, or refused with a reason', (_name, text) => {
  const payload = `{"id":"1","value":${text}}`;
  const parsed = payloadOf(parseEvent({ ...envelope, payload }));
  if (typeof parsed === 'string') expect([parsed, JSON.parse(payload).id]).toEqual([payload, '1']);
  else expect(parsed).toEqual({ payload: [expect.stringMatching(/^payload (must|is nested) /)] });
});
