import { expect, test } from '@jest/globals';
import { isAddressProblem } from './errors.js';

const response = (code: number) => ({
  error: 'status' as const,
  error_code: null,
  response: { code, headers: null, body: '' },
});

test.each([
  ['a redirect', response(301), true],
  ['a 404', response(404), true],
  ['a 500', response(500), false],
  ['an unknown name', { error: 'dns' as const, error_code: 'ENOTFOUND', response: null }, true],
  [
    'a certificate for another name',
    { error: 'tls' as const, error_code: 'ERR_TLS_CERT_ALTNAME_INVALID', response: null },
    true,
  ],
  ['an expired certificate', { error: 'tls' as const, error_code: 'CERT_HAS_EXPIRED', response: null }, false],
  ['a success', { error: null, error_code: null, response: null }, false],
])('%s asks for another address: %#', (_failure, attempt, expected) => {
  expect(isAddressProblem(attempt)).toBe(expected);
});
