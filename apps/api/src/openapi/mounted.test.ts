import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Express } from 'express';
import { openApi, type TestApi } from '../api.fixture.js';
import { createApp } from '../app.js';
import { operations } from '../operations.js';

let api: TestApi;
beforeAll(async () => void (api = await openApi()));
afterAll(() => api.close());

type Layer = Express['router']['stack'][number];

/** `GET /developer/webhooks/{id}` for every route of an app, whichever router it is in. */
function routesIn(layers: Layer[]): string[] {
  return layers.flatMap(({ route, handle }) => {
    if (!route) return routesIn(Reflect.get(handle, 'stack') ?? []);
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const methods = new Set(route.stack.map(({ method }) => method).filter((method) => method !== undefined));
    return [...methods].map((method) => `${method.toUpperCase()} ${path}`);
  });
}

test('every route that is mounted is in the document, and the other way round', () => {
  const mounted = routesIn(createApp(api.deps).router.stack);
  expect(mounted.sort()).toEqual(operations.map(({ at }) => at).sort());
});

test('every operation has an id and a place of its own', () => {
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  expect(new Set(operations.map(({ at }) => at)).size).toBe(operations.length);
});
