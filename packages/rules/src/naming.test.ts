import { expect, test } from '@jest/globals';
import { composeCallback } from './callback.js';
import {
  createNaming,
  defaultNaming,
  headerWithPrefix,
  isHeaderPrefix,
  parseCallbackHeaders,
  rename,
} from './naming.js';
import { composeVerificationRequest } from './verification.js';

const written = {
  'X-Constant': 'eu {1}',
  'X-All': '{{event}} {{ event_id }} {{delivery_id}}/{{attempt}} {{account_id}},{{webhook_id}} {{timestamp}}s',
};
const naming = createNaming(
  {
    productName: 'Acme Connect',
    headerPrefix: 'X-Acme-',
    userAgent: defaultNaming.userAgent,
    callbackHeaders: parseCallbackHeaders(JSON.stringify(written)),
  },
  '1.2.3',
);
const webhook = {
  webhookId: 'w',
  uri: 'https://example.com/in',
  signing: false,
  signingSecrets: [],
  bearer: 'token',
  startedAt: new Date('2026-01-31T12:00:01.900Z'),
  attemptNumber: 2,
  naming,
};
const callback = {
  ...webhook,
  eventName: 'sms:message:status' as const,
  payload: '{"id":"m"}',
  bodyTemplate: null,
  accountId: 'a',
  deliveryId: 'd',
  eventId: 'e',
  receivedAt: new Date('2026-01-31T12:00:00.123Z'),
  isTest: true,
};

test('a callback has the names of the operator and the further headers', () => {
  expect(composeCallback(callback).headers).toEqual({
    'Content-Type': 'application/json',
    'Content-Length': '10',
    Authorization: 'Bearer token',
    'User-Agent': 'Acme Connect/1.2.3',
    'Accept-Encoding': 'identity',
    'X-Constant': 'eu {1}',
    'X-Acme-Event': 'sms:message:status',
    'X-Acme-Delivery': 'd',
    'X-Acme-Attempt': '2',
    'X-Acme-Event-Id': 'e',
    'X-Acme-Received-At': '2026-01-31T12:00:00.123Z',
    'X-Acme-Test': 'true',
    'X-All': 'sms:message:status e d/2 a,w 1769860801s',
  });
});

test('the request of a verification has the constant ones', () => {
  const { headers } = composeVerificationRequest({
    ...webhook,
    verificationCode: 'code',
    challenge: 'c',
    verificationId: 'v',
  });
  expect(headers).toMatchObject({
    'User-Agent': 'Acme Connect/1.2.3',
    'X-Constant': 'eu {1}',
    'X-Acme-Attempt': '2',
  });
  expect(Object.keys(headers)).not.toContain('X-All');
});

test.each([
  ['Müller & Söhne', '{PRODUCT_NAME}/{version}', 'Muller & Sohne/1.2.3'],
  ['商店', '{PRODUCT_NAME}/{version}', 'Webhooks/1.2.3'],
  ['Acme', 'acme-hooks', 'acme-hooks'],
])('the User-Agent of %s with %s is %s', (productName, userAgent, sent) => {
  const { constantHeaders } = createNaming({ ...defaultNaming, productName, userAgent }, '1.2.3');
  expect(constantHeaders['User-Agent']).toBe(sent);
});

test.each([
  'text',
  '[]',
  '{"X-A": 1}',
  '{"X-A": ""}',
  '{"X-A": " a"}',
  '{"X-A": "a\\nb"}',
  '{"X-A": "é"}',
  '{"X A": "a"}',
  '{"X-A": "a", "x-a": "b"}',
  '{"X-A": "{{mobile}}"}',
  '{"X-A": "{{event"}',
  '{"Connection": "close"}',
  '{"transfer-encoding": "chunked"}',
  '{"Host": "a"}',
  '{"Content-Type": "a"}',
  '{"SIGNATURE": "a"}',
  '{"Authorization": "a"}',
  '{"webhook-id": "a"}',
  '{"Proxy-Authorization": "a"}',
  '{"User-Agent": "a"}',
  JSON.stringify(Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, 'a']))),
  JSON.stringify({ 'X-A': 'a'.repeat(4_096) }),
])('the further headers %s are refused', (text) => {
  expect(() => parseCallbackHeaders(text)).toThrow(/^[^\n]+$/);
});

test('a further header with the prefix is found, whatever its case', () => {
  expect(headerWithPrefix(parseCallbackHeaders('{"X-B": "1", "x-acme-a": "{{event}}"}'), 'X-Acme-')).toBe('x-acme-a');
  expect(headerWithPrefix(parseCallbackHeaders('{"X-B": "1"}'), 'X-Acme-')).toBeUndefined();
});

test.each([
  ['X-Acme-', true],
  ['Acme-', true],
  ['X-', true],
  ['X-Acme', false],
  ['-', false],
  ['X--', false],
  ['content-', false],
  ['Webhook-', false],
  [`${'a'.repeat(40)}-`, false],
])('%s can be a prefix: %s', (text, isPrefix) => {
  expect(isHeaderPrefix(text)).toBe(isPrefix);
});

test('own names in a text are replaced, and a new name that contains the old one only once', () => {
  const text = 'Ringback sends X-Ringback-Event';
  expect(rename(text, { productName: 'Acme $&', headerPrefix: 'X-Acme-' })).toBe('Acme $& sends X-Acme-Event');
  expect(rename(text, { productName: 'New Ringback', headerPrefix: 'X-Ringback-' })).toBe(
    'New Ringback sends X-Ringback-Event',
  );
});
