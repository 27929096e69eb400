import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createOtlpTracer, type Span } from './tracer.js';

type Call = { path: string; headers: http.IncomingHttpHeaders; body: string };

let collector: http.Server;
let endpoint: string;
let status: number;
let calls: Call[];
let errors: string[];
beforeEach(async () => {
  [status, calls, errors] = [200, [], []];
  collector = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      calls.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(status).end('{}');
    });
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterEach(() => void collector.close());

const span = (more: Partial<Span> = {}): Span => ({
  eventId: '0199F3A0-8d22-7abc-8def-0123456789ab',
  name: 'event.ingest',
  kind: 'consumer',
  isRoot: true,
  startedAt: 1_768_469_527_123,
  endedAt: 1_768_469_527_125.4,
  hasFailed: false,
  attributes: { 'ringback.state': 'routed', 'ringback.deliveries': 2 },
  ...more,
});

const createTracer = (more: object = {}) =>
  createOtlpTracer({ endpoint, service: 'ringback-test', onDropped: (error) => errors.push(error.message), ...more });

const spansIn = (call: Call | undefined) => JSON.parse(call?.body ?? '{}').resourceSpans[0].scopeSpans[0].spans;

test('a span is exported as OTLP, in the trace of its event', async () => {
  const tracer = createTracer({ endpoint: `${endpoint}/`, headers: { 'x-key': 'k' } });
  tracer.record(span());
  await tracer.close();
  expect(calls).toMatchObject([{ path: '/v1/traces', headers: { 'content-type': 'application/json', 'x-key': 'k' } }]);
  const { resource } = JSON.parse(calls[0]?.body ?? '').resourceSpans[0];
  expect(resource.attributes[0]).toEqual({ key: 'service.name', value: { stringValue: 'ringback-test' } });
  expect(spansIn(calls[0])).toEqual([
    {
      traceId: '0199f3a08d227abc8def0123456789ab',
      spanId: '8def0123456789ab',
      name: 'event.ingest',
      kind: 5,
      startTimeUnixNano: '1768469527123000000',
      endTimeUnixNano: '1768469527125000000',
      attributes: [
        { key: 'ringback.state', value: { stringValue: 'routed' } },
        { key: 'ringback.deliveries', value: { intValue: '2' } },
      ],
    },
  ]);
});

test('child spans have the root span as parent, a span id of their own and the status of a failure', async () => {
  const tracer = createTracer();
  for (const hasFailed of [true, false]) tracer.record(span({ isRoot: false, kind: 'client', hasFailed }));
  await tracer.close();
  const [failed, succeeded] = spansIn(calls[0]);
  expect([failed.parentSpanId, succeeded.parentSpanId]).toEqual(['8def0123456789ab', '8def0123456789ab']);
  expect(failed.spanId).toMatch(/^[0-9a-f]{16}$/);
  expect(failed.spanId).not.toBe(succeeded.spanId);
  expect([failed.status, succeeded.status]).toEqual([{ code: 2 }, undefined]);
});

test('spans are exported in batches of 500', async () => {
  const tracer = createTracer();
  for (let index = 0; index < 1_200; index++) tracer.record(span());
  await tracer.close();
  expect(calls.map((call) => spansIn(call).length)).toEqual([500, 500, 200]);
  expect(errors).toEqual([]);
});

test('spans that the collector refuses are dropped and reported', async () => {
  status = 503;
  const tracer = createTracer();
  for (let index = 0; index < 5_010; index++) tracer.record(span());
  await tracer.close();
  expect(calls).toHaveLength(1);
  expect(errors).toEqual(['5010 spans were dropped (the collector answered 503)']);
});

test('spans above the size of the queue are dropped and reported, the others arrive', async () => {
  const tracer = createTracer();
  for (let index = 0; index < 5_001; index++) tracer.record(span());
  await tracer.close();
  expect(calls).toHaveLength(10);
  expect(errors).toEqual(['1 spans were dropped (the queue is full)']);
});

test('spans are dropped and reported while the collector is unavailable', async () => {
  collector.close();
  const tracer = createTracer();
  tracer.record(span());
  await tracer.close();
  expect(errors).toEqual([expect.stringMatching(/^1 spans were dropped \(.+\)$/)]);
});
