import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeWebhook, startApi, type TestAccount, type TestApi, time, webhookNotFoundBody } from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

const secret: unknown = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
const pathOf = (id: string) => `/developer/webhooks/${id}/signing-secret`;
const show = async (id: string) => (await account.get(pathOf(id)).expect(200)).body.data;
const rotate = async (id: string) => (await account.post(`${pathOf(id)}/rotate`).expect(200)).body.data;

describe('the signing secret of a webhook', () => {
  test('has 32 random bytes, differs between webhooks, and does not change', async () => {
    const [webhook, other] = [await makeWebhook(account), await makeWebhook(account)];
    const { body, headers } = await account.get(pathOf(webhook.id)).expect(200);
    const data = { secret, previous_signs_until: null };
    expect(body).toEqual({ status: 'OK', code: 200, message: 'OK', data });
    expect(headers['cache-control']).toBe('no-store');
    expect(await show(webhook.id.toUpperCase())).toEqual(body.data);
    expect((await show(other.id)).secret).not.toBe(body.data.secret);
  });

  test('is not a field of the webhook', async () => {
    const webhook = await makeWebhook(account);
    const fields = ['id', 'name', 'uri', 'secret', 'verification_code', 'status', 'created_at', 'updated_at'];
    expect(Object.keys(webhook)).toEqual(fields);
  });

  test('is created once at the first request when there is none', async () => {
    const { id } = await makeWebhook(account);
    await (await api.db.prisma()).webhook.update({ where: { id }, data: { signingSecret: null } });
    const shown = await Promise.all([show(id), show(id), show(id)]);
    expect(new Set(shown.map((signing) => signing.secret)).size).toBe(1);
    expect(shown[0]).toEqual({ secret, previous_signs_until: null });
  });

  test('is replaced by a rotation, and the previous one signs for another day', async () => {
    const { id } = await makeWebhook(account);
    const before = await show(id);
    const startedAt = Date.now();
    const { body } = await account.post(`${pathOf(id)}/rotate`).expect(200);
    const data = { secret, previous_signs_until: time };
    expect(body).toEqual({ status: 'OK', code: 200, message: 'Signing secret rotated', data });
    expect(body.data.secret).not.toBe(before.secret);
    expect(await show(id)).toEqual(body.data);
    const hours = (Date.parse(body.data.previous_signs_until) - startedAt) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
  });

  test('has no previous secret after the previous one has stopped signing', async () => {
    const { id } = await makeWebhook(account);
    const rotated = await rotate(id);
    await (await api.db.prisma()).webhook.update({ where: { id }, data: { previousSignsUntil: new Date() } });
    expect(await show(id)).toEqual({ ...rotated, previous_signs_until: null });
  });

  test('is replaced twice by two concurrent rotations', async () => {
    const { id } = await makeWebhook(account);
    const made = await Promise.all([rotate(id), rotate(id)]);
    expect(new Set(made.map((signing) => signing.secret)).size).toBe(2);
    expect(made.map((signing) => signing.secret)).toContain((await show(id)).secret);
  });

  test('that no key decrypts is not shown, and the change history has no entry for it', async () => {
    const { id } = await makeWebhook(account);
    const sealed = `v1:gone:${'A'.repeat(60)}`;
    await (await api.db.prisma()).webhook.update({ where: { id }, data: { signingSecret: sealed } });
    await account.get(pathOf(id)).expect(409);
    const actions = async () =>
      (await account.get(`/developer/changes?filter[object_id]=${id}`)).body.data.map(
        ({ action }: { action: string }) => action,
      );
    expect(await actions()).toEqual(['webhook.created']);
    await rotate(id);
    await show(id);
    expect(await actions()).toEqual(['signing_secret.shown', 'signing_secret.rotated', 'webhook.created']);
  });

  test('of another account, of a deleted webhook and of an unknown one is not found', async () => {
    const other = await api.makeAccount();
    const [foreign, deleted] = [await makeWebhook(other), await makeWebhook(account)];
    await account.delete(`/developer/webhooks/${deleted.id}`).expect(200);
    for (const id of [foreign.id, deleted.id, account.id, 'x']) {
      expect((await account.get(pathOf(id)).expect(404)).body).toEqual(webhookNotFoundBody);
      expect((await account.post(`${pathOf(id)}/rotate`).expect(404)).body).toEqual(webhookNotFoundBody);
    }
  });
});
