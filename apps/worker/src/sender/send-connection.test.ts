import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { parseAllowList } from '@ringback/rules';
import { makeCertificate, startReceiver, type Receiver, type ReceiverSettings } from '@ringback/receiver';
import { endsBefore } from '@ringback/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { AgentSettings } from './connections.js';
import { Sender } from './send.js';
import { PendingSocket, plainRequest, stubResolver } from './send-egress.fixture.js';

const closers: (() => unknown)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

function open(settings: Partial<AgentSettings> = {}): Sender {
  const sender = new Sender({ timeoutMs: 20_000, allow: parseAllowList('127.0.0.0/8'), ...settings });
  closers.push(() => sender.close());
  return sender;
}

async function listen(settings: ReceiverSettings = {}): Promise<Receiver> {
  const receiver = await startReceiver(settings);
  closers.push(() => receiver.close());
  return receiver;
}

const ok = { type: 'response', status: 200 };

/** A receiver that tells its port, then each request that it gets, and responds 100 ms later. */
const receiverInThread = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:http').createServer((request, response) => {
    parentPort.postMessage('request');
    setTimeout(() => response.end('ok'), 100);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

describe('connections', () => {
  test('are reused for successive requests', async () => {
    const receiver = await listen();
    const sender = open();
    for (let calls = 0; calls < 20; calls++) await sender.send({ ...plainRequest, url: `${receiver.origin}/${calls}` });
    expect(receiver.calls).toHaveLength(20);
    expect(receiver.connections()).toBe(1);
  });

  test('to one host are limited, and further requests wait', async () => {
    const receiver = await listen({ answer: { status: 200, delayMs: 20 } });
    const sender = open({ maxPerHost: 5 });
    const url = `${receiver.origin}/`;
    const sent = await Promise.all(Array.from({ length: 40 }, () => sender.send({ ...plainRequest, url })));
    expect(sent.map(({ outcome }) => outcome)).toEqual(Array(40).fill(ok));
    expect(receiver.connections()).toBe(5);
  });

  test('are read once more at the deadline, so that a response counts if only this process was late', async () => {
    const timeoutMs = 3_000;
    const thread = new Worker(receiverInThread, { eval: true });
    closers.push(() => thread.terminate());
    const [port] = (await once(thread, 'message')) as [number];
    const sending = open({ timeoutMs }).send({ ...plainRequest, url: `http://127.0.0.1:${port}/` });
    await once(thread, 'message');
    // Stops this thread, as a suspended virtual machine would, while the receiver responds.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs + 100);
    expect((await sending).outcome).toEqual(ok);
  });

  test('to a hanging host delay no other host, and requests that wait for one time out', async () => {
    const [hung, healthy] = await Promise.all([listen({ answer: 'hang' }), listen()]);
    const timeoutMs = 2_000;
    const sender = open({ maxPerHost: 3, timeoutMs });
    const ended: string[] = [];
    const waiting = Array.from({ length: 9 }, async () => {
      // The deadline counts from the start of the call, not from when a connection is free.
      const call = () => sender.send({ ...plainRequest, url: `${hung.origin}/` });
      const sent = await endsBefore(timeoutMs * 1.9, call);
      ended.push('hung');
      return sent;
    });
    const { outcome } = await sender.send({ ...plainRequest, url: `${healthy.origin}/` });
    ended.push('healthy');
    expect(outcome).toEqual(ok);
    const outcomes = (await Promise.all(waiting)).map((sent) => sent.outcome);
    expect(outcomes.map(({ type }) => type)).toEqual(Array(9).fill('timeout'));
    // Three were sent, the others waited for a connection.
    expect(outcomes.filter((outcome) => 'code' in outcome && outcome.code === 'RESPONSE_TIMEOUT')).toHaveLength(3);
    expect(ended[0]).toBe('healthy');
    hung.answerWith({ status: 200 });
    expect((await sender.send({ ...plainRequest, url: `${hung.origin}/` })).outcome).toEqual(ok);
  });

  test('that are idle are limited over all hosts: the one that has been idle for longest is closed', async () => {
    const receivers = await Promise.all(Array.from({ length: 6 }, () => listen()));
    const sender = open({ maxIdle: 3 });
    const callAll = async (some: Receiver[]) => {
      for (const { origin } of some) await sender.send({ ...plainRequest, url: `${origin}/` });
    };
    await callAll(receivers);
    await callAll(receivers.slice(3));
    expect(receivers.map((receiver) => receiver.connections())).toEqual([1, 1, 1, 1, 1, 1]);
    await callAll(receivers.slice(0, 3));
    expect(receivers.map((receiver) => receiver.connections())).toEqual([2, 2, 2, 1, 1, 1]);
  });

  test.each(['http', 'https'])('%s: the first of several addresses that responds is used', async (scheme) => {
    const certificate = makeCertificate({ name: 'receiver.example' });
    const receiver = await listen(scheme === 'https' ? { certificate } : {});
    const resolve = stubResolver({ 'receiver.example': ['::1', '127.0.0.9', '127.0.0.1'] });
    const sender = open({ allow: parseAllowList('127.0.0.0/8,::1'), resolve, ca: certificate.cert });
    const url = `${scheme}://receiver.example:${new URL(receiver.origin).port}/`;
    expect(await sender.send({ ...plainRequest, url })).toMatchObject({ outcome: ok, remoteAddress: '127.0.0.1' });
  });

  test('a name none of whose addresses responds is a failure to connect', async () => {
    const receiver = await listen();
    await receiver.close();
    const resolve = stubResolver({ 'gone.example': ['127.0.0.2', '127.0.0.1'] });
    const url = `http://gone.example:${new URL(receiver.origin).port}/`;
    const { outcome } = await open({ resolve }).send({ ...plainRequest, url });
    expect(outcome).toEqual({ type: 'connect', code: 'ECONNREFUSED' });
  });

  test('a connection that never opens is a timeout', async () => {
    const sender = open({ timeoutMs: 500, dial: () => new PendingSocket() });
    const sent = await sender.send({ ...plainRequest, url: 'http://127.0.0.1:4000/' });
    expect(sent.outcome).toEqual({ type: 'timeout', code: 'CONNECT_TIMEOUT' });
    expect(sent).toMatchObject({ timings: { connectMs: null, firstByteMs: null }, remoteAddress: null });
  });

  test('a request to a name that waits for a free connection ends as CONNECT_TIMEOUT', async () => {
    const receiver = await listen({ answer: 'hang' });
    const resolve = stubResolver({ 'hung.example': ['127.0.0.1'] });
    const sender = open({ timeoutMs: 2_000, maxPerHost: 1, resolve });
    const call = () => sender.send({ ...plainRequest, url: `http://hung.example:${new URL(receiver.origin).port}/` });
    const first = call();
    await receiver.waitFor(1);
    const outcomes = await Promise.all([first, call(), call(), call()]);
    const codes = outcomes.map(({ outcome }) => 'code' in outcome && outcome.code);
    // One of those that wait gets the connection that the first one frees at its deadline.
    expect(codes.filter((code) => code === 'CONNECT_TIMEOUT').length).toBeGreaterThanOrEqual(2);
  });

  test('a name that resolves for ever is a timeout', async () => {
    const sender = open({ timeoutMs: 200, resolve: () => new Promise(() => {}) });
    const sent = await sender.send({ ...plainRequest, url: 'http://slow.example/' });
    expect(sent.outcome).toEqual({ type: 'timeout', code: 'DNS_TIMEOUT' });
    expect(sent.timings.dnsMs).toBeNull();
  });
});

describe('timings', () => {
  test('a request on a new https connection has all phases, on a reused one only the first byte', async () => {
    const certificate = makeCertificate({ name: 'receiver.example' });
    const receiver = await listen({ certificate, answer: { status: 200, delayMs: 50 } });
    const resolve = stubResolver({ 'receiver.example': ['127.0.0.1'] });
    const sender = open({ ca: certificate.cert, resolve });
    const url = `https://receiver.example:${new URL(receiver.origin).port}/`;
    const first = await sender.send({ ...plainRequest, url });
    expect(first).toMatchObject({ outcome: ok, remoteAddress: '127.0.0.1' });
    const { dnsMs, connectMs, tlsMs, firstByteMs } = first.timings;
    for (const phase of [dnsMs, connectMs, tlsMs, firstByteMs]) expect(phase).toEqual(expect.any(Number));
    expect(firstByteMs).toBeGreaterThanOrEqual(48);
    const { timings, remoteAddress } = await sender.send({ ...plainRequest, url });
    expect(timings).toEqual({ dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: expect.any(Number) });
    expect(remoteAddress).toBe('127.0.0.1');
    expect(receiver.connections()).toBe(1);
  });

  test('each take the time that passes in them, and together at most the duration', async () => {
    const certificate = makeCertificate({ name: 'receiver.example' });
    const receiver = await listen({ certificate, answer: { status: 200, delayMs: 50 } });
    const resolve = () => sleep(50, [{ address: '127.0.0.1', family: 4 }]);
    const url = `https://receiver.example:${new URL(receiver.origin).port}/`;
    const { timings, durationMs } = await open({ ca: certificate.cert, resolve }).send({ ...plainRequest, url });
    const { dnsMs, connectMs, tlsMs, firstByteMs } = timings;
    // A timer may end up to 1 ms early, and each time is rounded.
    expect(dnsMs).toBeGreaterThanOrEqual(49);
    expect(firstByteMs).toBeGreaterThanOrEqual(49);
    expect(Number(dnsMs) + Number(connectMs) + Number(tlsMs) + Number(firstByteMs)).toBeLessThanOrEqual(durationMs + 2);
  });

  test('are null for DNS with an address, for TLS with http, and for the first byte without a response', async () => {
    const receiver = await listen({ answer: 'hang' });
    const { timings } = await open({ timeoutMs: 2_000 }).send({ ...plainRequest, url: `${receiver.origin}/` });
    expect(timings).toEqual({ dnsMs: null, connectMs: expect.any(Number), tlsMs: null, firstByteMs: null });
  });
});

describe('TLS is verified', () => {
  test.each([
    ['self-signed', makeCertificate(), false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['of another name', makeCertificate({ name: 'other.example' }), true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['expired', makeCertificate({ name: 'receiver.example', days: -5 }), true, 'CERT_HAS_EXPIRED'],
  ])(
    'a certificate that is %s is a failure of TLS, and no request is made',
    async (_what, certificate, trusted, code) => {
      const receiver = await listen({ certificate });
      const resolve = stubResolver({ 'receiver.example': ['127.0.0.1'] });
      const sender = open({ resolve, ca: trusted ? certificate.cert : undefined });
      const url = `https://receiver.example:${new URL(receiver.origin).port}/`;
      const { outcome } = await sender.send({ ...plainRequest, url });
      expect(outcome).toMatchObject({ type: 'tls', code });
      expect(receiver.calls).toEqual([]);
    },
  );

  test('https to a server that speaks http is a failure of TLS', async () => {
    const receiver = await listen();
    const { outcome } = await open().send({ ...plainRequest, url: receiver.origin.replace('http', 'https') });
    expect(outcome).toEqual({ type: 'tls', code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
  });

  test('http to a server that speaks TLS is a failure, and the next call to it works', async () => {
    const certificate = makeCertificate();
    const receiver = await listen({ certificate });
    const sender = open({ ca: certificate.cert });
    const { outcome } = await sender.send({ ...plainRequest, url: receiver.origin.replace('https', 'http') });
    expect(outcome.type).toMatch(/^(protocol|reset|response)$/);
    expect((await sender.send({ ...plainRequest, url: receiver.origin })).outcome).toEqual(ok);
  });
});
