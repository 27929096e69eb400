import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import supertest from 'supertest';
import { openDatabase } from '@ringback/ledger';
import { until } from '@ringback/testing';
import { makeWebhook, startApi, type TestAccount, type TestApi } from '../api.fixture.js';
import { ApiMetrics } from './metrics.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => {
  api = await startApi();
  account = await api.makeAccount();
});
afterAll(() => api.close());

const scrape = async (from = api) => (await from.raw.get('/metrics').expect(200)).text;
const valueOf = (text: string, series: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length) ?? NaN,
  );

describe('/metrics of the API', () => {
  test('is text for Prometheus, and needs no token', async () => {
    const { headers, text } = await api.raw.get('/metrics');
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const lines = text.split('\n').filter((line) => line !== '');
    for (const line of lines) expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{.*\})? \S+)$/);
  });

  test('counts requests by method, route and status, whatever their ids', async () => {
    const { id } = await makeWebhook(account);
    for (const anyId of [id, id, 'other']) await account.get(`/developer/webhooks/${anyId}`);
    const text = await scrape();
    const series = (status: number) =>
      `ringback_http_requests_total{method="GET",route="/developer/webhooks/:id",status="${status}"}`;
    expect([valueOf(text, series(200)), valueOf(text, series(404))]).toEqual([2, 1]);
    const duration = 'ringback_http_request_duration_seconds_count{method="GET",route="/developer/webhooks/:id"}';
    expect(valueOf(text, duration)).toBe(3);
    expect(text).not.toContain(id);
  });

  test('leaves the wait that a request asks for out of its duration', async () => {
    const metrics = new ApiMetrics({ db: api.db, reservedDb: api.db, bulkDb: api.db, queues: api.queues });
    let waitedMs = 0;
    const app = express().get('/wait', metrics.recordRequest, async (_request, response) => {
      await metrics.duringWait(response, async () => {
        const waitStartedAt = performance.now();
        // So much longer than the rest that it would show, also on a busy machine.
        await until(() => performance.now() - waitStartedAt > 5 * (waitStartedAt - startedAt));
        waitedMs = performance.now() - waitStartedAt;
      });
      response.end();
    });
    const startedAt = performance.now();
    await supertest(app).get('/wait').expect(200);
    const restMs = performance.now() - startedAt - waitedMs;
    const sum = 'ringback_http_request_duration_seconds_sum{method="GET",route="/wait"}';
    const sumMs = valueOf((await metrics.read()).text, sum) * 1_000;
    expect(sumMs).toBeGreaterThan(0);
    expect(sumMs).toBeLessThanOrEqual(restMs);
  });

  test('counts requests that reach no route under the route "none"', async () => {
    for (const path of ['/a', '/b', '/api/v2/c?access_token=x']) await api.raw.get(path).expect(404);
    await api.raw.get('/api/v2/developer/webhooks').expect(401);
    const text = await scrape();
    const series = (status: number) => `ringback_http_requests_total{method="GET",route="none",status="${status}"}`;
    expect([valueOf(text, series(404)), valueOf(text, series(401))]).toEqual([3, 1]);
  });

  test('counts events by state, and measures the jobs of the queues and the age of the oldest due one', async () => {
    const platform = await api.makePlatform();
    const { id: webhook_id } = await makeWebhook(account);
    const event = (message: string, more: object = {}) => ({
      event: 'sms:message:status',
      account_id: account.id,
      payload: { id: message },
      ...more,
    });
    await platform.post('/events', [
      event('m:1', { webhook_id }),
      event('m:2'),
      event('m:3', { webhook_id: account.id }),
    ]);
    const age = 'ringback_lag_seconds{kind="sms"}';
    let text = await scrape();
    while (!(valueOf(text, age) > 1)) text = await scrape();
    const events = ['routed', 'unrouted', 'rejected'].map((state) =>
      valueOf(text, `ringback_events_total{state="${state}"}`),
    );
    expect(events).toEqual([1, 1, 1]);
    expect(valueOf(text, 'ringback_queue_jobs{queue="sms-events",state="waiting"}')).toBe(0);
    expect(valueOf(text, 'ringback_lag_seconds{kind="rcs"}')).toBe(0);
    expect(valueOf(text, 'ringback_lag_seconds{kind="sms-events"}')).toBe(0);
  });

  test('has the PostgreSQL connections, the readiness and the metrics of Node', async () => {
    const text = await scrape();
    expect(valueOf(text, 'ringback_ready')).toBe(1);
    expect(valueOf(text, 'ringback_database_connections{state="idle"}')).toBeGreaterThan(0);
    expect(valueOf(text, 'ringback_database_waiting')).toBe(0);
    expect(valueOf(text, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  });

  test('responds while the database is unavailable, reports that, and leaves out what it cannot measure', async () => {
    const db = openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/none' });
    const withoutDatabase = await api.variant({
      db,
      metrics: new ApiMetrics({ db, reservedDb: db, bulkDb: db, queues: api.queues }),
    });
    const text = await scrape(withoutDatabase);
    await db.close();
    expect(valueOf(text, 'ringback_ready')).toBe(0);
    expect(text).not.toContain('ringback_lag_seconds{');
    expect(text).toContain('ringback_queue_jobs{');
  });
});
