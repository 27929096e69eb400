import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { errorClasses, eventNames, sign } from '@ringback/rules';
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
import { failure, makeAttempt, pushEvent } from './deliveries.fixture.js';

let api: TestApi;
let account: TestAccount;
let webhookId: string;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.makeAccount();
  webhookId = (await makeWebhook(account)).id;
});

const path = '/developer/deliveries';
const push = (more: Partial<Parameters<typeof pushEvent>[1]> = {}) =>
  pushEvent(api.db, { webhookId, messageId: 'm-1:1', mobile: '918921269000', ...more });
const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);
const notFound = errorBody(404, 'NotFound', 'Delivery not found.');

describe('the delivery log', () => {
  test('of an account without deliveries is empty', async () => {
    const { status, body } = await account.get(path);
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'OK',
      code: 200,
      message: 'OK',
      data: [],
      links: { first: `${baseUrl}${path}`, last: null, prev: null, next: null },
      meta: { path: `${baseUrl}${path}`, per_page: 15, next_cursor: null, prev_cursor: null },
    });
  });

  test('shows a delivery that waits for its first attempt', async () => {
    const id = await push();
    const { body } = await account.get(path);
    expect(body.data).toEqual([
      {
        id,
        webhook_id: webhookId,
        event_id: uuid,
        event: 'sms:message:status',
        message_id: 'm-1:1',
        mobile: '918921269000',
        state: 'pending',
        reason: null,
        attempt_count: 0,
        response_code: null,
        error: null,
        due_at: time,
        created_at: time,
        updated_at: time,
      },
    ]);
  });

  test('shows the result of the newest attempt', async () => {
    const id = await push();
    await makeAttempt(api.db, id, { ...failure, state: 'pending', waitMs: 0 });
    expect((await account.get(path)).body.data[0]).toMatchObject({ response_code: null, error: 'timeout' });
    await makeAttempt(api.db, id, { number: 2, statusCode: 204, state: 'failed' });
    expect((await account.get(path)).body.data[0]).toMatchObject({
      state: 'failed',
      attempt_count: 2,
      response_code: 204,
      error: 'status',
      due_at: null,
    });
  });

  test('has the newest first, and can be paged in both directions by cursors that keep the filter', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) ids.unshift(await push({ messageId: `m-${index}` }));
    await push({ webhookId: (await makeWebhook(account)).id });
    const read = async (url: string) => (await account.get(url.replace(baseUrl, ''))).body;
    const first = await read(`${path}?filter[webhook_id]=${webhookId}&per_page=2`);
    expect(idsOf(first)).toEqual(ids.slice(0, 2));
    expect(first.links.first).toBe(`${baseUrl}${path}?filter%5Bwebhook_id%5D=${webhookId}&per_page=2`);
    expect(first.links).toMatchObject({
      last: null,
      prev: null,
      next: `${first.links.first}&cursor=${first.meta.next_cursor}`,
    });
    const second = await read(first.links.next);
    expect(idsOf(second)).toEqual(ids.slice(2, 4));
    const third = await read(second.links.next);
    expect(idsOf(third)).toEqual(ids.slice(4));
    expect(third.links.next).toBeNull();
    const back = await read(third.links.prev);
    expect(idsOf(back)).toEqual(ids.slice(2, 4));
    const start = await read(back.links.prev);
    expect(idsOf(start)).toEqual(ids.slice(0, 2));
    expect([start.links.prev, idsOf(await read(start.links.next))]).toEqual([null, ids.slice(2, 4)]);
  });

  test('finds by each filter, and by several at once', async () => {
    const other = (await makeWebhook(account)).id;
    const sms = await push();
    const rcs = await push({ event: 'rcs:message:status', webhookId: other, messageId: 'r/1?', mobile: '4479' });
    const inbound = await push({ event: 'rcs:message:in', messageId: 'r-2', mobile: '4479' });
    await makeAttempt(api.db, rcs, { statusCode: 500, state: 'failed' });
    await makeAttempt(api.db, inbound, { statusCode: 204 });
    const finds: [string, string[]][] = [
      [`filter[webhook_id]=${other}`, [rcs]],
      [`filter[webhook_id]=${other.toUpperCase()}`, [rcs]],
      ['filter[status]=failed', [rcs]],
      ['filter[status]=skipped', []],
      ['filter[status]=delivered, pending', [inbound, sms]],
      ['filter[event]=rcs:message:in', [inbound]],
      ['filter[message_id]=r/1%3F', [rcs]],
      ['filter[mobile]=4479', [inbound, rcs]],
      ['filter[mobile]=447', []],
      [`filter[mobile]=4479&filter[webhook_id]=${webhookId}`, [inbound]],
      ['filter[response_code]=204', [inbound]],
      ['filter[error]=status', [rcs]],
      ['filter[error]=timeout', []],
      [`filter[error]=status&filter[status]=failed&filter[webhook_id]=${webhookId}`, []],
      ['filter[status]=&filter[mobile]=', [inbound, rcs, sms]],
    ];
    for (const [query, found] of finds) {
      const { body } = await account.get(`${path}?${query}`);
      expect([query, body.data && idsOf(body)]).toEqual([query, found]);
    }
  });

  test('finds a failed status by the rules of the channel', async () => {
    const sms = await push();
    const rcs = await push({ event: 'rcs:message:status' });
    for (const id of [sms, rcs])
      await makeAttempt(api.db, id, { statusCode: 204, state: id === sms ? 'failed' : 'delivered' });
    expect(idsOf((await account.get(`${path}?filter[error]=status`)).body)).toEqual([sms]);
  });

  test('finds by the creation time', async () => {
    const id = await push();
    const [hour, now] = [3_600_000, Date.now()];
    const at = (ms: number) => new Date(now + ms).toISOString();
    const finds: [string, string[]][] = [
      [`filter[since]=${at(-hour)}&filter[until]=${at(hour)}`, [id]],
      [`filter[since]=${at(hour)}`, []],
      [`filter[until]=${at(-hour)}`, []],
      [`filter[since]=${at(-24 * hour).slice(0, 10)}`, [id]],
      [`filter[since]=${at(-hour).slice(0, 16)}`, [id]],
      [`filter[since]=${at(5.5 * hour - hour).slice(0, 19)}+05:30`, [id]],
      [`filter[since]=${encodeURIComponent(`${at(5.5 * hour - hour).slice(0, 19)}+0530`)}`, [id]],
      [`filter[since]=${at(5.5 * hour - hour).slice(0, 19)}%2B05:30`, [id]],
      [`filter[since]=${at(5.5 * hour + hour).slice(0, 19)}%2B05:30`, []],
    ];
    for (const [query, found] of finds)
      expect([query, idsOf((await account.get(`${path}?${query}`)).body)]).toEqual([query, found]);
  });

  test.each([
    ['filter[webhook_id]=1', 'filter.webhook_id', 'The webhook_id filter must be a UUID.'],
    ['filter[status]=done', 'filter.status.0', 'The status filter must have only pending, delivered, failed, skipped.'],
    ['filter[event]=sms', 'filter.event', `The event filter must be one of ${eventNames.join(', ')}.`],
    ['filter[response_code]=99', 'filter.response_code', 'The response_code filter must be a number from 100 to 999.'],
    [
      'filter[response_code]=2000',
      'filter.response_code',
      'The response_code filter must be a number from 100 to 999.',
    ],
    ['filter[error]=oops', 'filter.error', `The error filter must be one of ${errorClasses.join(', ')}.`],
    ['filter[mobile]=%00', 'filter.mobile', 'The mobile filter holds a character that is not allowed.'],
    ['filter[since]=yesterday', 'filter.since', 'The since filter must be a time such as 2026-01-31T12:00:00Z.'],
    ['filter[until]=2026-02-31T99:00', 'filter.until', 'The until filter must be a time such as 2026-01-31T12:00:00Z.'],
    ['cursor=x', 'cursor', 'The cursor is invalid.'],
    ['cursor=e30', 'cursor', 'The cursor is invalid.'],
  ])('with %s is refused', async (query, field, message) => {
    const { status, body } = await account.get(`${path}?${query}`);
    expect([status, body]).toEqual([422, errorBody(422, 'ValidationError', message, { [field]: [message] })]);
  });

  test.each(['filter[name]=x', 'filter=x', 'filter[x', 'filter[since][x]=1'])('with %s is a 400', async (query) => {
    const { status, body } = await account.get(`${path}?${query}`);
    expect([status, body.status]).toEqual([400, 'BadRequest']);
    expect(body.message).toMatch(/^The filter ".*" is not supported\. Supported: webhook_id, status, event, /);
  });

  test('continues after a page that ended at the limit of examined rows', async () => {
    const wanted = await push({ event: 'rcs:message:in', messageId: 'rare' });
    await api.db.pool.query(
      `WITH made AS (INSERT INTO events (name, account_id, webhook_id, payload, state)
          SELECT 'sms:message:status', $1, $2, '{}', 'routed' FROM generate_series(1, 6000) RETURNING id)
        INSERT INTO deliveries (event_id, account_id, webhook_id, channel) SELECT id, $1, $2, 'sms' FROM made`,
      [account.id, webhookId],
    );
    const first = (await account.get(`${path}?filter[event]=rcs:message:in`)).body;
    expect([first.data, first.links.prev]).toEqual([[], null]);
    const second = (await account.get(first.links.next.replace(baseUrl, ''))).body;
    expect([idsOf(second), second.links.next]).toEqual([[wanted], null]);
  });

  test('can only be read', async () => {
    const { status, headers } = await account.post(path, {});
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('a delivery', () => {
  const payload = { id: 'm-1:1', mobile: '918921269000', units: 2 };

  test('is shown with its event, and its requests with the token masked', async () => {
    const id = await push({ payload });
    await makeAttempt(api.db, id);
    const { status, body } = await account.get(`${path}/${id}`);
    expect([status, body.message]).toEqual([200, 'OK']);
    const sent = JSON.stringify(payload);
    expect(body.data).toMatchObject({
      id,
      state: 'delivered',
      identity: null,
      payload,
      received_at: time,
      attempt_count: 1,
    });
    expect(body.data.attempts).toEqual([
      {
        number: 1,
        kind: 'scheduled',
        started_at: '2026-11-21T10:00:00.000000Z',
        request: {
          method: 'POST',
          url: 'https://example.com/in',
          headers: {
            'Content-Type': 'application/json',
            'Content-Length': String(sent.length),
            Authorization: 'Bearer ********',
            Signature: sign(Buffer.from(sent), webhookId),
            'User-Agent': 'Ringback/1.2.3',
            'Accept-Encoding': 'identity',
            'X-Ringback-Event': 'sms:message:status',
            'X-Ringback-Delivery': id,
            'X-Ringback-Attempt': '1',
            'X-Ringback-Event-Id': body.data.event_id,
            'X-Ringback-Received-At': expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
          },
          body: sent,
        },
        response: { code: 200, headers: { 'content-type': 'text/plain' }, body: 'thanks' },
        timings: { dns_ms: 1, connect_ms: 2, tls_ms: 3, first_byte_ms: 30, total_ms: 42 },
        remote_address: '203.0.113.7',
        error: null,
        error_code: null,
        warnings: [],
      },
    ]);
  });

  test('is shown with the rendered body, and with attempts without a response', async () => {
    const id = await push();
    await makeAttempt(api.db, id, {
      ...failure,
      requestBody: '{"to":null}',
      warnings: ['{{x}} is unknown'],
      state: 'pending',
      waitMs: 9,
    });
    const { data } = (await account.get(`${path}/${id}`)).body;
    expect(data).toMatchObject({ state: 'pending', error: 'timeout', advice: 'Respond sooner.', due_at: time });
    expect(data.attempts).toMatchObject([
      {
        request: { body: '{"to":null}' },
        response: null,
        error: 'timeout',
        error_code: 'RESPONSE_TIMEOUT',
        advice: 'Respond sooner.',
        warnings: ['{{x}} is unknown'],
      },
    ]);
  });

  test('that was skipped has advice for the reason, also in the list', async () => {
    const id = await push();
    await api.db.pool.query(
      `UPDATE deliveries SET state = 'skipped', reason = 'webhook inactive', due_at = NULL WHERE id = $1`,
      [id],
    );
    const advice = 'The webhook is inactive. Activate it, then send the callback again.';
    expect((await account.get(`${path}/${id}`)).body.data).toMatchObject({ state: 'skipped', advice });
    const { data } = (await account.get(`${path}?filter[status]=skipped`)).body;
    expect(data).toContainEqual(expect.objectContaining({ id, advice }));
  });

  test('has null for the headers and body of a request that was not stored, and no curl command', async () => {
    const id = await push();
    await makeAttempt(api.db, id);
    await api.db.pool.query(`UPDATE attempts SET request_headers = NULL, kind = NULL WHERE delivery_id = $1`, [id]);
    const { data } = (await account.get(`${path}/${id}`)).body;
    expect(data.attempts[0]).toMatchObject({ kind: 'scheduled', request: { headers: null, body: null } });
    const curl = await account.get(`${path}/${id}/curl`);
    expect([curl.status, curl.body]).toEqual([
      409,
      errorBody(409, 'Conflict', 'The request of this attempt was not kept.'),
    ]);
  });
});

describe('a message', () => {
  test('is shown with its events, their deliveries and attempts, oldest first', async () => {
    const messageId = 'b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1';
    const first = await push({ messageId, payload: { id: messageId, status: 'ACCEPTD' } });
    const second = await push({ messageId, payload: { id: messageId, status: 'DELIVRD' } });
    await push({ messageId: 'another' });
    await makeAttempt(api.db, first, { ...failure, state: 'pending', waitMs: 0 });
    await makeAttempt(api.db, first, { number: 2 });
    const { status, body } = await account.get(`/developer/messages/${messageId}`);
    expect([status, body.message]).toEqual([200, 'OK']);
    expect(body.data).toMatchObject({
      message_id: messageId,
      events: [
        {
          id: uuid,
          event: 'sms:message:status',
          state: 'routed',
          payload: { status: 'ACCEPTD' },
          deliveries: [
            {
              id: first,
              state: 'delivered',
              attempts: [
                { number: 1, error: 'timeout', advice: 'Respond sooner.' },
                { number: 2, error: null },
              ],
            },
          ],
        },
        { payload: { status: 'DELIVRD' }, deliveries: [{ id: second, state: 'pending', attempts: [] }] },
      ],
    });
    expect(body.data.events).toHaveLength(2);
  });

  test('can have any id', async () => {
    const messageId = 'a/b?c=d&é%';
    await push({ messageId });
    const { body } = await account.get(`/developer/messages/${encodeURIComponent(messageId)}`);
    expect(body.data.message_id).toBe(messageId);
  });
});

describe('another account', () => {
  test('gets the same responses as for unknown ids, and empty lists', async () => {
    const theirs = await api.makeAccount();
    const id = await push();
    await makeAttempt(api.db, id);
    for (const anyId of [id, '180ebbb5-9b6f-4c51-a98a-0123456789ab', 'x', '%00']) {
      for (const suffix of ['', '/curl']) {
        const { status, body } = await theirs.get(`${path}/${anyId}${suffix}`);
        expect([anyId, status, body]).toEqual([anyId, 404, notFound]);
      }
    }
    const noMessage = errorBody(404, 'NotFound', 'Message not found.');
    for (const messageId of ['m-1:1', 'x', '%00', '%ED']) {
      const { status, body } = await theirs.get(`/developer/messages/${messageId}`);
      expect([messageId, status, body]).toEqual([messageId, 404, noMessage]);
    }
    const queries = [
      '',
      `?filter[webhook_id]=${webhookId}`,
      '?filter[mobile]=918921269000',
      '?filter[message_id]=m-1:1',
      '?filter[status]=delivered',
    ];
    for (const query of queries) {
      const { body } = await theirs.get(`${path}${query}`);
      expect([query, body.data]).toEqual([query, []]);
    }
    const cursor = Buffer.from(JSON.stringify({ id, _pointsToNextItems: false })).toString('base64url');
    expect((await theirs.get(`${path}?cursor=${cursor}`)).body.data).toEqual([]);
  });
});
