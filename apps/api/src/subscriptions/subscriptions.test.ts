import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  baseUrl,
  errorBody,
  makeWebhook,
  startApi,
  subscribeMany,
  type TestAccount,
  type TestApi,
  time,
} from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
let webhookId: string;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.makeAccount();
  webhookId = (await makeWebhook(account)).id;
});

const path = '/developer/subscriptions';
const notFound = errorBody(404, 'NotFound', 'Subscription not found.');
const wanted = (fields: object = {}) => ({ event: 'sms:message:status', webhook_id: webhookId, ...fields });
const subscribe = async (fields: object = {}) => (await account.post(path, wanted(fields)).expect(200)).body.data;
const shown = (fields: object = {}) => ({
  id: expect.any(Number),
  event: 'sms:message:status',
  identity: 'all',
  payload: null,
  webhook_id: webhookId,
  created_at: time,
  ...fields,
});

describe('creating a subscription', () => {
  test('with event and webhook answers 200 with identity all', async () => {
    const { status, body } = await account.post(path, wanted());
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'OK',
      code: 200,
      message: 'Subscription Saved Successfully',
      data: shown({ payload: [] }),
    });
    expect(Number.isInteger(body.data.id)).toBe(true);
  });

  test.each([['sms:message:status'], ['rcs:message:status'], ['rcs:message:in']])(
    'to %s is accepted',
    async (event) => {
      const data = await subscribe({ event, identity: 'number:1' });
      expect(data).toEqual(shown({ event, identity: 'number:1', payload: [] }));
    },
  );

  test.each([[''], ['  '], [null], ['all'], [' all '], [undefined]])(
    'with identity %j is for all',
    async (identity) => {
      expect(await subscribe({ identity })).toEqual(shown({ payload: [] }));
    },
  );

  test('is refused when an event and identity have a thousand subscriptions, unless this one exists', async () => {
    await subscribeMany(api, account.id, 999);
    const last = await subscribe();
    const { id: late } = await makeWebhook(account);
    const { status, body } = await account.post(path, wanted({ webhook_id: late }));
    const message = 'An account may have at most 1000 subscriptions for the same event and identity.';
    expect([status, body]).toEqual([
      422,
      { ...errorBody(422, 'ValidationError', message), errors: { event: [message] } },
    ]);
    expect(await (await api.db.prisma()).subscription.count({ where: { accountId: account.id } })).toBe(1_000);
    expect(await subscribe()).toEqual(last);
    await subscribe({ webhook_id: late, identity: 'number:1' });
  });

  test('that exists returns the existing one; one that differs is created', async () => {
    const first = await subscribe({ identity: 'number:1' });
    expect(await subscribe({ identity: 'number:1' })).toEqual(first);
    const others = [
      await subscribe({ identity: 'number:2' }),
      await subscribe({ identity: 'number:1', event: 'rcs:message:in' }),
      await subscribe({ identity: 'number:1', webhook_id: (await makeWebhook(account)).id }),
    ];
    expect(new Set([first, ...others].map(({ id }) => id)).size).toBe(4);
  });

  test('ten times concurrently creates one', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => subscribe()));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect((await account.get(path)).body.meta.total).toBe(1);
  });

  test('by the id of the webhook in capitals is the same', async () => {
    const first = await subscribe();
    expect(await subscribe({ webhook_id: webhookId.toUpperCase() })).toEqual(first);
  });

  test('for an inactive webhook is accepted', async () => {
    const { id } = await makeWebhook(account, { status: 0 });
    expect(await subscribe({ webhook_id: id })).toEqual(shown({ webhook_id: id, payload: [] }));
  });

  test('with unknown fields ignores them', async () => {
    expect(await subscribe({ id: 7, payload: { a: 1 }, created_at: 'x' })).toEqual(shown({ payload: [] }));
  });

  const required = 'The event field is required.';
  test.each([
    [{ event: undefined }, { event: [required] }],
    [{ event: null }, { event: [required] }],
    [{ event: '' }, { event: [required] }],
    [{ event: 'sms:message:in' }, { event: ['The selected event is invalid.'] }],
    [{ event: 'SMS:MESSAGE:STATUS' }, { event: ['The selected event is invalid.'] }],
    [{ event: ['sms:message:status'] }, { event: ['The selected event is invalid.'] }],
    [{ event: 1 }, { event: ['The selected event is invalid.'] }],
    [{ identity: 1 }, { identity: ['The identity field must be a string.'] }],
    [{ identity: {} }, { identity: ['The identity field must be a string.'] }],
    [{ identity: 'x'.repeat(256) }, { identity: ['The identity field must not be greater than 255 characters.'] }],
    [{ identity: 'a\0' }, { identity: ['The identity field holds a character that is not allowed.'] }],
    [{ webhook_id: undefined }, { webhook_id: ['The webhook id field is required.'] }],
    [{ webhook_id: null }, { webhook_id: ['The webhook id field is required.'] }],
    [{ webhook_id: '' }, { webhook_id: ['The webhook id field is required.'] }],
    [{ webhook_id: 1 }, { webhook_id: ['The selected webhook id is invalid.'] }],
    [{ webhook_id: 'x' }, { webhook_id: ['The selected webhook id is invalid.'] }],
    [{ webhook_id: '\0' }, { webhook_id: ['The selected webhook id is invalid.'] }],
    [{ webhook_id: '00000000-0000-4000-8000-000000000000' }, { webhook_id: ['The selected webhook id is invalid.'] }],
  ])('with %j is refused', async (fields, errors) => {
    const { status, body } = await account.post(path, wanted(fields));
    expect(status).toBe(422);
    expect(body).toEqual(errorBody(422, 'ValidationError', Object.values(errors).flat()[0], errors));
  });

  test.each([[''], ['{}']])('with the body %j is refused', async (sent) => {
    const { status, body } = await account.post(path, sent);
    expect(status).toBe(422);
    const message = 'The event field is required. (and 1 more error)';
    const errors = { event: [required], webhook_id: ['The webhook id field is required.'] };
    expect(body).toEqual(errorBody(422, 'ValidationError', message, errors));
  });

  test('for a deleted webhook is refused', async () => {
    await account.delete(`/developer/webhooks/${webhookId}`);
    const { status, body } = await account.post(path, wanted());
    expect([status, body.errors]).toEqual([422, { webhook_id: ['The selected webhook id is invalid.'] }]);
  });
});

describe('a subscription', () => {
  test('is shown by its id', async () => {
    const { id } = await subscribe({ identity: 'number:1' });
    const { status, body } = await account.get(`${path}/${id}`);
    expect(status).toBe(200);
    const data = shown({ id, identity: 'number:1' });
    expect(body).toEqual({ status: 'OK', code: 200, message: 'Subscription', data });
  });

  test('can be deleted once', async () => {
    const { id } = await subscribe();
    const { status, body } = await account.delete(`${path}/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'OK', code: 200, message: 'Subscription Deleted successfully', data: [] });
    for (const answer of [await account.get(`${path}/${id}`), await account.delete(`${path}/${id}`)]) {
      expect([answer.status, answer.body]).toEqual([404, notFound]);
    }
    expect((await account.get(path)).body.data).toEqual([]);
  });

  test('can be deleted by _method', async () => {
    const { id } = await subscribe();
    const { body } = await account.post(`${path}/${id}?_method=DELETE`);
    expect(body.message).toBe('Subscription Deleted successfully');
  });

  test('survives the deletion of its webhook, and works again after its restoration', async () => {
    const { id } = await subscribe();
    await account.delete(`/developer/webhooks/${webhookId}`);
    expect((await account.get(`${path}/${id}`)).body.data).toEqual(shown({ id }));
    expect((await account.get(path)).body.data).toEqual([shown({ id })]);
    await account.post(`/developer/webhooks/${webhookId}/restore`);
    expect(await subscribe()).toEqual(shown({ id, payload: [] }));
  });

  test.each([
    ['0'],
    ['-1'],
    ['x'],
    ['1.5'],
    ['2147483647'],
    ['2147483648'],
    ['99999999999999999999'],
    ['%00'],
    ['1e3'],
  ])('with the id %s is not found', async (id) => {
    for (const answer of [await account.get(`${path}/${id}`), await account.delete(`${path}/${id}`)]) {
      expect([answer.status, answer.body]).toEqual([404, notFound]);
    }
  });
});

describe('the list of subscriptions', () => {
  test('has the newest first and pages like that of webhooks', async () => {
    const [first, second, third] = [
      await subscribe({ identity: 'a' }),
      await subscribe({ identity: 'b' }),
      await subscribe({ identity: 'c' }),
    ];
    const { status, body } = await account.get(`${path}?per_page=2`);
    expect(status).toBe(200);
    const url = (page: number) => `${baseUrl}${path}?per_page=2&page=${page}`;
    expect(body).toEqual({
      status: 'OK',
      code: 200,
      message: 'Subscriptions List',
      data: [shown({ id: third.id, identity: 'c' }), shown({ id: second.id, identity: 'b' })],
      links: { first: url(1), last: url(2), prev: null, next: url(2) },
      meta: {
        current_page: 1,
        from: 1,
        last_page: 2,
        links: [
          { url: null, label: '&laquo; Previous', active: false },
          { url: url(1), label: '1', active: true },
          { url: url(2), label: '2', active: false },
          { url: url(2), label: 'Next &raquo;', active: false },
        ],
        path: `${baseUrl}${path}`,
        per_page: 2,
        to: 2,
        total: 3,
      },
    });
    const rest = await account.get(`${path}?per_page=2&page=2`);
    expect(rest.body.data).toEqual([shown({ id: first.id, identity: 'a' })]);
  });

  test.each([['0'], ['-1'], ['abc'], ['']])('with page %p is page 1', async (page) => {
    await subscribe();
    const { body } = await account.get(`${path}?page=${page}`);
    expect(body.meta).toMatchObject({ current_page: 1, from: 1, to: 1, total: 1 });
  });

  test.each([['filter[event]=x'], ['filter[name]=x'], ['filter=x'], ['filter[]=']])(
    'with %s is a 400: there is no such filter',
    async (query) => {
      const { status, body } = await account.get(`${path}?${query}`);
      expect([status, body.status]).toEqual([400, 'BadRequest']);
      expect(body.message).toBe(`The filter "${query.split('=')[0]}" is not supported. Supported: webhook_id.`);
    },
  );

  test('is that of one webhook with filter[webhook_id]', async () => {
    const other = await makeWebhook(account);
    await subscribe();
    const { id } = (await account.post(path, { event: 'rcs:message:in', webhook_id: other.id })).body.data;
    const { body } = await account.get(`${path}?filter[webhook_id]=${other.id.toUpperCase()}&per_page=1`).expect(200);
    expect(body.data.map((subscription: { id: number }) => subscription.id)).toEqual([id]);
    expect(body.meta.total).toBe(1);
    expect(body.links.first).toBe(
      `${baseUrl}${path}?filter%5Bwebhook_id%5D=${other.id.toUpperCase()}&per_page=1&page=1`,
    );
    const theirs = await makeWebhook(await api.makeAccount());
    expect((await account.get(`${path}?filter[webhook_id]=${theirs.id}`)).body.data).toEqual([]);
    await account.get(`${path}?filter[webhook_id]=x`).expect(422);
  });

  test('past the end is empty', async () => {
    await subscribe();
    const { status, body } = await account.get(`${path}?page=2000000`);
    expect([status, body.data]).toEqual([200, []]);
    expect(body.meta).toMatchObject({ current_page: 2_000_000, from: null, to: null, last_page: 1, total: 1 });
  });
});

test('the identity of an event is trimmed when it is pushed, so it matches', async () => {
  const { id } = await makeWebhook(account);
  const event = 'sms:message:status';
  for (const identity of ['number:1', 'number:2', 'number:3'])
    await (
      await api.db.prisma()
    ).subscription.create({ data: { accountId: account.id, event, identity, webhookId: id } });
  const platform = await api.makePlatform();
  for (const identity of ['number:1', ' number:2\n', 'number:3 ']) {
    const payload = { id: identity, status: 'DELIVRD' };
    const pushed = { event, account_id: account.id, identity, payload };
    const { body: taken } = await platform.post('/events', pushed).expect(202);
    const made = await (await api.db.prisma()).delivery.findMany({ where: { eventId: taken.data[0].id } });
    expect([identity, made.map(({ webhookId }) => webhookId)]).toEqual([identity, [id]]);
  }
});
