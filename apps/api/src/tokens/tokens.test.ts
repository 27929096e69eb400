import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createAccessToken, type Scope } from '@ringback/ledger';
import { errorBody, startApi, type TestAccount, type TestApi, time, uuid } from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

const path = '/developer/tokens';
const tokenWith = async (...scopes: Scope[]) =>
  api.clientOf((await createAccessToken(api.db, account.id, scopes))!.token);

test('a token is shown once, works, is listed without its text, and is refused after it is revoked', async () => {
  const { body } = await account.post(path, { scopes: ['write', 'read', 'read'] }).expect(200);
  const { token, ...listed } = body.data;
  expect(body).toMatchObject({ status: 'OK', code: 200, message: 'Access token created' });
  expect(listed).toEqual({ id: uuid, scopes: ['read', 'write'], created_at: time, revoked_at: null });
  const client = api.clientOf(token);
  const list = await client.get(path).expect(200);
  expect(list.body.message).toBe('Access tokens');
  expect(list.body.data).toHaveLength(2);
  expect(list.body.data[0]).toEqual(listed);
  expect(list.text).not.toContain(token);
  const revoked = await account.delete(`${path}/${listed.id}`).expect(200);
  expect(revoked.body).toEqual({ status: 'OK', code: 200, message: 'Access token revoked', data: [] });
  await client.get(path).expect(401);
  const after = (await account.get(path)).body.data;
  expect(after.map(({ id, revoked_at }: { id: string; revoked_at: unknown }) => [id, revoked_at])).toEqual([
    [expect.not.stringContaining(listed.id), null],
    [listed.id, time],
  ]);
  await account.delete(`${path}/${listed.id}`).expect(200);
});

test('without scopes a token gets those of its caller, and never more', async () => {
  const writer = await tokenWith('write', 'replay');
  expect((await writer.post(path, {})).body.data.scopes).toEqual(['write', 'replay']);
  const refused = await writer.post(path, { scopes: ['read', 'write'] });
  expect([refused.status, refused.body]).toEqual([
    403,
    errorBody(403, 'Forbidden', 'This token lacks the scope "read", so it cannot grant it.'),
  ]);
});

test('a token has the name that it was given, and none when that is empty', async () => {
  const named = await account.post(path, { name: ' nightly reports ', scopes: ['read'] }).expect(200);
  expect(named.body.data).toMatchObject({ name: 'nightly reports', scopes: ['read'] });
  for (const name of ['', '  ', null]) {
    expect((await account.post(path, { name }).expect(200)).body.data).not.toHaveProperty('name');
  }
  const listed = (await account.get(path)).body.data.map(({ name }: { name?: string }) => name);
  expect(listed).toEqual([undefined, undefined, undefined, 'nightly reports', undefined]);
});

test.each([
  [{ scopes: [] }, 'scopes', 'The scopes field must have at least one scope.'],
  [{ scopes: null }, 'scopes', 'The scopes field must have at least one scope.'],
  [{ scopes: '' }, 'scopes', 'The scopes field must have at least one scope.'],
  [{ scope: ['read'] }, 'scope', 'The scope field is not supported. Supported: name, scopes.'],
  [{ name: 7 }, 'name', 'The name field must be a string.'],
  [{ name: 'n'.repeat(256) }, 'name', 'The name field must not be greater than 255 characters.'],
  [{ scopes: 'read' }, 'scopes', 'The scopes field must be a list.'],
  [{ scopes: ['root'] }, 'scopes.0', 'The scopes field may have only read, write, replay.'],
])('%j is a 422', async (input, field, message) => {
  const { status, body } = await account.post(path, input);
  expect([status, body]).toEqual([422, errorBody(422, 'ValidationError', message, { [field]: [message] })]);
});

test('a form without a value for scopes and several unknown fields make no token', async () => {
  const form = account.post(path).set('Content-Type', 'application/x-www-form-urlencoded').send('scopes=');
  const message = 'The scopes field must have at least one scope.';
  expect((await form.expect(422)).body.errors).toEqual({ scopes: [message] });
  const { body } = await account.post(path, { scope: ['read'], expires: 'x', scopes: [] }).expect(422);
  expect(Object.keys(body.errors).sort()).toEqual(['expires', 'scope', 'scopes']);
  expect((await account.get(path)).body.data).toHaveLength(1);
});

test('a token of another account, an unknown one and a malformed id are not found, and not listed', async () => {
  const theirs = await api.makeAccount();
  const { id } = (await theirs.get(path)).body.data[0];
  for (const anyId of [id, '180ebbb5-9b6f-4c51-a98a-0123456789ab', 'x', "'"]) {
    const { status, body } = await account.delete(`${path}/${anyId}`);
    expect([anyId, status, body]).toEqual([anyId, 404, errorBody(404, 'NotFound', 'Access token not found.')]);
  }
  expect((await account.get(path)).text).not.toContain(id);
  await theirs.get(path).expect(200);
});

test('an account has at most 100 tokens that are not revoked, also after concurrent requests', async () => {
  const data = Array.from({ length: 99 }, (_, index) => ({ accountId: account.id, hash: `${account.id} ${index}` }));
  await (await api.db.prisma()).accessToken.createMany({ data });
  const message = 'An account may have at most 100 access tokens.';
  const { status, body } = await account.post(path, {});
  expect([status, body]).toEqual([422, errorBody(422, 'ValidationError', message, { tokens: [message] })]);
  const { id } = (await account.get(path)).body.data[0];
  await account.delete(`${path}/${id}`).expect(200);
  // As several processes of the API do.
  const creations = Array.from({ length: 10 }, () =>
    createAccessToken(api.db, account.id, ['read'], { maxTokens: 100 }),
  );
  const results = await Promise.allSettled(creations);
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  await account.post(path, {}).expect(422);
});
