import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  errorBody,
  makeWebhook,
  startApi,
  type TestAccount,
  type TestApi,
  webhookInput,
  webhookNotFoundBody,
} from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
let id: string;
let path: string;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.makeAccount();
  ({ id } = await makeWebhook(account, { secret: 'first', rate_limit: 5 }));
  path = `/developer/webhooks/${id}`;
});

const currentTag = async () => String((await account.get(path).expect(200)).headers.etag);
const stale = errorBody(
  412,
  'PreconditionFailed',
  'The webhook was changed in the meantime. Fetch it again and send its new ETag in If-Match.',
);

describe('ETag', () => {
  test('is the same in show and in the response to the change before, and stays while nothing changes', async () => {
    const created = await account.post('/developer/webhooks', webhookInput()).expect(200);
    const own = `/developer/webhooks/${created.body.data.id}`;
    expect(created.headers).toMatchObject({ etag: expect.stringMatching(/^"[\w-]+"$/), 'cache-control': 'no-store' });
    for (const change of [
      () => account.get(own),
      () => account.patch(own, { name: 'b' }),
      () => account.post(`${own}/restore`),
      () => account.post(`${own}/resume`),
    ]) {
      const { headers } = await change().expect(200);
      expect((await account.get(own)).headers.etag).toBe(headers.etag);
      expect((await account.get(own)).headers.etag).toBe(headers.etag);
    }
  });

  test('changes with every field, with a pause and a deletion, and between edits of the same moment', async () => {
    const tags = [await currentTag()];
    const fields = [
      ...[{ name: 'b' }, { uri: 'https://example.org/' }, { status: 0 }, { secret: 'second' }, { secret: '' }],
      ...[{ signing: false }, { rate_limit: 6 }, { payload: { a: '{{id}}' } }, { payload: { a: '{{id}} ' } }],
    ];
    for (const field of fields) tags.push(String((await account.patch(path, field).expect(200)).headers.etag));
    await api.db.pool.query(`UPDATE webhooks SET paused_at = now(), pause_reason = 'gone' WHERE id = $1`, [id]);
    tags.push(await currentTag());
    // An account may have eight requests under way; more would wait, on a busy machine in vain.
    for (const round of ['a', 'b', 'c']) {
      const sent = Array.from({ length: 8 }, (_, index) =>
        account.patch(path, { name: `${round} ${index}` }).expect(200),
      );
      for (const { headers } of await Promise.all(sent)) tags.push(String(headers.etag));
    }
    await account.delete(path).expect(200);
    tags.push(String((await account.post(`${path}/restore`).expect(200)).headers.etag));
    expect(new Set(tags).size).toBe(tags.length);
  });

  test('in If-None-Match gets a 304 from show while the webhook has it', async () => {
    const tag = await currentTag();
    await account.get(path).set('If-None-Match', tag).expect(304);
    await account.patch(path, { name: 'b' }).expect(200);
    await account.get(path).set('If-None-Match', tag).expect(200);
  });
});

describe('If-Match', () => {
  const headersThatMatch: [string, (tag: string) => string][] = [
    ['the current tag', (tag) => tag],
    ['`*`', () => '*'],
    ['the current tag, which a compressing proxy made weak,', (tag) => `W/${tag}`],
    ['a list that has the current tag', (tag) => `"other", W/"weak" ,${tag}`],
  ];
  const changes = {
    PUT: () => account.put(path, webhookInput()),
    PATCH: () => account.patch(path, webhookInput()),
    DELETE: () => account.delete(path),
    'POST …/restore': () => account.post(`${path}/restore`),
  };
  test.each(
    Object.entries(changes).flatMap(([name, change]) =>
      headersThatMatch.map(([what, header]) => ({ what, name, header, change })),
    ),
  )('with $what lets a $name through', async ({ header, change }) => {
    await change()
      .set('If-Match', header(await currentTag()))
      .expect(200);
  });

  test('with a stale, a bare or no tag is a 412 for every change, and nothing changes', async () => {
    const old = await currentTag();
    await account.patch(path, { name: 'newer' }).expect(200);
    const before = await account.get(path);
    const tag = String(before.headers.etag);
    for (const header of [old, `W/${old}`, tag.replaceAll('"', ''), '""', '"*"', 'x', '']) {
      for (const send of [
        () => account.put(path, webhookInput()),
        () => account.patch(path, { secret: '' }),
        () => account.delete(path),
        () => account.post(`${path}/restore`),
        () => account.post(path, { _method: 'PATCH', name: 'x' }),
      ]) {
        const { status, body } = await send().set('If-Match', header);
        expect([header, status, body]).toEqual([header, 412, stale]);
      }
    }
    expect((await account.get(path)).body).toEqual(before.body);
    expect(await currentTag()).toBe(tag);
  });

  test('does not hide a 404 or a 422', async () => {
    const { body } = await account.patch(path, { uri: 'x' }).set('If-Match', '"old"').expect(422);
    expect(body.errors).toEqual({ uri: ['The uri field must be a valid URL.'] });
    await account.delete(path).expect(200);
    for (const header of ['*', '"old"'])
      expect((await account.delete(path).set('If-Match', header).expect(404)).body).toEqual(webhookNotFoundBody);
  });

  test('lets exactly one of many concurrent changes of the same state through', async () => {
    for (let round = 0; round < 3; round += 1) {
      const tag = await currentTag();
      const changes = Array.from({ length: 8 }, (_, index) =>
        account.patch(path, { name: `round ${round} change ${index}` }).set('If-Match', tag),
      );
      const statuses = (await Promise.all(changes)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, ...Array.from({ length: 7 }, () => 412)]);
    }
  });
});
