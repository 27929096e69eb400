import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { failuresOf } from '@ringback/rules/fixture';
import { errorBody, startApi, type TestAccount, type TestApi } from '../api.fixture.js';

type Documents = Record<'broken' | 'valid' | 'either', Record<string, string>>;
const file = new URL('../../../../packages/rules/src/json-documents.json', import.meta.url);
const documents: Documents = JSON.parse(readFileSync(file, 'utf8'));
const deep = { opening_arrays: '['.repeat(30_000), open_array_object: '[{"":'.repeat(10_000) };
// For the API, these two are empty bodies, which count as `{}`: 422, because the required fields are missing.
const { structure_no_data: nothing, structure_UTF8_BOM_no_data: byteOrderMark, ...broken } = documents.broken;

let api: TestApi;
let account: TestAccount;
beforeAll(async () => {
  api = await startApi();
  account = await api.makeAccount();
});
afterAll(() => api.close());
afterEach(() => expect(api.logged.filter(({ level }) => level === 'error')).toEqual([]));

async function create(bytes: string) {
  const headers = { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${api.port}/api/v2/developer/webhooks`, {
    method: 'POST',
    headers,
    body: Buffer.from(bytes, 'latin1'),
  });
  const body: unknown = await answer.json();
  return { status: answer.status, body };
}

test('each broken document is a 400 that says what is wrong with it', async () => {
  const failures = await failuresOf(Object.entries({ ...broken, ...deep }), async ([, bytes]) => {
    const format = isUtf8(Buffer.from(bytes, 'latin1')) ? 'JSON' : 'UTF-8';
    const expected = errorBody(400, 'BadRequest', `The request body is not valid ${format}.`);
    expect(await create(bytes)).toEqual({ status: 400, body: expected });
  });
  expect(failures).toEqual([]);
});

test('each document that is not a webhook is refused with an error in the documented format', async () => {
  const refused = Object.entries({ nothing, byteOrderMark, ...documents.valid, ...documents.either });
  const failures = await failuresOf(refused, async ([, bytes = '']) => {
    const { status, body } = await create(bytes);
    expect([400, 422]).toContain(status);
    expect(body).toMatchObject({ code: status, message: expect.stringMatching(/\S/) });
  });
  expect(failures).toEqual([]);
});
