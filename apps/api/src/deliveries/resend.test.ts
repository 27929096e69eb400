import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { loadDeliveries } from '@ringback/database';
import { openQueues } from '@ringback/queue';
import { errorBody, makeWebhook, openApi, type TestAccount, type TestApi, time, webhookInput } from '../api.fixture.js';
import { failure, makeAttempt, pushEvent } from './deliveries.fixture.js';

let api: TestApi;
let account: TestAccount;
let webhookId: string;
beforeAll(async () => void (api = await openApi()));
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.makeAccount();
  webhookId = (await makeWebhook(account)).id;
});

const path = (id: string) => `/developer/deliveries/${id}`;
const push = () => pushEvent(api.db, { webhookId, messageId: 'm-1:1' });
const resend = (id: string) => account.post(`${path(id)}/resend`);
const show = async (id: string) => (await account.get(path(id))).body.data;
const taskOf = async (id: string) => (await loadDeliveries(api.db, [id]))[0];
const queued = async (id: string) => (await api.queues.queuedDeliveries('sms')).has(id);

test('a failed delivery becomes pending, keeps its id and its attempts, and gets a job', async () => {
  const id = await push();
  await makeAttempt(api.db, id, failure);
  const { status, body } = await resend(id);
  expect([status, body.message]).toEqual([200, 'Resend started']);
  expect(body.data).toMatchObject({ id, status: 'pending', attempt_count: 1, next_attempt_at: time });
  expect(await taskOf(id)).toMatchObject({ state: 'pending', resend: true, parked: false, dueInMs: 0 });
  expect(await queued(id)).toBe(true);
});

test.each([
  ['failed', { state: 'failed' }, 'failed'],
  ['delivered', { state: 'delivered' }, 'delivered'],
] as const)('a resend that fails leaves a %s delivery as it was, without retries', async (_name, first, then) => {
  const id = await push();
  await makeAttempt(api.db, id, first);
  await resend(id).expect(200);
  await makeAttempt(api.db, id, { ...failure, number: 2, kind: 'resend', state: 'pending', waitMs: 1_000 });
  const shown = await show(id);
  expect(shown).toMatchObject({ status: then, attempt_count: 2, next_attempt_at: null, error: 'timeout' });
  expect(shown.attempts.map(({ kind }: { kind: string }) => kind)).toEqual(['scheduled', 'resend']);
  expect(await taskOf(id)).toMatchObject({ resend: false });
});

test('a resend that succeeds makes a failed delivery delivered, and it can be sent again', async () => {
  const id = await push();
  await makeAttempt(api.db, id, failure);
  await resend(id).expect(200);
  await makeAttempt(api.db, id, { number: 2, kind: 'resend' });
  expect(await show(id)).toMatchObject({ status: 'delivered', attempt_count: 2 });
  expect((await resend(id)).body.data.status).toBe('pending');
});

test('a job that is left over takes nothing from the resend', async () => {
  const id = await push();
  await makeAttempt(api.db, id, failure);
  await api.queues.enqueueDeliveries([{ id, channel: 'sms', dueInMs: 60_000 }]);
  await resend(id).expect(200);
  expect(await taskOf(id)).toMatchObject({ state: 'pending', resend: true, parked: false });
  const delayed = await api.queues.depths();
  expect(delayed['sms-deliveries']).toMatchObject({ delayed: 0 });
  expect(await queued(id)).toBe(true);
});

test('while the queue is away, a delivery is fetched without a job', async () => {
  const queues = openQueues({
    databaseUrl: 'postgresql://x:y@127.0.0.1:1/z',
    prefix: 'away',
    onError: () => undefined,
  });
  const other = await api.variant({ queues });
  const id = await push();
  await makeAttempt(api.db, id, failure);
  const { status, body } = await other.clientOf(account.token).post(`${path(id)}/resend`);
  expect([status, body.data.status]).toEqual([200, 'pending']);
  expect(await taskOf(id)).toMatchObject({ state: 'pending', resend: true, parked: true });
  await queues.close();
});

test('a pending delivery gets its next attempt now, as one of its schedule', async () => {
  const id = await push();
  await makeAttempt(api.db, id, { ...failure, state: 'pending', waitMs: 600_000 });
  const { status, body } = await resend(id);
  expect([status, body.data.status]).toEqual([200, 'pending']);
  expect(await taskOf(id)).toMatchObject({ state: 'pending', resend: false, parked: true, dueInMs: 0 });
});

test('a delivery that is due already is left alone', async () => {
  const id = await push();
  await resend(id).expect(200);
  expect(await taskOf(id)).toMatchObject({ state: 'pending', resend: false, parked: false });
});

test('ten resends at once are one', async () => {
  const id = await push();
  await makeAttempt(api.db, id, failure);
  const answers = await Promise.all(Array.from({ length: 10 }, () => resend(id)));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  const task = await taskOf(id);
  expect([task?.state, task?.parked || (await queued(id))]).toEqual(['pending', true]);
  await makeAttempt(api.db, id, { number: 2, kind: 'resend' });
  expect(await show(id)).toMatchObject({ status: 'delivered', attempt_count: 2 });
});

test('to a webhook that is inactive or deleted is a conflict, and changes nothing', async () => {
  const id = await push();
  await makeAttempt(api.db, id, failure);
  await account.put(`/developer/webhooks/${webhookId}`, webhookInput({ status: 0 }));
  const inactive = await resend(id);
  await account.delete(`/developer/webhooks/${webhookId}`);
  const deleted = await resend(id);
  expect([inactive.status, inactive.body]).toEqual([409, errorBody(409, 'Conflict', 'The webhook is inactive.')]);
  expect([deleted.status, deleted.body]).toEqual([409, errorBody(409, 'Conflict', 'The webhook is deleted.')]);
  expect((await show(id)).status).toBe('failed');
});

test("of another account's delivery, or of none, is not found and changes nothing", async () => {
  const id = await push();
  await makeAttempt(api.db, id, failure);
  const theirs = await api.makeAccount();
  for (const one of [id, '180ebbb5-9b6f-4c51-a98a-0123456789ab', 'x', '%00']) {
    const { status, body } = await theirs.post(`${path(one)}/resend`);
    expect([one, status, body]).toEqual([one, 404, errorBody(404, 'NotFound', 'Delivery not found.')]);
  }
  expect((await show(id)).status).toBe('failed');
});
