import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startApi, type TestAccount, type TestApi, webhookInput } from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => void (api = await startApi({ maxWebhooksPerAccount: 2 })));
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

const create = (client: TestAccount, key: string, fields: object = {}) =>
  client.post('/developer/webhooks', webhookInput({ token: 'verify-me', ...fields })).set('Idempotency-Key', key);
const count = async () => (await account.get('/developer/webhooks').expect(200)).body.meta.total;

test('the same Idempotency-Key creates one webhook, also in requests at once and at the limit of webhooks', async () => {
  const { body: first } = await create(account, 'key-1').expect(200);
  expect(first.data.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect((await create(account, 'key-1').expect(200)).body).toEqual(first);
  const together = await Promise.all(Array.from({ length: 4 }, () => create(account, 'key-2').expect(200)));
  expect(new Set(together.map(({ body }) => body.data.id)).size).toBe(1);
  expect(await count()).toBe(2);
  expect((await create(account, 'key-1').expect(200)).body).toEqual(first);
  await create(account, 'key-3').expect(422);
  const changes = (await account.get('/developer/changes').expect(200)).body.data;
  expect(changes.filter(({ action }: { action: string }) => action === 'webhook.created')).toHaveLength(2);
});

test('another key, and the same key of another account, create another webhook', async () => {
  const other = await api.makeAccount();
  const created = [await create(account, 'a'), await create(account, 'b'), await create(other, 'a')];
  expect(new Set(created.map(({ body }) => body.data.id)).size).toBe(3);
});

test('a repeat returns the webhook as it is then, whatever it asks for', async () => {
  const { body } = await create(account, 'key').expect(200);
  await account.patch(`/developer/webhooks/${body.data.id}`, { name: 'renamed' }).expect(200);
  expect((await create(account, 'key', { name: 'other' }).expect(200)).body.data.name).toBe('renamed');
  await account.delete(`/developer/webhooks/${body.data.id}`).expect(200);
  expect((await create(account, 'key').expect(200)).body.data).toMatchObject({
    id: body.data.id,
    deleted_at: expect.any(String),
  });
});

test('an empty key is none, and a key of more than 255 characters a 422', async () => {
  await create(account, '').expect(200);
  await create(account, ' ').expect(200);
  expect(await count()).toBe(2);
  const { body } = await create(account, 'k'.repeat(256)).expect(422);
  expect(body.errors).toEqual({ 'Idempotency-Key': ['Idempotency-Key must not be longer than 255 characters'] });
});
