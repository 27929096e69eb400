import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../api.fixture.js';

let api: TestApi;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());

test.each([
  [41, 7],
  [2_450, 100],
])('a list of %i webhooks has the same order over all pages of %i as in the database', async (count, perPage) => {
  const account = await api.makeAccount();
  const webhook = { accountId: account.id, uri: 'https://example.com/', active: true };
  const data = Array.from({ length: count }, (_, index) => ({ ...webhook, name: `w${index + 1}` }));
  await (await api.db.prisma()).webhook.createMany({ data });
  const order = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];
  const all = await (await api.db.prisma()).webhook.findMany({ where: { accountId: account.id }, orderBy: order });
  const names: string[] = [];
  for (let page = 1; names.length < count; page++) {
    const { body } = await account.get(`/developer/webhooks?per_page=${perPage}&page=${page}`).expect(200);
    const found: { name: string }[] = body.data;
    expect(found).toHaveLength(Math.min(perPage, count - names.length));
    names.push(...found.map(({ name }) => name));
  }
  expect(names).toEqual(all.map(({ name }) => name));
});
