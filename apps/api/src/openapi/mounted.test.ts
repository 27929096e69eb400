import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../api.fixture.js';
import { createApp } from '../app.js';
import { operations } from '../operations.js';
import { routesOf } from './routes.fixture.js';

let api: TestApi;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());

test('the document has exactly the mounted routes', () => {
  const mounted = routesOf(createApp(api.deps));
  expect(mounted.sort()).toEqual(operations.map(({ route }) => route).sort());
});

test('every operation has its own id and route', () => {
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  expect(new Set(operations.map(({ route }) => route)).size).toBe(operations.length);
});
