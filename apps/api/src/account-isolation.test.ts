import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  errorBody,
  makeWebhook,
  startApi,
  type TestAccount,
  type TestApi,
  webhookInput,
  webhookNotFoundBody,
} from './api.fixture.js';

let api: TestApi;
let mine: TestAccount;
let theirs: TestAccount;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => {
  mine = await api.makeAccount();
  theirs = await api.makeAccount();
});

const routes = [
  ['get', ''],
  ['put', ''],
  ['delete', ''],
  ['post', '?_method=PUT'],
  ['post', '?_method=DELETE'],
  ['get', '/verification'],
  ['post', '/verification'],
] as const;

/** Ids of which none is a live webhook of the account. */
async function absentIds() {
  const { id: foreign } = await makeWebhook(theirs, { token: 'verify-me' });
  const { id: deleted } = await makeWebhook(mine, { token: 'verify-me' });
  await mine.delete(`/developer/webhooks/${deleted}`).expect(200);
  const { id: foreignDeleted } = await makeWebhook(theirs);
  await theirs.delete(`/developer/webhooks/${foreignDeleted}`).expect(200);
  const unknown = '180ebbb5-9b6f-4c51-a98a-0123456789ab';
  const malformed = ['1', 'x', '%00', `${foreign}0`, foreign.replaceAll('-', ''), `{${foreign}}`, "'", '..%2f'];
  return { deleted, others: [foreign, foreignDeleted, unknown, ...malformed] };
}

describe.each(routes)('%s of a webhook%s', (method, suffix) => {
  test('answers a foreign, deleted, unknown or malformed id alike, whatever the body', async () => {
    const { deleted, others } = await absentIds();
    for (const id of [deleted, ...others]) {
      for (const body of [webhookInput(), {}, undefined]) {
        const answer = await mine[method](`/developer/webhooks/${id}${suffix}`, method === 'get' ? undefined : body);
        expect([id, answer.status, answer.body]).toEqual([id, 404, webhookNotFoundBody]);
      }
    }
  });
});

test('restoring a foreign, unknown or malformed id is the same 404', async () => {
  const { others } = await absentIds();
  for (const id of others) {
    const answer = await mine.post(`/developer/webhooks/${id}/restore`);
    expect([id, answer.status, answer.body]).toEqual([id, 404, webhookNotFoundBody]);
  }
});

test('the headers of the response do not reveal whether an id is foreign, unknown or malformed', async () => {
  const { others } = await absentIds();
  const heads = [];
  for (const id of others) {
    const { headers } = await mine.get(`/developer/webhooks/${id}`);
    heads.push(Object.keys(headers).concat(String(headers['content-length'])));
  }
  for (const head of heads) expect(head).toEqual(heads[0]);
});

test('no operation changes a foreign webhook', async () => {
  const { id } = await makeWebhook(theirs, { secret: 's', token: 't' });
  const before = (await theirs.get(`/developer/webhooks/${id}`)).body;
  const verification = (await theirs.get(`/developer/webhooks/${id}/verification`)).body;
  await mine.put(`/developer/webhooks/${id}`, webhookInput({ uri: 'https://evil.example/', status: 0 }));
  await mine.delete(`/developer/webhooks/${id}`);
  await mine.post(`/developer/webhooks/${id}/restore`);
  await mine.post(`/developer/webhooks/${id}/verification`);
  expect((await theirs.get(`/developer/webhooks/${id}`)).body).toEqual(before);
  expect((await theirs.get(`/developer/webhooks/${id}/verification`)).body).toEqual(verification);
});

test('a foreign webhook that is deleted stays deleted', async () => {
  const { id } = await makeWebhook(theirs);
  await theirs.delete(`/developer/webhooks/${id}`);
  await mine.post(`/developer/webhooks/${id}/restore`).expect(404);
  await theirs.get(`/developer/webhooks/${id}`).expect(404);
});

test('lists show nothing of another account, whatever the filter', async () => {
  const { id } = await makeWebhook(theirs, { name: 'theirs' });
  await theirs.post('/developer/subscriptions', { event: 'rcs:message:in', webhook_id: id }).expect(200);
  await theirs.delete(`/developer/webhooks/${id}`);
  const own = await makeWebhook(mine, { name: 'mine' });
  for (const query of ['', '?filter[trashed]=with', '?filter[name]=e', '?filter[name]=e,mine&filter[trashed]=with']) {
    const { body } = await mine.get(`/developer/webhooks${query}`);
    expect([query, body.meta.total, body.data.map((webhook: { id: string }) => webhook.id)]).toEqual([
      query,
      1,
      [own.id],
    ]);
  }
  const { body } = await mine.get('/developer/webhooks?filter[trashed]=only');
  expect([body.meta.total, body.data]).toEqual([0, []]);
  const subscriptions = (await mine.get('/developer/subscriptions')).body;
  expect([subscriptions.meta.total, subscriptions.data]).toEqual([0, []]);
});

test('a foreign subscription is not found, and cannot be deleted', async () => {
  const { id: webhookId } = await makeWebhook(theirs);
  const made = await theirs.post('/developer/subscriptions', { event: 'rcs:message:in', webhook_id: webhookId });
  const path = `/developer/subscriptions/${made.body.data.id}`;
  const notFound = errorBody(404, 'NotFound', 'Subscription not found.');
  for (const answer of [await mine.get(path), await mine.delete(path), await mine.post(`${path}?_method=DELETE`)]) {
    expect([answer.status, answer.body]).toEqual([404, notFound]);
  }
  await theirs.get(path).expect(200);
});

test('a foreign webhook cannot be subscribed, and looks like an unknown one', async () => {
  const { id: foreign } = await makeWebhook(theirs);
  const { id: deleted } = await makeWebhook(mine);
  await mine.delete(`/developer/webhooks/${deleted}`);
  const answers = [];
  for (const webhookId of [foreign, deleted, '180ebbb5-9b6f-4c51-a98a-0123456789ab', 'x']) {
    const { body } = await mine.post('/developer/subscriptions', { event: 'rcs:message:in', webhook_id: webhookId });
    answers.push(body);
  }
  const message = 'The selected webhook id is invalid.';
  for (const body of answers)
    expect(body).toEqual(errorBody(422, 'ValidationError', message, { webhook_id: [message] }));
});
