import { expect, test } from '@jest/globals';
import { createClient } from './client.js';

type Item = { id: number };

/** A client of an API that has these webhooks, and the queries that it got. */
function clientOf(items: Item[], onRequest: (query: URLSearchParams) => void = () => undefined) {
  const queries: string[] = [];
  const fetch: typeof globalThis.fetch = (url) => {
    const { searchParams, pathname } = new URL(String(url));
    queries.push(searchParams.toString());
    onRequest(searchParams);
    return Promise.resolve(
      Response.json(pathname.endsWith('webhooks') ? numbered(searchParams) : cursored(searchParams)),
    );
  };
  const numbered = (query: URLSearchParams) => {
    const perPage = Number(query.get('per_page') ?? 15);
    const page = Number(query.get('page') ?? 1);
    const meta = { current_page: page, last_page: Math.max(1, Math.ceil(items.length / perPage)), per_page: perPage };
    const data = items.slice((page - 1) * perPage, page * perPage);
    return { data, meta: { ...meta, total: items.length }, links: { next: 'http://unreachable.example/' } };
  };
  const cursored = (query: URLSearchParams) => {
    const from = Number(query.get('cursor') ?? 0);
    const next = from + 2 < items.length ? String(from + 2) : null;
    return { data: items.slice(from, from + 2), meta: { next_cursor: next } };
  };
  return { client: createClient({ baseUrl: 'https://ringback.example/api/v2', token: 't', fetch }), queries };
}

const range = (length: number): Item[] => Array.from({ length }, (_, id) => ({ id }));
const idsOf = (items: object[]) => items.map((item) => Reflect.get(item, 'id') as number);

test('awaiting a list fetches one page, which leads to the next', async () => {
  const { client, queries } = clientOf(range(5));
  const list = client.webhooks.list({ per_page: 3, filter: { name: 'in' } });
  expect(queries).toEqual([]);
  const page = await list;
  expect([idsOf(page.data), page.hasMore, page.total]).toEqual([[0, 1, 2], true, 5]);
  const last = await page.nextPage();
  expect([idsOf(last!.data), last!.hasMore, last!.nextPage()]).toEqual([[3, 4], false, undefined]);
  expect(queries).toEqual(['per_page=3&filter%5Bname%5D=in', 'per_page=3&filter%5Bname%5D=in&page=2']);
  await list;
  expect(queries).toHaveLength(2);
});

test.each(['webhooks', 'deliveries'] as const)('iterating over %s visits the items of all pages', async (name) => {
  const { client } = clientOf(range(7));
  const ids: unknown[] = [];
  for await (const item of client[name].list({ per_page: 2 })) ids.push(item.id);
  expect(ids).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(idsOf(await client[name].list({ per_page: 2 }).toArray({ limit: 3 }))).toEqual([0, 1, 2]);
  expect(await clientOf([]).client[name].list().toArray()).toEqual([]);
});

test('an iteration that ends early fetches no more pages', async () => {
  const { client, queries } = clientOf(range(7));
  for await (const item of client.deliveries.list()) if (String(item.id) === '1') break;
  expect(queries).toHaveLength(1);
});

test('an iteration that deletes what it visits visits everything', async () => {
  const items = range(50);
  const { client } = clientOf(items);
  const visited: unknown[] = [];
  for await (const { id } of client.webhooks.list({ per_page: 7 })) {
    visited.push(id);
    items.splice(
      items.findIndex((item) => Object.is(item.id, id)),
      1,
    );
  }
  expect(visited).toEqual(range(50).map(({ id }) => id));
});

test('an iteration while items are created at the front visits each of the others once', async () => {
  const items = range(20);
  const { client } = clientOf(items, (query) => {
    if (query.has('page')) items.unshift({ id: 100 + items.length });
  });
  expect(idsOf(await client.webhooks.list({ per_page: 5 }).toArray())).toEqual(range(20).map(({ id }) => id));
});

test('an iteration with cursors, where nothing can shift, passes on what the server lists and remembers no ids', async () => {
  const { client } = clientOf([{ id: 1 }, { id: 2 }, { id: 1 }]);
  expect(idsOf(await client.deliveries.list().toArray())).toEqual([1, 2, 1]);
});

test('an error rejects the list and ends the iteration', async () => {
  const fetch: typeof globalThis.fetch = () => Promise.resolve(new Response('no', { status: 500 }));
  const client = createClient({ baseUrl: 'https://ringback.example', token: 't', fetch });
  await expect(client.webhooks.list()).rejects.toMatchObject({ status: 500 });
  await expect(client.webhooks.list().toArray()).rejects.toMatchObject({ status: 500 });
  expect(await client.webhooks.list().catch(() => 'caught')).toBe('caught');
});
