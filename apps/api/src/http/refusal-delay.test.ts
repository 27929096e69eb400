import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, expect, test } from '@jest/globals';
import { until } from '@ringback/testing';
import { startApi } from '../api.fixture.js';
import { RefusalDelay } from './request-limit.js';

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

test('the number of refusals that wait is limited, and a disconnect ends a wait', async () => {
  let [arrived, finished] = [0, 0];
  const refusalDelay = new RefusalDelay({ delayMs: 1_000_000, maxDelayed: 2 });
  const app = express().use(async (_request, response) => {
    arrived++;
    await refusalDelay.wait(response);
    finished++;
    response.end();
  });
  const server = app.listen(0);
  closers.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const call = () => http.get({ port, agent: false }).on('error', () => undefined);

  const [first] = [call(), call()];
  await until(() => arrived === 2);
  await once(call(), 'response');
  expect([arrived, finished]).toEqual([3, 1]);
  first.destroy();
  await until(() => finished === 2);
  call();
  await until(() => arrived === 4);
  await once(call(), 'response');
  expect([arrived, finished]).toEqual([5, 3]);
});

test('a request above the request limit is refused after a delay; other requests get responses meanwhile', async () => {
  const api = await startApi({ rateLimitPerMinute: 1, refusalDelayMs: 1_000_000 });
  closers.push(() => api.close());
  const account = await api.makeAccount();
  await account.get('/developer/events').expect(200);
  const answered: number[] = [];
  const headers = { authorization: `Bearer ${account.token}` };
  const call = { port: api.port, path: '/api/v2/developer/events', headers };
  const request = http.get(call, ({ statusCode = 0 }) => void answered.push(statusCode));
  request.on('error', () => undefined);
  // Long enough for a response without a delay.
  for (let calls = 0; calls < 10; calls++) {
    const other = await api.makeAccount();
    await other.get('/developer/events').expect(200);
  }
  expect(answered).toEqual([]);
  request.destroy();
});
