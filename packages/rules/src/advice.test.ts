import { describe, expect, test } from '@jest/globals';
import { adviceFor, adviceForSkipped, type UnsuccessfulRequest } from './advice.js';
import type { Certificate, Outcome } from './verdict.js';

const request = {
  purpose: 'sms',
  url: 'https://hooks.example.com:8443/in?token=s3cret',
  responseHeaders: null,
  at: new Date('2026-11-27T12:00:00Z'),
} as const;
const advise = (outcome: Outcome, fields: Partial<UnsuccessfulRequest> = {}) =>
  adviceFor({ ...request, ...fields, outcome });

const certificate: Certificate = {
  names: ['www.example.com', '*.example.net'],
  issuer: 'Acme Root CA',
  validFrom: '2026-12-01T00:00:00.000Z',
  validTo: '2027-05-03T00:00:00.000Z',
};
const expired = { ...certificate, validTo: '2026-05-03T23:59:59.000Z' };

describe('an error', () => {
  const host = 'hooks.example.com';
  const port = `${host}:8443`;
  test.each([
    [
      'timeout',
      'DNS_TIMEOUT',
      `The name servers of ${host} did not answer in time. Check that all of them are reachable.`,
    ],
    [
      'timeout',
      'CONNECT_TIMEOUT',
      `${port} did not accept a connection in time. Check the address, and that no firewall drops callbacks.`,
    ],
    [
      'timeout',
      'TLS_TIMEOUT',
      `${port} accepted the connection, but did not complete the TLS handshake in time. Check that it speaks TLS at this port and is not overloaded.`,
    ],
    [
      'timeout',
      'RESPONSE_TIMEOUT',
      `${port} got the request, but did not respond in time. Store the callback, respond, and process it afterwards.`,
    ],
    ['dns', 'ENOTFOUND', `The name ${host} has no address. Check its spelling and its DNS records.`],
    ['dns', 'ENODATA', `The name ${host} has no address. Check its spelling and its DNS records.`],
    ['dns', 'EAI_AGAIN', `The name servers of ${host} could not answer. Check them, then send the callback again.`],
    ['dns', 'ESERVFAIL', `The name servers of ${host} could not answer. Check them, then send the callback again.`],
    [
      'connect',
      'ECONNREFUSED',
      `Nothing listens at ${port}. Check that the receiver runs, and that the port is right.`,
    ],
    [
      'connect',
      'EHOSTUNREACH',
      `There is no route to ${host}. Check the address, the routing and the firewall of the receiver.`,
    ],
    [
      'connect',
      'ENETUNREACH',
      `There is no route to ${host}. Check the address, the routing and the firewall of the receiver.`,
    ],
    [
      'connect',
      'PROXY_FAILED',
      `The proxy of this service got no connection to ${port}. Check the address, and that the receiver runs.`,
    ],
    [
      'connect',
      'EPERM',
      `No connection to ${port} could be opened (EPERM). Check that the receiver runs, and that no firewall blocks it.`,
    ],
    [
      'reset',
      'ECONNRESET',
      `${port} closed the connection before it responded. Look for crashes and restarts in the logs of the receiver and of its proxy.`,
    ],
    [
      'refused',
      'REFUSED_ADDRESS',
      `Callbacks may not go to ${host}, because it is not public. Use an address that is reachable from the internet.`,
    ],
    [
      'refused',
      'PROXY_DENIED',
      `The proxy of this service does not permit ${port}. Use another address, or ask the operator.`,
    ],
    ['refused', 'INVALID_URL', 'The address of the webhook is not a valid http or https address. Correct it.'],
    [
      'protocol',
      'HPE_HEADER_OVERFLOW',
      `The headers of the response of ${port} are too large. Send fewer or shorter ones.`,
    ],
    ['protocol', 'TOO_MANY_INTERIM_RESPONSES', `${port} sent interim responses without end. Send one final status.`],
    [
      'protocol',
      'ERR_INVALID_CHAR',
      'A header of the callback has a character that cannot be sent. Change the secret of the webhook.',
    ],
    [
      'protocol',
      'HPE_INVALID_CONSTANT',
      `The response of ${port} is not valid HTTP (HPE_INVALID_CONSTANT). Check the port, and whether the address needs https.`,
    ],
    [
      'tls',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      `The certificate of ${host} is self-signed. Use one of a public certificate authority.`,
    ],
    [
      'tls',
      'SELF_SIGNED_CERT_IN_CHAIN',
      `The certificate of ${host} is from a private authority. Use one of a public certificate authority, or give the webhook the CA certificate of the private one (tls.ca).`,
    ],
    [
      'tls',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      `The certificate of ${host} cannot be traced to a public certificate authority. Send the intermediate certificates too, use a certificate of a public authority, or give the webhook the CA certificate of a private one (tls.ca).`,
    ],
    [
      'tls',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      `The certificate of ${host} cannot be traced to a public certificate authority. Send the intermediate certificates too, use a certificate of a public authority, or give the webhook the CA certificate of a private one (tls.ca).`,
    ],
    ['tls', 'CERT_HAS_EXPIRED', `The certificate of ${host} has expired. Renew it.`],
    ['tls', 'CERT_NOT_YET_VALID', `The certificate of ${host} is valid only later. Install one that is valid already.`],
    ['tls', 'CERT_REVOKED', `The certificate of ${host} was revoked. Install a new one.`],
    [
      'tls',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      `The certificate that ${host} sends is not for ${host}. Get one that names ${host}, or use a name of the certificate in the address.`,
    ],
    [
      'tls',
      'ERR_SSL_WRONG_VERSION_NUMBER',
      `${port} does not speak TLS. Check the port, or, if it speaks plain http, begin the address with http://.`,
    ],
    [
      'tls',
      'ERR_SSL_PACKET_LENGTH_TOO_LONG',
      `${port} does not speak TLS. Check the port, or, if it speaks plain http, begin the address with http://.`,
    ],
    ['tls', 'ERR_SSL_UNSUPPORTED_PROTOCOL', `${port} supports only outdated versions of TLS. Enable TLS 1.2 or 1.3.`],
    [
      'tls',
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      `${port} supports only outdated versions of TLS. Enable TLS 1.2 or 1.3.`,
    ],
    [
      'tls',
      'ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED',
      `${port} lacks secure renegotiation (RFC 5746). Update its TLS software, or enable TLS 1.3.`,
    ],
    [
      'tls',
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      `${port} wants a client certificate, which callbacks do not have. Let it accept callbacks without one.`,
    ],
    [
      'tls',
      'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
      `${port} refused the TLS handshake. It wants a client certificate, or supports none of the usual ciphers: change its TLS settings.`,
    ],
    [
      'tls',
      'ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
      `The server at ${port} has no certificate for this name. Configure one for ${host}.`,
    ],
    [
      'tls',
      'ERR_SSL_DH_KEY_TOO_SMALL',
      `The key or signature that ${port} uses for TLS is too weak. Get a new certificate with current settings.`,
    ],
    [
      'tls',
      'CA_MD_TOO_WEAK',
      `The key or signature that ${port} uses for TLS is too weak. Get a new certificate with current settings.`,
    ],
    [
      'tls',
      'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR',
      `The TLS connection to ${port} failed (ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR). Check the certificate and the TLS settings of the receiver.`,
    ],
  ] as const)('%s %s', (type, code, advice) => {
    expect(advise({ type, code })).toBe(advice);
  });

  test.each([
    [
      'timeout',
      'forwarding',
      `The proxy of this service got no response from ${port} in time. Check that the receiver can be reached, and that it responds before it processes the callback.`,
    ],
    [
      'reset',
      'tls',
      `${port} closed the connection during the TLS handshake. Check that it supports TLS 1.2 or 1.3, has a certificate for this name, and wants none from the client.`,
    ],
  ] as const)('%s in the phase %s', (type, phase, advice) => {
    expect(advise({ type, code: 'X', phase })).toBe(advice);
  });

  test.each([
    ['CERT_HAS_EXPIRED', expired, `The certificate of ${host} expired on 3 May 2026. Renew it.`],
    [
      'CERT_HAS_EXPIRED',
      certificate,
      `${host} sends an intermediate certificate that has expired. Install the current ones of its authority.`,
    ],
    [
      'CERT_NOT_YET_VALID',
      certificate,
      `The certificate of ${host} is valid only from 1 December 2026. Install one that is valid already.`,
    ],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      certificate,
      `The certificate that ${host} sends is for www.example.com, *.example.net, not for ${host}. Get one that names ${host}, or use a name of the certificate in the address.`,
    ],
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      certificate,
      `The certificate of ${host} is from a private authority ("Acme Root CA"). Use one of a public certificate authority, or give the webhook the CA certificate of the private one (tls.ca).`,
    ],
    [
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      certificate,
      `The certificate of ${host} cannot be traced to a public certificate authority ("Acme Root CA"). Send the intermediate certificates too, use a certificate of a public authority, or give the webhook the CA certificate of a private one (tls.ca).`,
    ],
  ])('%s with the certificate %#', (code, received, advice) => {
    expect(advise({ type: 'tls', code, certificate: received })).toBe(advice);
  });

  test('of a url that cannot be parsed', () => {
    expect(advise({ type: 'timeout', code: 'RESPONSE_TIMEOUT' }, { url: '::' })).toMatch(
      /^the receiver got the request/,
    );
  });
});

describe('a status', () => {
  test.each([
    ['sms', 200],
    ['sms', 202],
    ['rcs', 204],
  ] as const)('that succeeds needs no advice: %s %d', (purpose, status) => {
    expect(advise({ type: 'response', status }, { purpose })).toBeNull();
  });

  test.each([
    ['sms', 204, 'The status 204 does not count as success for this event. Respond with 200 or 202.'],
    ['sms', 999, 'HTTP does not define the status 999. Respond with 200 or 202.'],
    ['rcs', 999, 'HTTP does not define the status 999. Respond with a status from 200 to 299.'],
    [
      'verification',
      200,
      'The response did not repeat the challenge. Respond with the challenge of the request, as text or as {"challenge": "…"}.',
    ],
    ['verification', 204, 'The status 204 does not pass the verification. Respond with 200.'],
    [
      'verification',
      404,
      'The server has nothing at this path. Check the path of the address, with its capital letters and slashes.',
    ],
  ] as const)('%s %d', (purpose, status, advice) => {
    expect(advise({ type: 'response', status }, { purpose })).toBe(advice);
  });

  test.each([101, 400, 401, 403, 404, 405, 408, 410, 413, 415, 418, 421, 422, 429, 500, 501, 502, 503, 504, 599])(
    '%d has one line of advice',
    (status) => {
      expect(advise({ type: 'response', status })).toMatch(/^[A-Z].+\.$/);
    },
  );

  test.each([
    ['https://www.example.com/in', 'https://www.example.com/in'],
    ['/new?a=1', 'https://hooks.example.com:8443/new?a=1'],
    ['//other.example/x y', 'https://other.example/x%20y'],
  ])('of a redirect to %s names the new address', (location, target) => {
    const advice = advise({ type: 'response', status: 301 }, { responseHeaders: { location } });
    expect(advice).toBe(`The server redirects to ${target} . Use that address.`);
  });

  test('of a relative redirect shows no password of the uri', () => {
    const fields = { url: 'https://user:s3cret@hooks.example.com/in', responseHeaders: { location: '/new' } };
    const advice = 'The server redirects to https://hooks.example.com/new . Use that address.';
    expect(advise({ type: 'response', status: 308 }, fields)).toBe(advice);
  });

  test.each([[{}], [{ location: 'http://' }], [{ location: 'javascript:alert(1)' }]])(
    'of a redirect to nowhere: %j',
    (responseHeaders: Record<string, string>) => {
      const advice =
        'The server redirects (302), and callbacks do not follow redirects. Enter the final address in the webhook.';
      expect(advise({ type: 'response', status: 302 }, { responseHeaders })).toBe(advice);
    },
  );

  test.each([429, 503])('%d with Retry-After says for how long', (status) => {
    const advice =
      'The receiver is overloaded and asks to wait for 5 s. Raise its limits, or set a rate_limit for the webhook.';
    expect(advise({ type: 'response', status, retryAfterSeconds: 4.2 })).toBe(advice);
  });
});

test('a skipped delivery has advice for its reason', () => {
  expect(adviceForSkipped('webhook inactive')).toBe(
    'The webhook is inactive. Activate it, then send the callback again.',
  );
  expect(adviceForSkipped('delivery is off')).toBe(
    'The operator had switched delivery off. Another sender may have sent this callback; if not, send it again.',
  );
  expect(adviceForSkipped('another reason')).toBeNull();
  expect(adviceForSkipped(null)).toBeNull();
});
