import { expect, test } from '@jest/globals';
import { adviceFor } from './advice.js';

const response = (code: number, headers: Record<string, string> = {}) => ({
  error: 'status' as const,
  error_code: null,
  response: { code, headers: headers as never, body: '' },
});
const failure = (error: 'tls' | 'dns' | 'timeout' | 'connect', code: string) => ({
  error,
  error_code: code,
  response: null,
});

test('an attempt that succeeded needs no advice', () => {
  expect(adviceFor('sms:message:status', { error: null, error_code: null, response: null })).toBeUndefined();
});

test.each([201, 204])('SMS does not accept the status %d', (code) => {
  expect(adviceFor('sms:message:status', response(code))?.meaning).toContain('only the statuses 200 and 202');
});

test('an event that Ringback reports has the success rule of SMS', () => {
  expect(adviceFor('webhook:paused', response(201))?.action).toBe('Make the receiver return 200.');
});

test('the advice for a redirect contains the new address', () => {
  const advice = adviceFor('rcs:message:in', response(301, { Location: 'https://example.com/new' }));
  expect(advice).toMatchObject({ isAddressProblem: true, action: expect.stringContaining('https://example.com/new') });
});

test.each([100, 400, 401, 403, 404, 405, 410, 413, 415, 418, 422, 429, 500, 502, 503, 504, 599, 999])(
  'the status %d has an explanation and an action',
  (code) => {
    const advice = adviceFor('sms:message:status', response(code));
    expect(advice?.title).toContain(String(code));
    expect(advice?.meaning).toBeTruthy();
    expect(advice?.action).toBeTruthy();
  },
);

test('an error code gives more specific advice than its class', () => {
  const expired = adviceFor('sms:message:status', failure('tls', 'CERT_HAS_EXPIRED'));
  expect(expired).toMatchObject({ title: 'TLS failed', meaning: 'The certificate of the receiver has expired.' });
  expect(adviceFor('sms:message:status', failure('timeout', 'TIMEOUT'))).toMatchObject({ isAddressProblem: false });
  expect(adviceFor('sms:message:status', failure('dns', 'ENOTFOUND'))).toMatchObject({ isAddressProblem: true });
});
