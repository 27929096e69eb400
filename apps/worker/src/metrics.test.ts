import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { backends, until } from '@ringback/testing';
import type { Role } from '@ringback/process';
import { startTestbed, type Testbed } from './worker.fixture.js';

let testbed: Testbed;
let port: number;
afterEach(() => testbed.close());

async function open(backend: 'postgres' | 'redis', roles?: Role[]): Promise<void> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  testbed = await startTestbed(backend, { healthPort: port, ...(roles ? { roles: new Set(roles) } : {}) });
}

const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);

/** The series of `/metrics` and their values. */
async function scrape(): Promise<Map<string, number>> {
  const lines = (await (await ask('/metrics')).text()).split('\n').filter((line) => /^\w/.test(line));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

const push = async (webhookId: string, ...kinds: ('sms' | 'rcs-status')[]) => {
  for (const kind of kinds) await testbed.pushSamples(kind, { webhookId });
};

describe.each(backends)('/metrics of a worker on $name', ({ name }) => {
  test('reports attempts, the time from storing to attempt, and batch sizes', async () => {
    await open(name);
    testbed.receiver.answerWith((call) => ({ status: call.path === '/wrong' ? 500 : 200 }));
    const good = await testbed.makeWebhook();
    const bad = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}/wrong` });
    await push(good.id, 'sms', 'rcs-status');
    await push(bad.id, 'rcs-status');
    await testbed.waitForDelivery({ webhookId: bad.id }, 'failed');
    await until(async () => (await scrape()).get('ringback_callbacks_in_flight') === 0);
    const metrics = await scrape();
    const attempts = (channel: string, verdict: string) =>
      metrics.get(`ringback_attempts_total{channel="${channel}",outcome="response",verdict="${verdict}"}`);
    expect([attempts('sms', 'delivered'), attempts('rcs', 'delivered')]).toEqual([1, 1]);
    expect([attempts('rcs', 'retry'), attempts('rcs', 'failed')]).toEqual([2, 1]);
    expect(metrics.get('ringback_store_to_attempt_seconds_count{channel="rcs"}')).toBe(2);
    expect(metrics.get('ringback_attempt_duration_seconds_count{channel="rcs"}')).toBe(4);
    expect(metrics.get('ringback_events_total{state="routed"}')).toBe(3);
    for (const batch of ['ingest', 'record']) {
      expect(metrics.get(`ringback_batch_size_count{batch="${batch}"}`)).toBeGreaterThan(0);
    }
    expect(metrics.get('ringback_ready')).toBe(1);
    expect([...metrics.keys()].filter((series) => series.includes(good.id) || series.includes('127.0.0.1'))).toEqual(
      [],
    );
  });

  test('reports waiting jobs and their age in queues without consumers', async () => {
    await open(name, ['maintain']);
    const { id } = await testbed.makeWebhook();
    await push(id, 'sms');
    const [jobs, age] = [
      'ringback_queue_jobs{queue="sms-events",state="waiting"}',
      'ringback_lag_seconds{kind="sms-events"}',
    ];
    await until(async () => ((await scrape()).get(age) ?? 0) > 2);
    await push(id, 'sms');
    await until(async () => (await scrape()).get(jobs) === 2);
    expect((await scrape()).get(age)).toBeGreaterThan(2);
    expect((await scrape()).get('ringback_queue_jobs{queue="rcs-events",state="waiting"}')).toBe(0);
    expect((await scrape()).get('ringback_lag_seconds{kind="rcs-events"}')).toBe(0);
  });
});

test('HEALTH_PORT serves health and metrics only', async () => {
  await open('postgres', ['maintain']);
  const [healthz, readyz, metrics, other] = await Promise.all(['/healthz', '/readyz', '/metrics', '/x'].map(ask));
  expect([healthz?.status, readyz?.status, metrics?.status, other?.status]).toEqual([200, 200, 200, 404]);
  expect(metrics?.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
});
