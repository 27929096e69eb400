import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startReplay, stepReplay } from '@ringback/ledger';
import { until } from '@ringback/testing';
import {
  baseUrl,
  errorBody,
  makeWebhook,
  startApi,
  type TestAccount,
  type TestApi,
  time,
  uuid,
  webhookInput,
} from '../api.fixture.js';
import { failure, makeAttempt, pushAttempted, pushEvent } from '../deliveries/deliveries.fixture.js';

let api: TestApi;
let account: TestAccount;
let webhookId: string;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.makeAccount();
  webhookId = (await makeWebhook(account)).id;
});

const replay = (body: object, id = webhookId) => account.post(`/developer/webhooks/${id}/replay`, body);
const push = (more: Partial<Parameters<typeof pushEvent>[1]> = {}) =>
  pushEvent(api.db, { webhookId, messageId: 'm', ...more });
const failed = (more: Parameters<typeof push>[0] = {}) =>
  pushAttempted(api.db, { webhookId, messageId: 'm', ...more }, failure);
const delivered = () => pushAttempted(api.db, { webhookId, messageId: 'm' });
const stateOf = async (id: string) => (await account.get(`/developer/deliveries/${id}`)).body.data.state;
const statesOf = (ids: string[]) => Promise.all(ids.map(stateOf));
const show = async (id: string) => (await account.get(`/developer/replays/${id}`)).body.data;
/** Runs a step as if 10 s had passed since the last step. */
const stepLater = async (id: string) => {
  await api.db.pool.query(`UPDATE replays SET stepped_at = stepped_at - interval '10 seconds' WHERE id = $1`, [id]);
  return stepReplay(api.db, id);
};

test('a dry run counts failed deliveries, or those that match the filter, and changes nothing', async () => {
  const ids = [
    await failed(),
    await failed({ event: 'rcs:message:in', mobile: '44' }),
    await delivered(),
    await push(),
  ];
  await failed({ webhookId: (await makeWebhook(account)).id });
  const counts: [object, number][] = [
    [{}, 2],
    [{ filter: { status: 'delivered' } }, 1],
    [{ filter: { status: 'failed,delivered' } }, 3],
    [{ filter: { event: 'rcs:message:in' } }, 1],
    [{ filter: { mobile: '44' } }, 1],
    [{ filter: { error: 'timeout', webhook_id: webhookId } }, 2],
    [{ filter: { response_code: 500 } }, 0],
    [{ filter: { since: new Date(Date.now() + 60_000).toISOString() } }, 0],
  ];
  for (const [body, count] of counts) {
    const answer = await replay({ ...body, dry_run: true });
    expect([body, answer.status, answer.body.data]).toEqual([body, 200, { count, complete: true }]);
  }
  expect(await statesOf(ids)).toEqual(['failed', 'failed', 'delivered', 'pending']);
});

test('failed deliveries become pending, oldest first and at the rate; others do not change', async () => {
  const ids = [await failed(), await failed(), await failed(), await delivered()];
  const other = await failed({ webhookId: (await makeWebhook(account)).id });
  const { status, body } = await replay({ rate: 1 });
  expect([status, body.message]).toEqual([200, 'Replay started']);
  expect(body.data).toEqual({
    id: uuid,
    webhook_id: webhookId,
    state: 'running',
    reason: null,
    filter: {
      status: 'failed,skipped',
      event: null,
      message_id: null,
      mobile: null,
      response_code: null,
      error: null,
      since: null,
      until: null,
    },
    rate: 1,
    total: 3,
    replayed: 0,
    created_at: time,
    updated_at: time,
    finished_at: null,
  });
  const { id } = body.data;
  // A step replays at most the deliveries of two seconds, however long ago the last step was.
  expect(await stepLater(id)).toEqual({ replayed: 2, finalState: null });
  expect(await stepReplay(api.db, id)).toEqual({ replayed: 0, finalState: null });
  expect(await statesOf([...ids, other])).toEqual(['pending', 'pending', 'failed', 'delivered', 'failed']);
  expect(await show(id)).toMatchObject({ state: 'running', replayed: 2 });
  expect(await stepLater(id)).toEqual({ replayed: 1, finalState: 'done' });
  expect(await show(id)).toMatchObject({ state: 'done', replayed: 3, finished_at: time });
  expect(await stepReplay(api.db, id)).toBeNull();
});

test('a delivery that fails again is not replayed twice, and later deliveries are not replayed', async () => {
  const first = await failed();
  const { id } = (await replay({})).body.data;
  const later = await failed();
  await api.db.pool.query(`UPDATE replays SET created_at = created_at - interval '1 second' WHERE id = $1`, [id]);
  expect(await stepLater(id)).toEqual({ replayed: 0, finalState: 'done' });
  const again = (await replay({})).body.data;
  await api.db.pool.query(`UPDATE replays SET created_at = created_at + interval '1 second' WHERE id = $1`, [again.id]);
  expect(await stepLater(again.id)).toMatchObject({ replayed: 2 });
  await makeAttempt(api.db, first, { ...failure, number: 2, kind: 'resend' });
  expect(await statesOf([first, later])).toEqual(['failed', 'pending']);
});

test('two concurrent steps replay each delivery once', async () => {
  await failed();
  await failed();
  const { id } = (await replay({})).body.data;
  await api.db.pool.query(
    `UPDATE replays SET stepped_at = stepped_at - interval '10 seconds', created_at = created_at + interval '1 second' WHERE id = $1`,
    [id],
  );
  const steps = await Promise.all([stepReplay(api.db, id), stepReplay(api.db, id), stepReplay(api.db, id)]);
  expect(steps.reduce((sum, step) => sum + (step?.replayed ?? 0), 0)).toBe(2);
  expect((await show(id)).replayed).toBe(2);
});

test('a cancelled replay stops; a replay that is done cannot be cancelled', async () => {
  const ids = [await failed(), await failed(), await failed()];
  const { id } = (await replay({ rate: 1 })).body.data;
  await stepLater(id);
  const { status, body } = await account.post(`/developer/replays/${id}/cancel`);
  expect([status, body.message, body.data.state]).toEqual([200, 'Replay cancelled', 'cancelled']);
  expect(await stepLater(id)).toBeNull();
  expect(await statesOf(ids)).toEqual(['pending', 'pending', 'failed']);
  expect((await account.post(`/developer/replays/${id}/cancel`)).body.data.state).toBe('cancelled');
  const next = (await replay({})).body.data;
  await api.db.pool.query(`UPDATE replays SET state = 'done' WHERE id = $1`, [next.id]);
  const late = await account.post(`/developer/replays/${next.id}/cancel`);
  expect([late.status, late.body]).toEqual([409, errorBody(409, 'Conflict', 'The replay is done.')]);
});

test('at most one replay of a webhook runs at a time', async () => {
  const [first, second] = await Promise.all([replay({}), replay({})]);
  expect([first.status, second.status].sort()).toEqual([200, 409]);
  const { body } = await replay({});
  expect(body).toEqual(errorBody(409, 'Conflict', 'A replay of this webhook is running.'));
  await replay({}, (await makeWebhook(account)).id).expect(200);
});

test('at most ten replays of an account run at a time', async () => {
  for (let n = 0; n < 10; n++) await replay({}, (await makeWebhook(account)).id).expect(200);
  const { body } = await replay({}, (await makeWebhook(account)).id);
  expect(body).toEqual(errorBody(409, 'Conflict', '10 replays of the account are running.'));
});

test('replays that several processes start at once do not exceed the limit', async () => {
  const webhooks: string[] = [];
  while (webhooks.length < 4) webhooks.push((await makeWebhook(account)).id);
  const client = await api.db.pool.connect();
  // Until all four wait, none of them can store its replay. If they did not wait for each other, all would count none.
  await client.query('BEGIN');
  await client.query('LOCK TABLE replays IN SHARE MODE');
  // An API process starts the replays of an account one after the other, so this is a call for each process.
  const starting = Promise.allSettled(
    webhooks.map((id) =>
      startReplay(api.db, account.id, { webhookId: id, filter: { webhookId: id }, rate: 1 }, { maxRunning: 2 }),
    ),
  );
  await until(async () => {
    // Otherwise the whole transaction sees what its first query saw.
    await client.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await client.query<{ n: number }>(`SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND state = 'active'`);
    return rows[0]?.n === 4;
  });
  await client.query('ROLLBACK');
  client.release();
  const states = (await starting).map(({ status }) => status);
  expect(states.sort()).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
});

test('a webhook that becomes inactive ends its replay, and an inactive one has none', async () => {
  const deliveryId = await failed();
  const { id } = (await replay({})).body.data;
  await account.put(`/developer/webhooks/${webhookId}`, webhookInput({ status: 0 }));
  expect(await stepLater(id)).toEqual({ replayed: 0, finalState: 'cancelled' });
  expect(await show(id)).toMatchObject({ state: 'cancelled', reason: 'webhook inactive or deleted' });
  expect(await stateOf(deliveryId)).toBe('failed');
  const { status, body } = await replay({});
  expect([status, body]).toEqual([409, errorBody(409, 'Conflict', 'The webhook is inactive.')]);
});

describe('a replay is refused', () => {
  test.each([
    [
      { filter: { status: 'pending' } },
      'filter.status',
      'Pending deliveries cannot be replayed. They are sent without a replay.',
    ],
    [
      { filter: { webhook_id: '180ebbb5-9b6f-4c51-a98a-0123456789ab' } },
      'filter.webhook_id',
      'The webhook_id filter must be the webhook of the path.',
    ],
    [{ filter: 'failed' }, 'filter', 'The filter field must be an object.'],
    [{ filter: { since: 'now' } }, 'filter.since', 'The since filter must be a time such as 2026-01-31T12:00:00Z.'],
    [{ filter: { since: '' } }, 'filter.since', 'The since filter must not be empty. Leave it out instead.'],
    [
      { filter: { message_id: null } },
      'filter.message_id',
      'The message_id filter must not be empty. Leave it out instead.',
    ],
    [{ dry_run: 'yes' }, 'dry_run', 'The dry_run field must be true or false.'],
    [{ rate: 0 }, 'rate', 'The rate field must be an integer between 1 and 1000.'],
    [{ rate: 1001 }, 'rate', 'The rate field must be an integer between 1 and 1000.'],
    [{ rate: 1.5 }, 'rate', 'The rate field must be an integer between 1 and 1000.'],
  ])('with %j', async (sent, field, message) => {
    const { status, body } = await replay(sent);
    expect([status, body]).toEqual([422, errorBody(422, 'ValidationError', message, { [field]: [message] })]);
  });

  test.each([[{ status: 'failed' }], [{ filter: { state: 'failed' } }]])('with %j, which is misspelt', async (sent) => {
    const { status, body } = await replay(sent);
    expect([status, body.message]).toEqual([422, expect.stringMatching(/is not supported\. Supported: /)]);
  });
});

describe('the list of replays', () => {
  const listed = (query = '') => account.get(`/developer/replays${query}`);
  const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);

  test('has the newest first, of every webhook or of one', async () => {
    expect((await listed()).body).toMatchObject({ data: [], meta: { next_cursor: null, prev_cursor: null } });
    const first = (await replay({})).body.data;
    const other = (await makeWebhook(account)).id;
    const second = (await replay({ rate: 7 }, other)).body.data;
    const { status, body } = await listed();
    expect([status, body.message, body.data]).toEqual([200, 'OK', [second, first]]);
    expect(idsOf((await listed(`?filter[webhook_id]=${webhookId}`)).body)).toEqual([first.id]);
    expect(idsOf((await listed(`?filter[webhook_id]=${other.toUpperCase()}`)).body)).toEqual([second.id]);
    expect(idsOf((await listed('?filter[webhook_id]=')).body)).toHaveLength(2);
  });

  test('can be paged in both directions by cursors that keep the filter', async () => {
    const ids: string[] = [];
    for (let made = 0; made < 3; made++) {
      const { id } = (await replay({})).body.data;
      await account.post(`/developer/replays/${id}/cancel`);
      ids.unshift(id);
    }
    const kept = `filter[webhook_id]=${webhookId}&per_page=2`;
    const first = (await listed(`?${kept}`)).body;
    expect([idsOf(first), first.links.prev]).toEqual([ids.slice(0, 2), null]);
    const path = `${baseUrl}/developer/replays`;
    const query = `filter%5Bwebhook_id%5D=${webhookId}&per_page=2`;
    expect(first.links.next).toBe(`${path}?${query}&cursor=${first.meta.next_cursor}`);
    const second = (await listed(`?${kept}&cursor=${first.meta.next_cursor}`)).body;
    expect([idsOf(second), second.links.next]).toEqual([ids.slice(2), null]);
    const back = (await listed(`?${kept}&cursor=${second.meta.prev_cursor}`)).body;
    expect([idsOf(back), back.links.prev]).toEqual([ids.slice(0, 2), null]);
  });

  test.each([
    ['filter[status]=done', 400, 'The filter "filter[status]" is not supported. Supported: webhook_id.'],
    ['filter[webhook_id]=x', 422, 'The webhook_id filter must be a UUID.'],
    ['cursor=x', 422, 'The cursor is invalid.'],
  ])('refuses %s', async (query, code, message) => {
    const { status, body } = await listed(`?${query}`);
    expect([status, body.message]).toEqual([code, message]);
  });

  test("has none of another account's", async () => {
    const { id } = (await replay({})).body.data;
    const theirs = await api.makeAccount();
    const newer = Buffer.from(JSON.stringify({ id, _pointsToNextItems: false })).toString('base64url');
    for (const query of ['', `?filter[webhook_id]=${webhookId}`, `?cursor=${newer}`])
      expect((await theirs.get(`/developer/replays${query}`)).body.data).toEqual([]);
  });
});

const notAnObject = 'The request body must be a JSON object.';

test.each([[[]], [[{ filter: { status: 'failed' } }]], ['"failed"'], ['7'], ['null']])(
  'a body that is not an object replays nothing: %j',
  async (body) => {
    await failed();
    const sent = account.post(`/developer/webhooks/${webhookId}/replay`).type('json').send(body);
    const { status, body: answer } = await sent;
    expect([status, answer]).toEqual([422, errorBody(422, 'ValidationError', notAnObject, { body: [notAnObject] })]);
    expect((await account.get('/developer/replays')).body.data).toEqual([]);
  },
);

test('another account finds neither the webhook nor the replay', async () => {
  await failed();
  const { id } = (await replay({ rate: 1 })).body.data;
  const theirs = await api.makeAccount();
  const noReplay = errorBody(404, 'NotFound', 'Replay not found.');
  for (const anyId of [id, '180ebbb5-9b6f-4c51-a98a-0123456789ab', 'x', '%00']) {
    for (const answer of [
      await theirs.get(`/developer/replays/${anyId}`),
      await theirs.post(`/developer/replays/${anyId}/cancel`),
    ]) {
      expect([anyId, answer.status, answer.body]).toEqual([anyId, 404, noReplay]);
    }
  }
  const foreign = await theirs.post(`/developer/webhooks/${webhookId}/replay`, {});
  expect([foreign.status, foreign.body.message]).toEqual([404, 'Webhook not found.']);
  expect((await show(id)).state).toBe('running');
});
