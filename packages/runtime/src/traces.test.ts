import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openTraces, type Span } from './traces.js';

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
  name: 'event.take',
  kind: 'consumer',
  place: 'first',
  startedAt: 1_768_469_527_123,
  endedAt: 1_768_469_527_125.4,
  failed: false,
  attributes: { 'ringback.state': 'routed', 'ringback.deliveries': 2 },
  ...more,
});

const open = (more: object = {}) =>
  openTraces({ endpoint, service: 'ringback-test', onError: (error) => errors.push(error.message), ...more });

const spansIn = (call: Call | undefined) => JSON.parse(call?.body ?? '{}').resourceSpans[0].scopeSpans[0].spans;

test('a span is sent as OTLP, in the trace of its event', async () => {
  const traces = open({ endpoint: `${endpoint}/`, headers: { 'x-key': 'k' } });
  traces.note(span());
  await traces.close();
  expect(calls).toMatchObject([{ path: '/v1/traces', headers: { 'content-type': 'application/json', 'x-key': 'k' } }]);
  const { resource } = JSON.parse(calls[0]?.body ?? '').resourceSpans[0];
  expect(resource.attributes[0]).toEqual({ key: 'service.name', value: { stringValue: 'ringback-test' } });
  expect(spansIn(calls[0])).toEqual([
    {
      traceId: '0199f3a08d227abc8def0123456789ab',
      spanId: '8def0123456789ab',
      name: 'event.take',
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

test('others of the event stand under its first, each with an id of its own, and say that they failed', async () => {
  const traces = open();
  for (const failed of [true, false]) traces.note(span({ place: 'under', kind: 'client', failed }));
  await traces.close();
  const [failed, good] = spansIn(calls[0]);
  expect([failed.parentSpanId, good.parentSpanId]).toEqual(['8def0123456789ab', '8def0123456789ab']);
  expect(failed.spanId).toMatch(/^[0-9a-f]{16}$/);
  expect(failed.spanId).not.toBe(good.spanId);
  expect([failed.status, good.status]).toEqual([{ code: 2 }, undefined]);
});

test('many go in batches', async () => {
  const traces = open();
  for (let index = 0; index < 1_200; index++) traces.note(span());
  await traces.close();
  expect(calls.map((call) => spansIn(call).length)).toEqual([500, 500, 200]);
  expect(errors).toEqual([]);
});

test('what a collector refuses is lost; that is said, and nothing throws', async () => {
  status = 503;
  const traces = open();
  for (let index = 0; index < 5_010; index++) traces.note(span());
  await traces.close();
  expect(calls).toHaveLength(1);
  expect(errors).toEqual(['5010 spans are lost (the collector answered 503)']);
});

test('what is more than can wait is said also when the rest arrives', async () => {
  const traces = open();
  for (let index = 0; index < 5_001; index++) traces.note(span());
  await traces.close();
  expect(calls).toHaveLength(10);
  expect(errors).toEqual(['1 spans are lost (too many at once)']);
});

test('a collector that is not there costs its spans and nothing else', async () => {
  collector.close();
  const traces = open();
  traces.note(span());
  await traces.close();
  expect(errors).toEqual([expect.stringMatching(/^1 spans are lost \(.+\)$/)]);
});
