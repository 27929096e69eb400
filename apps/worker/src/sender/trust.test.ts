import { afterEach, describe, expect, test } from '@jest/globals';
import { makeCertificate, startReceiver } from '@ringback/receiver';
import { parseAllowList } from '@ringback/rules';
import { plainRequest } from './send-egress.fixture.js';
import { Sender } from './send.js';
import { trustAlso } from './trust.js';

const closers: (() => unknown)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

const authority = { name: 'authority', ...makeCertificate({ name: 'authority' }) };
const certificate = makeCertificate({ isAuthority: false, issuer: authority });
const other = makeCertificate({ name: 'other authority' });
const ok = { type: 'response', status: 200 };
const untrusted = expect.objectContaining({ type: 'tls' });

/** A receiver with a certificate of the private authority, and calls to it, all with the same sender. */
async function open({ headers = {}, operatorCa }: { headers?: Record<string, string>; operatorCa?: string } = {}) {
  const receiver = await startReceiver({ certificate, answer: { status: 200, headers } });
  const sender = new Sender({ timeoutMs: 20_000, allow: parseAllowList('127.0.0.0/8'), operatorCa });
  closers.push(
    () => sender.close(),
    () => receiver.close(),
  );
  const call = async (ca?: string | null) =>
    (await sender.send({ ...plainRequest, url: receiver.origin, ...(ca === undefined ? {} : { ca }) })).outcome;
  return { receiver, call };
}

describe('a receiver whose certificate a private authority has signed', () => {
  test('is trusted with the CA certificate of that authority, also beside another one', async () => {
    const { call, receiver } = await open();
    expect(await call(authority.cert)).toEqual(ok);
    expect(await call(other.cert + authority.cert)).toEqual(ok);
    expect(receiver.calls).toHaveLength(2);
  });

  test('is trusted with the CA of the operator beside that of another webhook, and not without both', async () => {
    const { call } = await open({ operatorCa: authority.cert });
    expect(await call(other.cert)).toEqual(ok);
    expect(await (await open()).call(other.cert)).toEqual(untrusted);
  });

  test('is not trusted without it, not even while a connection with it is idle', async () => {
    const { call, receiver } = await open({ headers: { 'Keep-Alive': 'timeout=120' } });
    expect(await call(authority.cert)).toEqual(ok);
    for (const ca of [undefined, null, other.cert]) expect([ca, await call(ca)]).toEqual([ca, untrusted]);
    expect(receiver.calls).toHaveLength(1);
    const before = receiver.connections();
    expect(await call(authority.cert)).toEqual(ok);
    expect(receiver.connections()).toBe(before);
  });

  test('is not trusted without it by a TLS session that began with it', async () => {
    const { call, receiver } = await open({ headers: { Connection: 'close' } });
    for (let round = 0; round < 2; round++) {
      expect(await call(authority.cert)).toEqual(ok);
      for (const ca of [undefined, null, other.cert]) expect([ca, await call(ca)]).toEqual([ca, untrusted]);
    }
    expect(receiver.calls).toHaveLength(2);
  });

  test('is trusted for its own name only', async () => {
    const wrong = makeCertificate({ name: 'x.example', isAuthority: false, issuer: authority });
    const receiver = await startReceiver({ certificate: wrong });
    const sender = new Sender({ timeoutMs: 20_000, allow: parseAllowList('127.0.0.0/8,::1/128') });
    closers.push(
      () => sender.close(),
      () => receiver.close(),
    );
    const url = receiver.origin.replace('127.0.0.1', 'localhost');
    const { outcome } = await sender.send({ ...plainRequest, url, ca: authority.cert });
    expect(outcome).toEqual(untrusted);
  });
});

test('the context of a CA is made once', () => {
  const context = trustAlso(authority.cert);
  expect(trustAlso(authority.cert)).toBe(context);
  expect(trustAlso(other.cert)).not.toBe(context);
});
