import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { sampleEvent } from '@ringback/rules';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import { customer } from './api.js';
import { ringback } from './cli.js';
import { run, type Running } from './processes.js';

let database: TestDatabase;
let receiver: Receiver;
let collector: Receiver;
let processes: Running[];
let env: NodeJS.ProcessEnv;
let baseUrl = '';

beforeAll(async () => {
  database = await createTestDatabase();
  receiver = await startReceiver({ answer: (_call, index) => ({ status: index === 0 ? 500 : 200 }) });
  collector = await startReceiver();
  env = {
    DATABASE_URL: database.url,
    PORT: '0',
    EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
    RETRY_TIME_SCALE: '0.001',
    LOG_FORMAT: 'json',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=acme,authorization=Basic%20eA==',
  };
  const [api, worker] = [run('apps/api/dist/main.js', { env }), run('apps/worker/dist/main.js', { env })];
  processes = [api, worker];
  [, baseUrl = ''] = await api.waitFor(/"base_url":"([^"]+)"/);
  await worker.waitFor(/"worker.started"/);
});
afterAll(async () => {
  await receiver.close();
  await collector.close();
  await database.drop();
});

type Attribute = { key: string; value: { stringValue?: string; intValue?: string } };
type SentSpan = { traceId: string; spanId: string; parentSpanId?: string; name: string; attributes: Attribute[] };

/** All received spans, with the service that sent each. */
const spans = () =>
  collector.calls.flatMap(({ body }) => {
    const { resourceSpans } = JSON.parse(body.toString());
    const [{ resource, scopeSpans }] = resourceSpans;
    const service: string = resource.attributes[0].value.stringValue;
    return scopeSpans[0].spans.map((span: SentSpan) => ({ ...span, service }));
  });

test('the ingest of an event and each of its attempts share one trace, whose id the event has', async () => {
  const account = (await ringback(['account', 'create', '--name', 'acme'], { env })) as {
    id: string;
    access_token: string;
  };
  const platform = (await ringback(['platform-token', 'create'], { env })) as { platform_token: string };
  const call = customer(baseUrl, account.access_token);
  const hook = { name: 'in', uri: `${receiver.origin}/in?key=hidden`, secret: 'hidden-too' };
  const { body: webhook } = await call('POST', '/developer/webhooks', hook);
  const event = sampleEvent('rcs-status', { accountId: account.id, webhookId: webhook.data.id });
  const { body } = await customer(baseUrl, platform.platform_token)('POST', '/events', event);
  await receiver.waitFor(2);
  // The remaining spans are sent when the processes stop.
  for (const program of processes) expect(await program.stop()).toBe(0);

  const id: string = body.data[0].id;
  const [ingest, ...attempts] = spans().sort((a, b) => (a.name < b.name ? 1 : -1));
  expect(ingest).toMatchObject({ name: 'event.ingest', service: 'ringback-api', traceId: id.replaceAll('-', '') });
  expect(ingest.parentSpanId).toBeUndefined();
  expect(attempts).toHaveLength(2);
  for (const attempt of attempts) {
    const { traceId, spanId: parentSpanId } = ingest;
    expect(attempt).toMatchObject({ name: 'delivery.attempt', service: 'ringback-worker', traceId, parentSpanId });
  }
  const statuses = attempts.flatMap(({ attributes }: SentSpan) =>
    attributes.filter(({ key }) => key === 'http.response.status_code').map(({ value }) => value.intValue),
  );
  expect(statuses.sort()).toEqual(['200', '500']);
  for (const { headers } of collector.calls) {
    expect(headers).toMatchObject({ 'x-tenant': 'acme', authorization: 'Basic eA==' });
  }
  const exported = collector.calls.map(({ body: sent }) => sent.toString()).join('\n');
  expect(exported).not.toMatch(/hidden|rb_access|rb_callback|127\.0\.0\.1/);
});
