import { describe, expect, test } from '@jest/globals';
import { compactHeaders, composeCallback, expandHeaders, maskedBearer } from './callback.js';
import { createNaming, defaultNaming, parseCallbackHeaders } from './naming.js';

const input = {
  eventName: 'sms:message:status' as const,
  payload: '{"id":"m-1:1","text":"हैलो"}',
  accountId: 'b7e0c1d2-9b6f-4c51-a98a-0123456789ab',
  webhookId: '180ebbb5-9b6f-4c51-a98a-0123456789ab',
  uri: 'https://example.com/in',
  bodyTemplate: null,
  signing: true,
  signingSecrets: [],
  startedAt: new Date('2026-01-31T12:00:01.900Z'),
  bearer: 's3cret',
  deliveryId: '0192f3c1-7a52-7e7c-9b7e-0c1d2e3f4a5b',
  eventId: '0192f3c1-7a52-7e7c-9b7e-0c1d2e3f4a5c',
  receivedAt: new Date('2026-11-21T10:00:05.123Z'),
  attemptNumber: 2,
  naming: createNaming(defaultNaming, '1.2.3'),
};
const templates = [null, { note: 'message {{id}}', text: '{{text}}' }];

describe.each([true, false])('with signing %s', (signing) => {
  test.each(templates)(
    'the headers of a callback with the template %j are restored, with the token masked',
    (template) => {
      const callback = composeCallback({ ...input, signing, bodyTemplate: template });
      const compact = compactHeaders(callback.headers, input, input.naming);
      const expanded = expandHeaders(compact, { ...input, body: callback.body.toString() });
      expect(expanded).toEqual({ ...callback.headers, Authorization: maskedBearer });
      expect(JSON.stringify(compact)).not.toContain('s3cret');
    },
  );
});

test('stores only the version of a callback with default headers', () => {
  expect(compactHeaders(composeCallback(input).headers, input, input.naming)).toEqual({
    'User-Agent': 'Ringback/1.2.3',
  });
});

test('stores time and signature of Standard Webhooks, and restores all three headers', () => {
  const { headers } = composeCallback({ ...input, signingSecrets: ['whsec_c2VjcmV0'] });
  const compact = compactHeaders(headers, input, input.naming);
  expect(Object.keys(compact)).toEqual(['webhook-timestamp', 'webhook-signature', 'User-Agent']);
  expect(expandHeaders(compact, { ...input, body: input.payload })).toEqual({
    ...headers,
    Authorization: maskedBearer,
  });
});

test('stores a header that differs from the default, and null for a header that was not sent', () => {
  const { 'Accept-Encoding': _dropped, ...composed } = composeCallback(input).headers;
  const headers = { ...composed, 'X-More': 'yes' };
  const compact = compactHeaders(headers, input, input.naming);
  expect(compact).toEqual({ 'User-Agent': 'Ringback/1.2.3', 'X-More': 'yes', 'Accept-Encoding': null });
  expect(expandHeaders(compact, { ...input, body: input.payload })).toEqual({
    ...headers,
    Authorization: maskedBearer,
  });
});

test('the headers of an attempt are restored as they were sent when the operator has a prefix and headers', () => {
  const callbackHeaders = parseCallbackHeaders('{"X-Tenant": "{{account_id}}", "X-Via": "acme"}');
  const naming = createNaming({ ...defaultNaming, headerPrefix: 'X-Acme-', callbackHeaders }, '1.2.3');
  const { headers } = composeCallback({ ...input, naming });
  const compact = compactHeaders(headers, input, naming);
  expect(Object.keys(compact)).toEqual(['', 'User-Agent', 'X-Via', 'X-Tenant']);
  expect(expandHeaders(compact, { ...input, body: input.payload })).toEqual({
    ...headers,
    Authorization: maskedBearer,
  });
});
