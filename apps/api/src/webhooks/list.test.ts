import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  baseUrl,
  errorBody,
  makeWebhook,
  startApi,
  type TestAccount,
  type TestApi,
  time,
  uuid,
} from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

const path = `${baseUrl}/developer/webhooks`;

/** Inserts webhooks directly, for tests that need many. */
async function fill(count: number) {
  const webhook = { accountId: account.id, uri: 'https://example.com/', active: true };
  const data = Array.from({ length: count }, (_, index) => ({ ...webhook, name: `w${index + 1}` }));
  await (await api.db.prisma()).webhook.createMany({ data });
}

const namesOf = (body: { data: { name: string }[] }) => body.data.map(({ name }) => name);
const list = async (query: string) => (await account.get(`/developer/webhooks${query}`).expect(200)).body;

describe('the list of webhooks', () => {
  test('of a new account is empty', async () => {
    expect(await list('')).toEqual({
      status: 'OK',
      code: 200,
      message: 'Created successfully',
      data: [],
      links: { first: `${path}?page=1`, last: `${path}?page=1`, prev: null, next: null },
      meta: {
        current_page: 1,
        from: null,
        last_page: 1,
        links: [
          { url: null, label: '&laquo; Previous', active: false },
          { url: `${path}?page=1`, label: '1', active: true },
          { url: null, label: 'Next &raquo;', active: false },
        ],
        path,
        per_page: 15,
        to: null,
        total: 0,
      },
    });
  });

  test('has the newest first, status as text', async () => {
    const first = await makeWebhook(account, { name: 'first', secret: 's', token: 't', status: 0 });
    const second = await makeWebhook(account, { name: 'second', payload: { a: '{{id}}' }, signing: false });
    const webhook = { id: uuid, uri: 'https://example.com/in', created_at: time, updated_at: time };
    expect(await list('')).toEqual({
      status: 'OK',
      code: 200,
      message: 'Created successfully',
      data: [
        {
          ...webhook,
          id: second.id,
          name: 'second',
          secret: null,
          verification_code: null,
          status: '1',
          payload: { a: '{{id}}' },
          signing: false,
        },
        { ...webhook, id: first.id, name: 'first', secret: 's', verification_code: 't', status: '0' },
      ],
      links: { first: `${path}?page=1`, last: `${path}?page=1`, prev: null, next: null },
      meta: {
        current_page: 1,
        from: 1,
        last_page: 1,
        links: [
          { url: null, label: '&laquo; Previous', active: false },
          { url: `${path}?page=1`, label: '1', active: true },
          { url: null, label: 'Next &raquo;', active: false },
        ],
        path,
        per_page: 15,
        to: 2,
        total: 2,
      },
    });
  });

  test('has 15 webhooks on a page, and links to the other pages', async () => {
    await fill(31);
    const body = await list('?page=2');
    expect(body.data).toHaveLength(15);
    const url = (page: number) => `${path}?page=${page}`;
    expect(body.links).toEqual({ first: url(1), last: url(3), prev: url(1), next: url(3) });
    expect(body.meta).toEqual({
      current_page: 2,
      from: 16,
      last_page: 3,
      links: [
        { url: url(1), label: '&laquo; Previous', active: false },
        { url: url(1), label: '1', active: false },
        { url: url(2), label: '2', active: true },
        { url: url(3), label: '3', active: false },
        { url: url(3), label: 'Next &raquo;', active: false },
      ],
      path,
      per_page: 15,
      to: 30,
      total: 31,
    });
  });

  test('shows each webhook once over all pages, also those with the same creation time', async () => {
    await fill(40);
    const pages = await Promise.all([1, 2, 3].map((page) => list(`?page=${page}`)));
    const names = pages.flatMap(namesOf);
    expect(names).toHaveLength(40);
    expect(new Set(names).size).toBe(40);
  });

  test.each([['?page=0'], ['?page=-1'], ['?page=abc'], ['?page='], ['?page=1.5'], ['?page=%00'], ['?page[]=2'], ['']])(
    '%p is page 1',
    async (query) => {
      await fill(16);
      const body = await list(query);
      expect(body.data).toHaveLength(15);
      expect(body.meta).toMatchObject({ current_page: 1, from: 1, to: 15 });
    },
  );

  test.each([[3], [100], [5_000_000], [999_999_999_999]])('past its end, page %p, is empty', async (page) => {
    await fill(16);
    const body = await list(`?page=${page}`);
    expect(body.data).toEqual([]);
    expect(body.meta).toMatchObject({ current_page: page, from: null, to: null, last_page: 2, total: 16 });
    expect(body.links).toEqual({
      first: `${path}?page=1`,
      last: `${path}?page=2`,
      prev: `${path}?page=${page - 1}`,
      next: null,
    });
    expect(body.meta.links.filter(({ active }: { active: boolean }) => active)).toEqual([]);
  });

  test.each([['9'.repeat(16)], ['12345678901234567890'], ['1'.repeat(400)]])(
    'page %s, more than any list has, is past its end',
    async (page) => {
      await fill(16);
      const { data, meta, links } = await list(`?page=${page}`);
      expect(data).toEqual([]);
      expect(meta).toMatchObject({ current_page: 999_999_999_999_999, from: null, to: null, last_page: 2 });
      expect(links).toMatchObject({ last: `${path}?page=2`, prev: `${path}?page=999999999999998`, next: null });
    },
  );

  test('page 00000000000000000002 is page 2', async () => {
    await fill(16);
    expect((await list('?page=00000000000000000002')).meta).toMatchObject({ current_page: 2, from: 16, to: 16 });
  });

  test.each([
    ['1', 1],
    ['7', 7],
    ['12345678901234567890', 100],
    ['100', 100],
    ['101', 100],
    ['1000000', 100],
    ['0', 15],
    ['-5', 15],
    ['abc', 15],
    ['', 15],
    ['2.5', 15],
  ])('with per_page %p has %i on a page', async (given, perPage) => {
    await fill(102);
    const body = await list(`?per_page=${given}`);
    expect(body.data).toHaveLength(perPage);
    expect(body.meta).toMatchObject({ per_page: perPage, last_page: Math.ceil(102 / perPage) });
  });

  test('is filtered by at most 20 alternatives of at most 255 characters', async () => {
    await fill(2);
    const names = (count: number, name = 'w1') =>
      `?filter[name]=${encodeURIComponent(Array(count).fill(name).join(', ,'))}`;
    expect(namesOf(await list(names(20)))).toEqual(['w1']);
    expect(namesOf(await list(names(1, 'é'.repeat(255))))).toEqual([]);
    const refusals = {
      [names(21)]: 'The filter[name] field must not have more than 20 alternatives.',
      [names(1, 'é'.repeat(256))]: 'The filter[name] field must not have an alternative of more than 255 characters.',
    };
    for (const [query, message] of Object.entries(refusals)) {
      const { status, body } = await account.get(`/developer/webhooks${query}`);
      const errors = { 'filter[name]': [message] };
      expect([status, body]).toEqual([422, errorBody(422, 'ValidationError', message, errors)]);
    }
  });

  test('has page URLs with encoded filters and per_page, with page last, without the access token', async () => {
    await makeWebhook(account, { name: 'a b&c' });
    await makeWebhook(account, { name: 'A B&C too' });
    const query = `filter[name]=a%20b%26c,%C3%A9&page=1&per_page=1&filter[trashed]=with&access_token=${account.token}&x=y`;
    const answer = await api.raw.get(`/api/v2/developer/webhooks?${query}`).expect(200);
    const kept = 'filter%5Bname%5D=a%20b%26c%2C%C3%A9&filter%5Btrashed%5D=with&per_page=1';
    const url = (page: number) => `${path}?${kept}&page=${page}`;
    expect(answer.body.links).toEqual({ first: url(1), last: url(2), prev: null, next: url(2) });
    expect(answer.body.meta.path).toBe(path);
    expect(answer.text).not.toContain(account.token);
  });

  test('has the right total after every operation', async () => {
    const { webhook } = await api.db.prisma();
    const totals = async () => {
      const total = async (trashed: string) => (await list(`?filter[trashed]=${trashed}`)).meta.total;
      return { live: await total(''), deleted: await total('only'), all: await total('with') };
    };
    // Eight at once, the limit of an account: more would wait, and on a busy machine get a 429.
    const made: { id: string }[] = [];
    while (made.length < 24) made.push(...(await Promise.all(Array.from({ length: 8 }, () => makeWebhook(account)))));
    expect(await totals()).toEqual({ live: 24, deleted: 0, all: 24 });
    await fill(100);
    const ids = made.map(({ id }) => id);
    await Promise.all(ids.map((id) => account.delete(`/developer/webhooks/${id}`)));
    expect(await totals()).toEqual({ live: 100, deleted: 24, all: 124 });
    const half = ids.slice(0, 12);
    const twice = [...half, ...half];
    await Promise.all(twice.map((id) => account.post(`/developer/webhooks/${id}/restore`)));
    expect(await totals()).toEqual({ live: 112, deleted: 12, all: 124 });
    await webhook.updateMany({ where: { accountId: account.id, deletedAt: null }, data: { name: 'renamed' } });
    await webhook.deleteMany({ where: { accountId: account.id, id: { in: ids.slice(10) } } });
    expect(await totals()).toEqual({ live: 110, deleted: 0, all: 110 });
    const counted = await webhook.count({ where: { accountId: account.id } });
    expect(counted).toBe(110);
    const other = await api.makeAccount();
    expect((await other.get('/developer/webhooks')).body.meta.total).toBe(0);
  });

  test('can be read by following its links', async () => {
    await fill(7);
    const names: string[] = [];
    for (let url: string | null = `${path}?per_page=3&filter[name]=w`; url !== null;) {
      const body = await list(url.slice(path.length));
      names.push(...namesOf(body));
      url = body.links.next;
    }
    expect(names.sort()).toEqual(['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7']);
  });
});

describe('filter[name]', () => {
  const names = ['Orders', 'orders eu', '100% sure', 'snake_case', 'snakeXcase', 'back\\slash', 'a,b', 'Größe', "it's"];
  test.each([
    ['orders', ['Orders', 'orders eu']],
    ['RDER', ['Orders', 'orders eu']],
    ['%25', ['100% sure']],
    ['_', ['snake_case']],
    ['e_c', ['snake_case']],
    ['%5C', ['back\\slash']],
    ["'", ["it's"]],
    ['GRÖ', ['Größe']],
    ['eu,SURE', ['100% sure', 'orders eu']],
    ['eu,', ['orders eu']],
    [',,eu', ['orders eu']],
    ['nothing', []],
    ['%25%25', []],
    ['', names],
    [',', names],
    ['%F0%9F', []],
  ])('=%s finds %j', async (filter, found) => {
    for (const name of names) await makeWebhook(account, { name });
    const body = await list(`?filter[name]=${filter}`);
    expect(namesOf(body).sort()).toEqual([...found].sort());
    expect(body.meta.total).toBe(found.length);
  });

  test('with a NUL is a 422', async () => {
    const { status, body } = await account.get('/developer/webhooks?filter[name]=a%00');
    const message = 'The filter[name] field holds a character that is not allowed.';
    expect(status).toBe(422);
    expect(body).toEqual(errorBody(422, 'ValidationError', message, { 'filter[name]': [message] }));
  });

  test('may be percent-encoded', async () => {
    await makeWebhook(account, { name: 'orders' });
    await makeWebhook(account, { name: 'other' });
    expect(namesOf(await list('?filter%5Bname%5D=orders'))).toEqual(['orders']);
  });
});

describe('filter[trashed]', () => {
  test.each([
    ['', ['live']],
    ['?filter[trashed]=', ['live']],
    ['?filter[trashed]=with', ['deleted', 'live']],
    ['?filter[trashed]=only', ['deleted']],
    ['?filter[trashed]=with&filter[name]=del', ['deleted']],
    ['?filter[trashed]=only&filter[name]=live', []],
  ])('%p shows %j', async (query, found) => {
    await makeWebhook(account, { name: 'live' });
    const { id } = await makeWebhook(account, { name: 'deleted' });
    await account.delete(`/developer/webhooks/${id}`);
    expect(namesOf(await list(query))).toEqual(found);
  });
});

describe('an unknown filter, or an unknown value of filter[trashed],', () => {
  test.each([
    ['filter[uri]=x'],
    ['filter[Name]=x'],
    ['filter[name][]=x'],
    ['filter[]=x'],
    ['filter=x'],
    ['filter[status]=1&filter[name]=x'],
    ['filter[trashed]=yes'],
    ['filter[__proto__]=x'],
  ])('such as %s is a 400', async (query) => {
    const { status, body } = await account.get(`/developer/webhooks?${query}`);
    expect(status).toBe(400);
    expect(body).toEqual(errorBody(400, 'BadRequest', expect.stringMatching(/filter/)));
  });
});
