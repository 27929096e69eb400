import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { passesChallenge, composeVerificationRequest } from './verification.js';
import { composeCallback, plainBody, sign } from './callback.js';
import { parseTemplateValues } from './template.js';
import { createNaming, defaultNaming } from './naming.js';

test.each([
  ['abc', '{"a":1}', '1f14a62b15ba5095326d6c75c3e2e6b462dd71e1c4b7fbdac0f32309adb7be5f'],
  [
    '180ebbb5-9b6f-4c51-a98a-0123456789ab',
    '{"id":"b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1","mobile":"918921269000","status":"DELIVRD"}',
    '78eb8d4ae0d4e2631faf99a29febf3ac76283dcd795caf34b5ab22476661d548',
  ],
])('with the key %s, the signature of %s is %s', (key, body, signature) => {
  expect(sign(Buffer.from(body), key)).toBe(signature);
});

const input = {
  eventName: 'sms:message:status' as const,
  payload: '{"id":"m:1",  "units": 2.0, "10":1, "2":2, "text":"é😀"}',
  accountId: 'b7e0c1d2-9b6f-4c51-a98a-0123456789ab',
  webhookId: '180ebbb5-9b6f-4c51-a98a-0123456789ab',
  uri: 'https://example.com/in?a=b',
  bodyTemplate: null,
  signing: true,
  signingSecrets: [],
  startedAt: new Date('2026-01-31T12:00:01.900Z'),
  bearer: 'token',
  deliveryId: '01a1fd17-9cbc-7b67-a7c5-31ae139efa06',
  eventId: '01a1fd17-9cbc-7b67-a7c5-31ae139efa05',
  receivedAt: new Date('2026-01-31T12:00:00.123Z'),
  attemptNumber: 2,
  naming: createNaming(defaultNaming, '1.2.3'),
};

describe('compose', () => {
  test('SMS: sends the report byte for byte, with all headers', () => {
    const { url, headers, body, warnings } = composeCallback(input);
    expect(body.toString()).toBe(input.payload);
    expect(url).toBe(input.uri);
    expect(warnings).toEqual([]);
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(input.payload)),
      Authorization: 'Bearer token',
      Signature: sign(body, input.webhookId),
      'User-Agent': 'Ringback/1.2.3',
      'Accept-Encoding': 'identity',
      'X-Ringback-Event': 'sms:message:status',
      'X-Ringback-Delivery': input.deliveryId,
      'X-Ringback-Event-Id': '01a1fd17-9cbc-7b67-a7c5-31ae139efa05',
      'X-Ringback-Received-At': '2026-01-31T12:00:00.123Z',
      'X-Ringback-Attempt': '2',
    });
  });

  test('a template keeps the digits of its own numbers and of the event’s', () => {
    const payload = '{"id":"m:1","big":12345678901234567890,"credits":2.0000,"list":[1e3,-0],"units":2}';
    const written =
      '{"b":"{{big}}","c":"{{credits}}","l":"{{list}}","t":"{{credits}} of {{list}}","own":[98765432109876543210,1.50,-0,1E5]}';
    const template = parseTemplateValues(written);
    const { url, body, warnings } = composeCallback({
      ...input,
      payload,
      bodyTemplate: template,
      uri: 'https://example.com/?c={{credits}}',
    });
    expect(body.toString()).toBe(
      '{"b":12345678901234567890,"c":2.0000,"l":[1e3,-0],"t":"2.0000 of [1e3,-0]","own":[98765432109876543210,1.50,-0,1E5]}',
    );
    expect([url, warnings]).toEqual(['https://example.com/?c=2.0000', []]);
  });

  test('an empty template renders an empty body', () => {
    expect(composeCallback({ ...input, bodyTemplate: {} }).body.toString()).toBe('{}');
  });

  test('RCS: sends the payload byte for byte inside its envelope', () => {
    const { body } = composeCallback({ ...input, eventName: 'rcs:message:status' });
    expect(body.toString()).toBe(`{"event":"rcs:message:status","payload":${input.payload}}`);
  });

  test('without signing there is neither Signature nor a Standard Webhooks header', () => {
    const { headers } = composeCallback({ ...input, signing: false, signingSecrets: ['whsec_c2VjcmV0'] });
    expect(Object.keys(headers).filter((name) => /signature|^webhook-/i.test(name))).toEqual([]);
  });

  test('Standard Webhooks: delivery id, time in seconds, and one signature for each secret', () => {
    const { headers, body } = composeCallback({ ...input, signingSecrets: ['whsec_bmV3', 'whsec_b2xk'] });
    const content = Buffer.concat([Buffer.from(`${input.deliveryId}.1769860801.`), body]);
    const [current, previous] = ['new', 'old'].map((key) => createHmac('sha256', key).update(content).digest('base64'));
    expect(headers).toMatchObject({
      'webhook-id': input.deliveryId,
      'webhook-timestamp': '1769860801',
      'webhook-signature': `v1,${current} v1,${previous}`,
    });
  });

  test('with placeholders in the uri alone, the body is the plain event', () => {
    const { url, body } = composeCallback({ ...input, uri: 'https://example.com/?t={{text}}&u={{units}}' });
    expect(url).toBe('https://example.com/?t=%C3%A9%F0%9F%98%80&u=2.0');
    expect(body.toString()).toBe(input.payload);
  });

  test('signs the rendered body', () => {
    const { headers, body } = composeCallback({ ...input, bodyTemplate: { t: '{{text}}' } });
    expect(body.toString()).toBe('{"t":"é😀"}');
    expect(headers.Signature).toBe(sign(body, input.webhookId));
  });

  test('a rendered body above 256 KiB is replaced by the plain event, with a warning', () => {
    const payload = JSON.stringify({ id: 'm', long: 'x'.repeat(100_000) });
    const { body, warnings } = composeCallback({
      ...input,
      payload,
      bodyTemplate: { a: '{{long}}', b: '{{long}}', c: '{{long}}' },
    });
    expect(body.toString()).toBe(payload);
    expect(warnings).toEqual(['the rendered body is too large; the plain event was sent']);
  });
});

test.each([
  ['typed', { a: Array(100).fill('{{long}}') }],
  ['in text', { a: '{{long}} '.repeat(100) }],
])(
  'a template with 100 values of 16 MiB, %s, is replaced by the plain event without rendering them',
  (_name, template) => {
    const payload = JSON.stringify({ id: 'm', long: 'x'.repeat(16 * 1024 * 1024) });
    const { body, warnings } = composeCallback({ ...input, payload, bodyTemplate: template });
    expect(body.equals(Buffer.from(payload))).toBe(true);
    expect(warnings).toEqual(['the rendered body is too large; the plain event was sent']);
  },
);

test('a value that is too large for a uri is left out, with a warning', () => {
  const payload = JSON.stringify({ id: 'm', long: 'x'.repeat(300_000) });
  const { url, body, warnings } = composeCallback({
    ...input,
    payload,
    uri: 'https://example.com/?a={{id}}&b={{long}}',
  });
  expect(url).toBe('https://example.com/?a=m&b=');
  expect(body.toString()).toBe(payload);
  expect(warnings).toEqual(['the values in the uri are too large; they were left out']);
});

describe('the request of a verification', () => {
  const verificationId = '01a1fd17-9cbc-7b67-a7c5-31ae139efa07';
  const verification = { ...input, verificationId, verificationCode: 'a b&c', challenge: 'random' };
  test.each([
    ['https://example.com/in', 'https://example.com/in?token=a%20b%26c'],
    ['https://example.com/in?x=1', 'https://example.com/in?x=1&token=a%20b%26c'],
    ['https://example.com/in?x={{id}}&y=1', 'https://example.com/in?x=&y=1&token=a%20b%26c'],
    ['https://example.com/in?', 'https://example.com/in?token=a%20b%26c'],
  ])('for %s calls %s', (uri, url) => {
    expect(composeVerificationRequest({ ...verification, uri }).url).toBe(url);
  });

  test('carries code and challenge, and is signed', () => {
    const { headers, body } = composeVerificationRequest(verification);
    expect(JSON.parse(body.toString())).toEqual({ validation_key: 'a b&c', challenge: 'random' });
    expect(headers).toMatchObject({ Authorization: 'Bearer token', Signature: sign(body, input.webhookId) });
  });

  test.each([
    [200, '{"challenge":"random"}', true],
    [200, ' {"x":1,"challenge":"random"}\n', true],
    [200, 'random', true],
    [200, 'random\n', true],
    [200, '"random"', true],
    [201, '{"challenge":"random"}', false],
    [200, '{"challenge":"other"}', false],
    [200, '{"challenge":["random"]}', false],
    [200, '', false],
    [200, '[]', false],
    [200, 'not random', false],
    [500, 'random', false],
  ])('the response %i %s passes: %p', (status, body, passed) => {
    expect(passesChallenge(status, body, 'random')).toBe(passed);
  });
});

test('the plain body is the flat report for SMS and {event, payload} for RCS', () => {
  expect(plainBody('sms:message:status', '{"id":1}')).toBe('{"id":1}');
  expect(plainBody('rcs:message:in', '{ "id":1}')).toBe('{"event":"rcs:message:in","payload":{ "id":1}}');
});
