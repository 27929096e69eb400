import { describe, expect, test } from '@jest/globals';
import { compose } from './compose.js';
import { keptHeaders, maskedBearer, sentHeaders } from './sent-headers.js';

const input = {
  event: 'sms:message:status' as const,
  payload: '{"id":"m-1:1","text":"हैलो"}',
  webhookId: '180ebbb5-9b6f-4c51-a98a-0123456789ab',
  uri: 'https://example.com/in',
  template: null,
  signing: true,
  signingSecrets: [],
  at: new Date('2026-01-31T12:00:01.900Z'),
  bearer: 's3cret',
  deliveryId: '0192f3c1-7a52-7e7c-9b7e-0c1d2e3f4a5b',
  eventId: '0192f3c1-7a52-7e7c-9b7e-0c1d2e3f4a5c',
  receivedAt: new Date('2026-11-21T10:00:05.123Z'),
  attempt: 2,
  version: '1.2.3',
};
const templates = [null, { note: 'message {{id}}', text: '{{text}}' }];

describe.each([true, false])('with signing %s', (signing) => {
  test.each(templates)('the headers of a callback with the template %j can be told, the token masked', (template) => {
    const callback = compose({ ...input, signing, template });
    const kept = keptHeaders(callback.headers, input);
    const told = sentHeaders(kept, { ...input, body: callback.body.toString() });
    expect(told).toEqual({ ...callback.headers, Authorization: maskedBearer });
    expect(JSON.stringify(kept)).not.toContain('s3cret');
  });
});

test('of a usual callback only its version is kept', () => {
  expect(keptHeaders(compose(input).headers, input)).toEqual({ 'User-Agent': 'Ringback/1.2.3' });
});

test('of the Standard Webhooks headers time and signature are kept, and all three told', () => {
  const { headers } = compose({ ...input, signingSecrets: ['whsec_c2VjcmV0'] });
  const kept = keptHeaders(headers, input);
  expect(Object.keys(kept)).toEqual(['webhook-timestamp', 'webhook-signature', 'User-Agent']);
  expect(sentHeaders(kept, { ...input, body: input.payload })).toEqual({ ...headers, Authorization: maskedBearer });
});

test('a header that is not a usual one is kept, and one that was not sent is noted', () => {
  const { 'Accept-Encoding': _left, ...composed } = compose(input).headers;
  const headers = { ...composed, 'X-More': 'yes' };
  const kept = keptHeaders(headers, input);
  expect(kept).toEqual({ 'User-Agent': 'Ringback/1.2.3', 'X-More': 'yes', 'Accept-Encoding': null });
  expect(sentHeaders(kept, { ...input, body: input.payload })).toEqual({ ...headers, Authorization: maskedBearer });
});
