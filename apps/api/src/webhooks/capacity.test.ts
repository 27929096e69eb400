import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { errorBody, makeWebhook, startApi, type TestAccount, type TestApi, webhookInput } from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => void (api = await startApi({ maxWebhooksPerAccount: 3 })));
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

const message = 'An account may have at most 3 webhooks that are not deleted.';
const refused = errorBody(422, 'ValidationError', message, { webhooks: [message] });
const create = () => account.post('/developer/webhooks', webhookInput());
const liveCount = async () => (await account.get('/developer/webhooks')).body.meta.total;

test('an account cannot exceed its maximum of webhooks, even with concurrent calls', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, create));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 422, 422, 422, 422, 422]);
  expect(answers.find(({ status }) => status === 422)?.body).toEqual(refused);
  expect(await liveCount()).toBe(3);
});

test('the maximum applies to restoring, too, and deleting a webhook frees a slot', async () => {
  const ids = [];
  for (let count = 0; count < 6; count++) {
    const { id } = await makeWebhook(account);
    ids.push(id);
    await account.delete(`/developer/webhooks/${id}`).expect(200);
  }
  const restore = (id: string | undefined) => account.post(`/developer/webhooks/${id}/restore`);
  const answers = await Promise.all(ids.map(async (id) => ({ id, ...(await restore(id)) })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 422, 422, 422]);
  const [live, deleted] = [200, 422].map((status) => answers.find((answer) => answer.status === status)?.id);
  expect((await restore(deleted).expect(422)).body).toEqual(refused);
  await restore(crypto.randomUUID()).expect(404);
  await restore(live).expect(200);
  await account.delete(`/developer/webhooks/${live}`).expect(200);
  await restore(deleted).expect(200);
  await create().expect(422);
  expect(await liveCount()).toBe(3);
});
