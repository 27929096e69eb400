import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { claimDue, Waker, WakeUpListener, loadTasks, openDatabase, type DueKey } from '@ringback/ledger';
import { until } from '@ringback/testing';
import {
  errorBody,
  makeWebhook,
  startApi,
  type TestAccount,
  type TestApi,
  time,
  webhookInput,
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

const path = (id: string) => `/developer/deliveries/${id}`;
const push = () => pushEvent(api.db, { webhookId, messageId: 'm-1:1' });
const resend = (id: string) => account.post(`${path(id)}/resend`);
const show = async (id: string) => (await account.get(path(id))).body.data;
const taskOf = async (id: string) => (await loadTasks(api.db, [id]))[0];
/** Claims the due deliveries of the webhook, as a worker does, and returns their ids. */
const claim = async () => {
  const { tasks } = await claimDue(api.db, [{ webhookId, channel: 'sms', limit: 10 }], { leaseMs: 10_000 });
  return tasks.map(({ id }) => id);
};

test('a resend makes a failed delivery pending and due at once, and keeps its id and its attempts', async () => {
  const id = await push();
  await makeAttempt(api.db, id, failure);
  const { status, body } = await resend(id);
  expect([status, body.message]).toEqual([200, 'Resend started']);
  expect(body.data).toMatchObject({ id, state: 'pending', attempt_count: 1, due_at: time });
  expect(await taskOf(id)).toMatchObject({ state: 'pending', isResend: true });
  expect(await claim()).toEqual([id]);
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
  expect(shown).toMatchObject({ state: then, attempt_count: 2, due_at: null, error: 'timeout' });
  expect(shown.attempts.map(({ kind }: { kind: string }) => kind)).toEqual(['scheduled', 'resend']);
  expect(await taskOf(id)).toMatchObject({ isResend: false });
});

test('a resend that succeeds makes a failed delivery delivered, and it can be sent again', async () => {
  const id = await push();
  await makeAttempt(api.db, id, failure);
  await resend(id).expect(200);
  await makeAttempt(api.db, id, { number: 2, kind: 'resend' });
  expect(await show(id)).toMatchObject({ state: 'delivered', attempt_count: 2 });
  expect((await resend(id)).body.data.state).toBe('pending');
});

test('a resend wakes the workers at once', async () => {
  // Before the test listens: a push wakes the workers too.
  const [first, second] = [await push(), await push()];
  await makeAttempt(api.db, first, failure);
  await makeAttempt(api.db, second, { ...failure, state: 'pending', waitMs: 600_000 });
  const heard: DueKey[] = [];
  let isListening = false;
  const listener = new WakeUpListener(api.db, {
    onDue: (due) => void heard.push(...due),
    onMissed: () => void (isListening = true),
  });
  await until(() => isListening, 'the test listens');
  for (const count of [1, 2]) {
    await resend(count === 1 ? first : second).expect(200);
    await until(() => heard.length === count, 'workers are woken up');
  }
  expect(new Set(heard.map(({ webhookId: id }) => id))).toEqual(new Set([webhookId]));
  await listener.stop();
});

test('a resend is stored although its wake-up is lost', async () => {
  const nowhere = openDatabase({ url: 'postgresql://x:y@127.0.0.1:1/z', onError: () => undefined });
  const waker = new Waker(nowhere, () => undefined);
  const other = await api.variant({ waker });
  const id = await push();
  await makeAttempt(api.db, id, failure);
  const { status, body } = await other.clientOf(account.token).post(`${path(id)}/resend`);
  expect([status, body.data.state]).toEqual([200, 'pending']);
  expect(await claim()).toEqual([id]);
  await waker.close();
  await nowhere.close();
});

test('a resend of a pending delivery makes its next scheduled attempt due now', async () => {
  const id = await push();
  await makeAttempt(api.db, id, { ...failure, state: 'pending', waitMs: 600_000 });
  const { status, body } = await resend(id);
  expect([status, body.data.state]).toEqual([200, 'pending']);
  expect(await taskOf(id)).toMatchObject({ state: 'pending', isResend: false });
  expect(await claim()).toEqual([id]);
});

test('a resend of a delivery whose last attempt fails meanwhile sends it again', async () => {
  const id = await push();
  await makeAttempt(api.db, id, { ...failure, state: 'pending', waitMs: 600_000 });
  const attempt = await api.db.pool.connect();
  await attempt.query('BEGIN');
  await attempt.query(`UPDATE deliveries SET state = 'failed', due_at = NULL WHERE id = $1`, [id]);
  const resending = resend(id).then((response) => response);
  const waitingSql = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE deliveries%'`;
  await until(async () => (await api.db.pool.query(waitingSql)).rowCount === 1, 'the resend waits for the attempt');
  await attempt.query('COMMIT');
  attempt.release();
  expect((await resending).body).toMatchObject({ data: { state: 'pending' } });
  expect(await taskOf(id)).toMatchObject({ isResend: true });
});

test('a resend of a delivery that is already due changes nothing', async () => {
  const id = await push();
  const before = await show(id);
  await resend(id).expect(200);
  expect(await show(id)).toEqual(before);
  expect(await taskOf(id)).toMatchObject({ state: 'pending', isResend: false });
});

test('a resend of a leased delivery changes nothing', async () => {
  const id = await push();
  expect(await claim()).toEqual([id]);
  await resend(id).expect(200);
  expect(await claim()).toEqual([]);
});

test('ten concurrent resends have the effect of one', async () => {
  const id = await push();
  await makeAttempt(api.db, id, failure);
  const answers = await Promise.all(Array.from({ length: 10 }, () => resend(id)));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(await claim()).toEqual([id]);
  await makeAttempt(api.db, id, { number: 2, kind: 'resend' });
  expect(await show(id)).toMatchObject({ state: 'delivered', attempt_count: 2 });
});

test('a resend to an inactive or deleted webhook is a conflict, and changes nothing', async () => {
  const id = await push();
  await makeAttempt(api.db, id, failure);
  await account.put(`/developer/webhooks/${webhookId}`, webhookInput({ status: 0 }));
  const inactive = await resend(id);
  await account.delete(`/developer/webhooks/${webhookId}`);
  const deleted = await resend(id);
  expect([inactive.status, inactive.body]).toEqual([409, errorBody(409, 'Conflict', 'The webhook is inactive.')]);
  expect([deleted.status, deleted.body]).toEqual([409, errorBody(409, 'Conflict', 'The webhook is deleted.')]);
  expect((await show(id)).state).toBe('failed');
});

test("a resend of another account's delivery, or of an unknown one, is not found and changes nothing", async () => {
  const id = await push();
  await makeAttempt(api.db, id, failure);
  const theirs = await api.makeAccount();
  for (const anyId of [id, '180ebbb5-9b6f-4c51-a98a-0123456789ab', 'x', '%00']) {
    const { status, body } = await theirs.post(`${path(anyId)}/resend`);
    expect([anyId, status, body]).toEqual([anyId, 404, errorBody(404, 'NotFound', 'Delivery not found.')]);
  }
  expect((await show(id)).state).toBe('failed');
});
