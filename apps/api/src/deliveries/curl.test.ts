import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorBody, makeWebhook, startApi, type TestAccount, type TestApi } from '../api.fixture.js';
import { curlCommand } from './curl.js';
import { makeAttempt, pushEvent } from './deliveries.fixture.js';

const shell = promisify(execFile);

/** The arguments that a POSIX shell passes to the command. */
async function argsOf(command: string): Promise<string[]> {
  const script = `curl() { for word; do printf '%s\\0' "$word"; done; }\n${command}`;
  const { stdout } = await shell('/bin/sh', ['-c', script], {
    env: { WEBHOOK_TOKEN: 's3cret', WEBHOOK_USER_PASSWORD: 'user:pass word' },
  });
  return stdout.split('\0').slice(0, -1);
}

const nasty = `it's "$HOME" \`id\` $(id) \\ \n !! #x ; & | * ? [a] {b,c} ~ é 😀`;

test('a request with special characters becomes one command', async () => {
  const headers = { 'Content-Length': '9', Authorization: 'Bearer ********', 'X-Odd': `a'b"c$d` };
  const body = JSON.stringify({ nasty, more: nasty });
  const words = await argsOf(curlCommand({ method: 'POST', url: `https://example.com/'$x'?b=[1]`, headers, body }));
  expect(words).toEqual([
    ...['-g', '-X', 'POST', `https://example.com/'$x'?b=[1]`],
    ...['-H', 'Authorization: Bearer s3cret', '-H', `X-Odd: a'b"c$d`, '--data-raw', body],
  ]);
});

test('a user and password are an option', async () => {
  const headers = { Authorization: 'Basic ********' };
  const words = await argsOf(
    curlCommand({ method: 'POST', url: 'https://********@example.com/x', headers, body: '{}' }),
  );
  expect(words).toEqual([...['-g', '-X', 'POST', 'https://example.com/x', '-u', 'user:pass word', '--data-raw', '{}']]);
});

describe('the curl command of a delivery', () => {
  let api: TestApi;
  let account: TestAccount;
  let webhookId: string;
  beforeAll(async () => {
    api = await startApi();
    account = await api.makeAccount();
    webhookId = (await makeWebhook(account)).id;
  });
  afterAll(() => api.close());

  test('has the request of its newest attempt', async () => {
    const id = await pushEvent(api.db, { webhookId, messageId: nasty });
    await makeAttempt(api.db, id, { statusCode: 500, state: 'pending', waitMs: 0 });
    await makeAttempt(api.db, id, { number: 2, url: 'https://example.com/other' });
    const { status, body } = await account.get(`/developer/deliveries/${id}/curl`);
    expect([status, body.message, Object.keys(body.data)]).toEqual([200, 'OK', ['command']]);
    const words = await argsOf(body.data.command);
    expect(words).toContain('https://example.com/other');
    expect(words).toContain('X-Ringback-Attempt: 2');
    expect(JSON.parse(words.at(-1) ?? '')).toMatchObject({ id: nasty });
  });

  test('of a delivery without an attempt is not found', async () => {
    const id = await pushEvent(api.db, { webhookId, messageId: 'm' });
    const { status, body } = await account.get(`/developer/deliveries/${id}/curl`);
    expect([status, body]).toEqual([404, errorBody(404, 'NotFound', 'Attempt not found.')]);
  });
});
