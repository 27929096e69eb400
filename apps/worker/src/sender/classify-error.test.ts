import { parseAllowList } from '@ringback/rules';
import { startReceiver } from '@ringback/receiver';
import { afterEach, describe, expect, test } from '@jest/globals';
import { classifyError } from './classify-error.js';
import { Sender } from './send.js';

const closers: (() => unknown)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

const coded = (code: string, ErrorClass: ErrorConstructor | TypeErrorConstructor = Error) =>
  Object.assign(new ErrorClass('with https://secret.example/?token=1'), { code });

describe('failures of the receiver', () => {
  test.each([
    ['ENOTFOUND', 'dns'],
    ['EAI_AGAIN', 'dns'],
    ['ECONNREFUSED', 'connect'],
    ['EHOSTUNREACH', 'connect'],
    ['PROXY_502', 'connect'],
    ['PROXY_CLOSED', 'connect'],
    ['PROXY_DENIED', 'refused'],
    ['REFUSED_ADDRESS', 'refused'],
    ['ETIMEDOUT', 'timeout'],
    ['ECONNRESET', 'reset'],
    ['EPIPE', 'reset'],
    ['ERR_SOCKET_CLOSED', 'reset'],
    ['ERR_STREAM_PREMATURE_CLOSE', 'reset'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
    ['ERROR_IN_CERT_NOT_BEFORE_FIELD', 'tls'],
    ['INVALID_CA', 'tls'],
    ['HPE_INVALID_CONSTANT', 'protocol'],
    ['ERR_WHATEVER', 'protocol'],
  ])('%s is %s', (code, type) => {
    expect(classifyError(coded(code))).toEqual({ type, code });
    expect(classifyError(new Error('wrapped', { cause: coded(code) }))).toEqual({ type, code });
    expect(classifyError(Object.assign(coded('ERR_GOT_REQUEST_ERROR'), { cause: coded(code) }))).toEqual({
      type,
      code,
    });
    expect(classifyError(new AggregateError([coded(code), coded('ECONNRESET')]))).toEqual({ type, code });
  });

  test.each([
    [
      '802C:error:0A00042E:SSL routines:ssl3_read_bytes:tlsv1 alert protocol version:a.c:1:',
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    ],
    [
      '802C:error:0A000152:SSL routines:final_renegotiate:unsafe legacy renegotiation disabled:a.c:1:',
      'ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED',
    ],
    [
      '802C:error:0A000410:SSL routines::ssl/tls alert handshake failure:a.c:1:',
      'ERR_SSL_SSL_TLS_ALERT_HANDSHAKE_FAILURE',
    ],
    ['https://secret.example/?token=1', 'EPROTO'],
  ])("EPROTO has OpenSSL's reason: %s", (text, code) => {
    const cause = Object.assign(new Error(`write EPROTO ${text}`), { code: 'EPROTO' });
    expect(classifyError(cause)).toEqual({ type: 'tls', code });
    expect(classifyError(new Error('wrapped', { cause }))).toEqual({ type: 'tls', code });
  });

  test.each([undefined, null, 'text', 7, {}, new Error('no code'), { name: 'X', code: 1 }])(
    '%p is not known',
    (error) => {
      expect(classifyError(error)).toEqual({ type: 'protocol', code: 'UNKNOWN' });
    },
  );

  test('an error that is its own cause does not loop', () => {
    const error = coded('ECONNRESET');
    error.cause = error;
    expect(classifyError(error)).toEqual({ type: 'reset', code: 'ECONNRESET' });
  });
});

describe('an internal error is thrown, without the original message', () => {
  test.each([
    [coded('ERR_INVALID_ARG_TYPE', TypeError), 'ERR_INVALID_ARG_TYPE'],
    [coded('ERR_INVALID_URL', TypeError), 'ERR_INVALID_URL'],
    [coded('EMFILE'), 'EMFILE'],
    [Object.assign(coded('ERR_GOT_REQUEST_ERROR'), { cause: coded('ENOBUFS') }), 'ENOBUFS'],
    [new TypeError('secret'), 'TypeError'],
    [new RangeError('secret'), 'RangeError'],
    [new ReferenceError('secret'), 'ReferenceError'],
    [Object.assign(coded('ERR_GOT_REQUEST_ERROR'), { cause: new TypeError('secret') }), 'TypeError'],
  ])('%p', (error, code) => {
    expect(() => classifyError(error)).toThrow(expect.objectContaining({ name: 'SendError', code }));
    try {
      classifyError(error);
    } catch (thrown) {
      const { stack = '', message = '' } = thrown instanceof Error ? thrown : {};
      expect(`${stack} ${message}`).not.toContain('secret');
      expect(stack).toContain('classify-error.test');
      expect(thrown).not.toHaveProperty('cause');
    }
  });

  test('a wrong use of the HTTP client rejects, with nothing of the request in the error', async () => {
    const sender = new Sender({ timeoutMs: 20_000, allow: parseAllowList('127.0.0.0/8') });
    closers.push(() => sender.close());
    const wrong: Buffer = JSON.parse('7');
    const headers = { Authorization: 'Bearer s3cret' };
    const call = sender.send({ url: 'http://127.0.0.1:4000/?t=s3cret', headers, body: wrong });
    const error = await call.then(String, (reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'SendError' });
    expect(JSON.stringify(error) + String(error) + (error instanceof Error ? error.stack : '')).not.toContain('s3cret');
  });
});

describe('a header that cannot be sent', () => {
  test.each(['a\r\nX-Injected: 1', 'nul\0', 'emoji 😀', 'line\nfeed', 'wide ā', 'del\u007f'])(
    '%j is an attempt that failed, nothing of it is sent, and the next call works',
    async (value) => {
      const receiver = await startReceiver();
      const sender = new Sender({ timeoutMs: 20_000, allow: parseAllowList('127.0.0.0/8') });
      closers.push(
        () => sender.close(),
        () => receiver.close(),
      );
      const request = { url: `${receiver.origin}/`, body: Buffer.from('{}') };
      const { outcome } = await sender.send({ ...request, headers: { Authorization: `Bearer ${value}` } });
      expect(outcome).toEqual({ type: 'protocol', code: 'ERR_INVALID_CHAR' });
      expect(receiver.calls).toEqual([]);
      const { outcome: next } = await sender.send({ ...request, headers: { Authorization: 'Bearer token' } });
      expect(next).toEqual({ type: 'response', status: 200 });
    },
  );
});
