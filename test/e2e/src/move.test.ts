import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import { customer } from './api.js';
import { runCli } from './cli.js';
import { run, type Running } from './processes.js';

type Line = Record<string, unknown>;
type Site = { database: TestDatabase; env: NodeJS.ProcessEnv; api: Running; baseUrl: string };

let folder: string;
let old: Site;
let other: Site;

async function startSite(more: NodeJS.ProcessEnv = {}): Promise<Site> {
  const database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, QUEUE_PREFIX: `e2e_${randomBytes(6).toString('hex')}`, PORT: '0', ...more };
  const api = run('apps/api/dist/main.js', { env });
  const [, baseUrl = ''] = await api.waitFor(/"base_url":"([^"]+)"/);
  return { database, env, api, baseUrl };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringback-move-'));
  old = await startSite();
  other = await startSite({ SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}` });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  for (const { api, database } of [old, other]) {
    await api.stop();
    await database.drop();
  }
});

const ndjson = (lines: (Line | string)[]) =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');

async function importLines({ env }: Site, lines: (Line | string)[], ...options: string[]) {
  const { code, stdout, stderr } = await runCli(['import', '-', '--json', ...options], { env, input: ndjson(lines) });
  return { code, stderr, summary: stdout === '' ? null : JSON.parse(stdout) };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** An account with everything that moves in, in an order in which nothing can be stored at once. */
function makeAccount() {
  const [account_id, active, deleted] = [randomUUID(), randomUUID(), randomUUID()];
  const sanctum = randomBytes(20).toString('hex');
  const plain = randomBytes(20).toString('hex');
  const first = Math.floor(Math.random() * 1_000_000) + 1_000;
  const lines: Line[] = [
    { type: 'event_key', account_id, event: 'sms:message:status', event_id: 'r-1' },
    { type: 'subscription', account_id, webhook_id: active, event: 'rcs:message:in', identity: ' number:1 ' },
    { type: 'subscription', id: first, account_id, webhook_id: active, event: 'sms:message:status' },
    {
      ...{ type: 'subscription', id: first + 5, account_id, webhook_id: deleted, event: 'sms:message:status' },
      created_at: '2024-05-06 07:08:09',
    },
    {
      ...{
        type: 'webhook',
        id: active,
        account_id,
        name: 'orders',
        status: true,
        token: 'verify-me',
        secret: 's3cret',
      },
      uri: 'https://user:p%40ss@example.com/in?to={{mobile}}',
      ...{ signing_secret: `whsec_${Buffer.alloc(24, 7).toString('base64')}`, rate_limit: 7, signing: false },
      ...{ created_at: '2024-01-02T03:04:05.678901Z', updated_at: '2024-02-03T03:04:05Z' },
    },
    {
      ...{ type: 'webhook', id: deleted, account_id, name: 'old', uri: 'https://example.com/old', status: 0 },
      ...{ created_at: '2023-01-02T03:04:05Z', deleted_at: '2023-06-01 00:00:00' },
    },
    { type: 'access_token', account_id, sha256: sha256(sanctum), format: 'sanctum', name: 'main' },
    { type: 'access_token', account_id, token: plain, scopes: ['read'] },
    {
      type: 'account',
      id: account_id,
      name: 'acme',
      callback_token: 'old-bearer',
      external_id: account_id.slice(0, 8),
      theme: { name: 'Acme', accent: '#0a7cff' },
      created_at: '2022-01-01T00:00:00Z',
    },
  ];
  return { account_id, active, deleted, sanctum, plain, first, lines };
}

const created = (count: number) => ({ created: count, updated: 0, unchanged: 0, refused: 0 });

test('an import keeps ids, dates and secrets, whatever the order of the lines, and a second one changes nothing', async () => {
  const { account_id, active, deleted, sanctum, plain, first, lines } = makeAccount();
  const dry = await importLines(old, lines, '--dry-run');
  const expected = {
    account: created(1),
    webhook: created(2),
    access_token: created(2),
    subscription: created(3),
    event_key: created(1),
  };
  expect([dry.code, dry.summary]).toEqual([0, { dry_run: true, types: expected, refused: [], warnings: [] }]);
  const call = customer(old.baseUrl, `12|${sanctum}`);
  expect((await call('GET', '/developer/webhooks')).status).toBe(401);

  const { code, summary } = await importLines(old, lines);
  expect([code, summary.types]).toEqual([0, expected]);
  const { data } = (await call('GET', `/developer/webhooks/${active}`)).body;
  expect(data).toEqual({
    ...{ id: active, name: 'orders', uri: 'https://********@example.com/in?to={{mobile}}', status: 1 },
    ...{ secret: 's3cret', verification_code: 'verify-me', signing: false, rate_limit: 7 },
    ...{ created_at: '2024-01-02T03:04:05.678000Z', updated_at: '2024-02-03T03:04:05.000000Z' },
  });
  expect((await call('GET', `/developer/webhooks/${active}/signing-secret`)).body.data.secret).toBe(
    `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
  );
  const trashed = (await call('GET', '/developer/webhooks?filter[trashed]=only')).body.data;
  expect(trashed).toEqual([expect.objectContaining({ id: deleted, deleted_at: '2023-06-01T00:00:00.000000Z' })]);
  const subscriptions = (await call('GET', '/developer/subscriptions')).body.data;
  expect(subscriptions).toMatchObject([
    { event: 'rcs:message:in', identity: 'number:1' },
    { id: first + 5, created_at: '2024-05-06T07:08:09.000000Z' },
    { id: first, identity: 'all' },
  ]);
  expect(subscriptions[0].id).toBe(first + 6);
  const input = { event: 'rcs:message:status', webhook_id: active };
  expect((await call('POST', '/developer/subscriptions', input)).body.data.id).toBe(first + 7);
  const reader = customer(old.baseUrl, plain);
  expect((await reader('GET', '/developer/webhooks')).status).toBe(200);
  expect((await reader('POST', '/developer/webhooks', {})).status).toBe(403);

  const again = await importLines(old, [...lines].reverse());
  const unchanged = Object.entries(expected).map(([type, { created: count }]) => [
    type,
    { created: 0, updated: 0, unchanged: count, refused: 0 },
  ]);
  expect([again.code, again.summary.types]).toEqual([0, Object.fromEntries(unchanged)]);

  // An event that was sent elsewhere is a duplicate here.
  const event = { event: 'sms:message:status', account_id, event_id: 'r-1', payload: { id: 'm-1' } };
  const published = await runCli(['event', 'publish', '--json'], { env: old.env, input: JSON.stringify(event) });
  expect(JSON.parse(published.stdout)).toMatchObject([{ state: 'duplicate' }]);
  expect((await runCli(['audit'], { env: old.env })).code).toBe(0);
});

test('a later import changes what the line has, and keeps the rest', async () => {
  const { account_id, active, sanctum, lines } = makeAccount();
  await importLines(old, lines);
  const edit = { type: 'webhook', id: active, account_id, name: 'renamed', uri: 'https://********@example.com/new' };
  const { summary } = await importLines(old, [edit]);
  expect(summary.types).toEqual({ webhook: { created: 0, updated: 1, unchanged: 0, refused: 0 } });
  const call = customer(old.baseUrl, `1|${sanctum}`);
  const { data } = (await call('GET', `/developer/webhooks/${active}`)).body;
  expect(data).toMatchObject({ name: 'renamed', uri: 'https://********@example.com/new', secret: 's3cret', status: 1 });
  expect((await call('GET', `/developer/changes?filter[object_id]=${active}`)).body.data).toMatchObject([
    { action: 'webhook.updated', actor: 'operator' },
    { action: 'webhook.created' },
  ]);
});

test('a line that cannot work is named with its number and reason, and the other lines are stored', async () => {
  const { account_id, active, lines } = makeAccount();
  const stranger = randomUUID();
  const other_account = { type: 'account', id: randomUUID(), name: 'other' };
  const webhook = { type: 'webhook', account_id, name: 'n', uri: 'https://example.com/' };
  const bad: [Line | string, string, string][] = [
    ['{', 'unknown', 'is not JSON'],
    [{ type: 'x' }, 'unknown', 'type: must be one of account, access_token, webhook, subscription, event_key'],
    [{ ...webhook, id: 'x' }, 'webhook', 'id: must be a UUID'],
    [{ ...webhook, id: stranger, uri: 'nonsense' }, 'webhook', 'uri: The uri field must be a valid URL.'],
    [{ ...webhook, id: stranger, rate_limit: 0 }, 'webhook', 'rate_limit: must be an integer from 1 to 1000'],
    [{ ...webhook, id: stranger, secrte: 'x' }, 'webhook', 'secrte: unknown field'],
    [
      { ...webhook, id: stranger, previous_signs_until: '2026-01-31T12:00:00Z' },
      'webhook',
      'previous_signing_secret and previous_signs_until: give both or none',
    ],
    ...['0000-05-05', '9999-12-31T23:59:59-10:00'].map((created_at): [Line, string, string] => [
      { ...webhook, id: stranger, created_at },
      'webhook',
      'created_at: must be a time such as 2026-01-31T12:00:00Z',
    ]),
    [{ ...webhook, id: stranger, account_id: stranger }, 'webhook', `account_id: there is no account ${stranger}`],
    [{ ...webhook, id: active, account_id: other_account.id }, 'webhook', 'id: it is a webhook of another account'],
    [
      { ...webhook, id: stranger, uri: 'https://********@example.com/' },
      'webhook',
      'uri: it has ******** in place of its user and password',
    ],
    [
      { type: 'subscription', account_id, webhook_id: stranger, event: 'sms:message:status' },
      'subscription',
      `webhook_id: there is no webhook ${stranger}`,
    ],
    [{ type: 'access_token', account_id }, 'access_token', 'token or sha256: one of them is required'],
    [
      { type: 'account', id: stranger, name: 'n', external_id: account_id.slice(0, 8) },
      'account',
      'external_id: another account has it',
    ],
  ];
  await importLines(old, lines);
  const all = [...bad.map(([line]) => line), other_account];
  const { code, summary, stderr } = await importLines(old, all);
  expect(summary.refused).toEqual(bad.map(([, type, reason], index) => ({ line: index + 1, type, reason })));
  expect([code, summary.types.account]).toEqual([1, { ...created(1), refused: 1 }]);
  expect(stderr).toContain('line 1: unknown: is not JSON');
});

test('a line that is not UTF-8 is refused, and the others are stored as they are', async () => {
  const name = `${'🚀'.repeat(100_000)}é`;
  const [first, second] = [randomUUID(), randomUUID()];
  const file = join(folder, 'latin1.ndjson');
  const lines = [
    Buffer.from(JSON.stringify({ type: 'account', id: first, name })),
    Buffer.from(JSON.stringify({ type: 'account', id: second, name: 'é' }), 'latin1'),
  ];
  writeFileSync(
    file,
    lines.flatMap((line) => [line, Buffer.from('\n')]).reduce((a, b) => Buffer.concat([a, b])),
  );
  const { code, stdout } = await runCli(['import', file, '--json'], { env: old.env });
  const { refused, types } = JSON.parse(stdout);
  expect([code, refused]).toEqual([1, [{ line: 2, type: 'account', reason: 'is not UTF-8' }]]);
  expect(types.account).toEqual({ ...created(1), refused: 1 });
  const list = await runCli(['account', 'list', '--json'], { env: old.env });
  const stored = JSON.parse(list.stdout).filter(({ id }: { id: string }) => id === first || id === second);
  expect(stored).toMatchObject([{ id: first, name }]);
});

test('what the API would refuse but a worker can send is stored with a warning', async () => {
  const { account_id, sanctum, lines } = makeAccount();
  const webhook = {
    type: 'webhook',
    account_id,
    name: 'n'.repeat(300),
    id: randomUUID(),
    uri: 'https://example.com:25/',
    secret: 's'.repeat(256),
  };
  const { code, summary } = await importLines(old, [...lines, webhook]);
  expect(code).toBe(0);
  const line = lines.length + 1;
  expect(summary.warnings).toEqual([
    { line, type: 'webhook', reason: 'The name field must have 1 to 255 characters.' },
    { line, type: 'webhook', reason: 'The uri field has a port that is not allowed.' },
    { line, type: 'webhook', reason: 'The secret field must not be greater than 255 characters.' },
  ]);
  const call = customer(old.baseUrl, `1|${sanctum}`);
  expect((await call('GET', `/developer/webhooks/${webhook.id}`)).body.data.uri).toBe(webhook.uri);
});

test('an export that is imported elsewhere gives the same answers', async () => {
  const { account_id, active, deleted, sanctum, first, lines } = makeAccount();
  const id = randomUUID();
  const big = `{"type":"webhook","id":"${id}","account_id":"${account_id}","name":"big","uri":"https://example.com/","payload":{"n":12345678901234567890,"t":"\u2028"}}`;
  await importLines(old, [...lines, big]);
  const rotating = customer(old.baseUrl, `3|${sanctum}`);
  const { secret: previous } = (await rotating('GET', `/developer/webhooks/${id}/signing-secret`)).body.data;
  await rotating('POST', `/developer/webhooks/${id}/signing-secret/rotate`);
  const named = (await rotating('GET', '/developer/tokens')).body.data.map(({ name }: { name?: string }) => name);
  expect(named.sort()).toEqual(['main', undefined]);
  const verification = (await rotating('POST', `/developer/webhooks/${active}/verification`)).body.data;
  expect(verification.status).toBe('pending');
  const exported = await runCli(['export', '--account', account_id, '--with-secrets'], { env: old.env });
  const file = join(folder, 'export.ndjson');
  writeFileSync(file, exported.stdout);
  expect(await runCli(['import', file], { env: other.env })).toMatchObject({ code: 0 });
  const paths = [
    '/developer/webhooks?per_page=50',
    '/developer/webhooks?filter[trashed]=with',
    ...[active, deleted, id].map((webhook) => `/developer/webhooks/${webhook}`),
    ...[active, id].map((webhook) => `/developer/webhooks/${webhook}/signing-secret`),
    ...[active, id].map((webhook) => `/developer/webhooks/${webhook}/verification`),
    '/developer/subscriptions',
    `/developer/subscriptions/${first}`,
    '/developer/tokens',
  ];
  for (const path of paths) {
    const [before, after] = await Promise.all(
      [old, other].map(async ({ baseUrl }) => {
        const headers = { authorization: `Bearer 3|${sanctum}` };
        const response = await fetch(`${baseUrl}${path}`, { headers });
        return (await response.text()).replaceAll(baseUrl, '');
      }),
    );
    expect([path, after]).toEqual([path, before]);
  }
  const shown = await runCli(['account', 'show', account_id, '--json'], { env: other.env });
  expect(JSON.parse(shown.stdout).theme).toEqual({ name: 'Acme', accent: '#0a7cff' });
  const again = await runCli(['export', '--account', account_id, '--with-secrets'], { env: other.env });
  expect(again.stdout).toBe(exported.stdout);
  // The secret before the rotation signs there too, until the same time.
  expect(again.stdout).toContain(`"previous_signing_secret":"${previous}","previous_signs_until":"20`);
  const taken = { type: 'webhook', id, account_id, name: 'big', uri: 'https://example.com/' };
  const refusal = await importLines(other, [{ ...taken, verification: { id: verification.id, status: 'passed' } }]);
  expect(refusal.summary.refused).toEqual([
    { line: 1, type: 'webhook', reason: 'verification.id: it is a verification of another webhook' },
  ]);
  const withoutSecrets = (await runCli(['export'], { env: other.env })).stdout;
  for (const secret of ['s3cret', 'p%40ss', 'verify-me', 'whsec_', 'old-bearer', sha256(sanctum)])
    expect(withoutSecrets).not.toContain(secret);
});
