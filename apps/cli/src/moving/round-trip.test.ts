import { createHash, randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Database, deleteAccount, exportLines, Importer, openDatabase, storeEvents } from '@ringback/ledger';
import { makeCertificate } from '@ringback/receiver';
import { parseAllowList, stringifyExactJson } from '@ringback/rules';
import { createTemporaryFolder, createTestDatabase, type TestDatabase } from '@ringback/testing';
import { FileImport } from './import-file.js';

type Line = Record<string, unknown> & { type: string };
type Site = { database: TestDatabase; db: Database };

let folder: string;
let original: Site;
let copy: Site;

async function openSite(): Promise<Site> {
  const database = await createTestDatabase();
  return { database, db: openDatabase({ url: database.url, connectTimeoutMs: 60_000 }) };
}

beforeAll(async () => {
  folder = createTemporaryFolder('ringback-round-trip');
  [original, copy] = await Promise.all([openSite(), openSite()]);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  for (const { db, database } of [original, copy]) {
    await db.close();
    await database.drop();
  }
});

/** Imports lines, none of which may be refused. */
async function importLines(site: Site, lines: object[]) {
  return importText(site, lines.map((line) => stringifyExactJson(line)).join('\n'));
}

async function importText({ db }: Site, text: string) {
  const path = join(folder, randomUUID());
  writeFileSync(path, text);
  const deps = { allowList: parseAllowList(''), onProgress: () => {}, onRemark: () => {} };
  const summary = await Importer.run(db, { isDryRun: false }, (importer) =>
    new FileImport({ ...deps, importer }, path).run(),
  );
  expect(summary.refused).toEqual([]);
  return summary;
}

async function exportSite({ db }: Site, accountId?: string): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of exportLines(db, { accountId, withSecrets: true })) lines.push(line);
  return lines;
}

const secretOf = (variant: number) => `whsec_${Buffer.alloc(24, variant).toString('base64')}`;
const cas = [makeCertificate().cert, makeCertificate().cert];

type Ids = { account: string; webhook: string; verification: string; tokens: string[]; number: number };

/** Each optional field that may differ, with its value in one of two variants. */
const optionalFields: ((ids: Ids, variant: number) => Line | Line[])[] = [
  ({ account }, variant) => ({ type: 'account', external_id: `${account} ${variant}` }),
  () => ({ type: 'account', status: 'suspended' }),
  (_ids, variant) => ({ type: 'account', theme: { name: `Acme ${variant}` } }),
  (_ids, variant) => ({ type: 'webhook', uri: `https://u:p${variant}@example.com/in` }),
  () => ({ type: 'webhook', status: '0' }),
  (_ids, variant) => ({ type: 'webhook', secret: `secret ${variant}` }),
  (_ids, variant) => ({ type: 'webhook', verification_code: `code ${variant}` }),
  (_ids, variant) => ({ type: 'webhook', payload: { variant } }),
  () => ({ type: 'webhook', signing: false }),
  (_ids, variant) => ({ type: 'webhook', rate_limit: 7 + variant }),
  (_ids, variant) => ({ type: 'webhook', tls: { ca: cas[variant] } }),
  (_ids, variant) => ({
    ...{ type: 'webhook', previous_signing_secret: secretOf(variant) },
    previous_signs_until: `209${variant}-01-01T00:00:00.000000Z`,
  }),
  (_ids, variant) => ({ type: 'webhook', paused: { since: `2025-01-0${variant + 1}T00:00:00Z`, reason: 'gone' } }),
  ({ verification: id }, variant) => ({
    type: 'webhook',
    verification: { id, status: 'failed', attempts: 3, reason: `reason ${variant}`, advice: `advice ${variant}` },
  }),
  (_ids, variant) => ({ type: 'webhook', deleted_at: `2025-02-0${variant + 1}T00:00:00Z` }),
  ...[1, 2].map((event) => ({ number, account, webhook }: Ids, variant: number) => {
    const names = ['sms:message:status', 'rcs:message:status'];
    const keys = { account_id: account, webhook_id: webhook, event: names[event - 1] };
    return [{ type: 'subscription', id: number * 10 + event + 2 * variant, ...keys }];
  }),
];

/** The lines of an account whose objects have those of the optional fields that are selected. */
function makeAccount(ids: Ids, variant: number, has: (index: number) => boolean): Line[] {
  const given = optionalFields.filter((_field, index) => has(index)).flatMap((field) => field(ids, variant));
  const of = (type: string) => Object.assign({}, ...given.filter((line) => line.type === type)) as Line;
  const { account: account_id, webhook: id, verification, tokens } = ids;
  const times = { created_at: '2024-01-02T03:04:05Z', updated_at: `2024-02-0${variant + 1}T03:04:05Z` };
  const webhook = { account_id, name: `hook ${variant}`, uri: 'https://example.com/in', signing_secret: secretOf(9) };
  const pending = { id: verification, status: 'pending', next_attempt_at: '2099-01-01T00:00:00Z' };
  const sha256 = (text: string) => createHash('sha256').update(`${account_id} ${text}`).digest('hex');
  const token = { type: 'access_token', account_id, scopes: ['read'], created_at: '2024-01-02T03:04:05Z' };
  return [
    { ...of('account'), type: 'account', id: account_id, name: `acme ${variant}`, ...times },
    { ...webhook, verification: pending, ...of('webhook'), type: 'webhook', id, ...times },
    { ...token, id: tokens[0], sha256: sha256('valid'), name: 'valid' },
    { ...token, id: tokens[1], sha256: sha256('revoked'), revoked_at: `2024-03-0${variant + 1}T00:00:00Z` },
    ...given.filter(({ type }) => type === 'subscription'),
  ];
}

test('an export, imported onto a copy that differs or was deleted, makes it equal', async () => {
  const fieldCount = optionalFields.length;
  // Those that the original has, and those of the copy: all or none, and for each field itself or all others.
  const selections: [number[], number[]][] = [
    [-1],
    ...Array.from({ length: fieldCount }, (_, index) => [index]),
  ].flatMap((alone) => {
    const others = Array.from({ length: fieldCount }, (_, index) => index).filter((index) => !alone.includes(index));
    return [
      [alone, others],
      [others, alone],
      [others, others],
    ] as [number[], number[]][];
  });
  const accounts = selections.flatMap((selection, index) =>
    [false, true].map((isDeleted, kind) => {
      const [account, webhook, verification] = [randomUUID(), randomUUID(), randomUUID()];
      const tokens = [randomUUID(), randomUUID()];
      return { selection, isDeleted, ids: { account, webhook, verification, tokens, number: 2 * index + kind + 1 } };
    }),
  );
  for (const [site, variant] of [[original, 0] as const, [copy, 1] as const]) {
    await importLines(
      site,
      accounts.flatMap(({ selection, ids }) =>
        makeAccount(ids, variant, (index) => selection[variant].includes(index)),
      ),
    );
  }
  for (const { ids } of accounts.filter(({ isDeleted }) => isDeleted)) await deleteAccount(copy.db, ids.account);

  const exported = await exportSite(original);
  await importLines(copy, exported);
  const again = await exportSite(copy);
  const differences = exported.flatMap((line, index) => {
    const other = again[index];
    return other && stringifyExactJson(line) === stringifyExactJson(other) ? [] : [{ line, other }];
  });
  expect(differences.slice(0, 3)).toEqual([]);
  expect(again).toHaveLength(exported.length);
  const { types } = await importLines(copy, exported);
  const changed = Object.values(types).map(({ created, updated }) => created + updated);
  expect(changed).toEqual(changed.map(() => 0));
});

test('an import with a null does not undo the revocation of a token, and keeps its name', async () => {
  const id = randomUUID();
  const account = { type: 'account', id, name: 'acme' };
  const token = { type: 'access_token', account_id: id, token: `token of ${id}`, name: 'main' };
  const [revoked_at, created_at] = ['2024-03-01T00:00:00.000000Z', '2024-01-02T03:04:05.000000Z'];
  await importLines(copy, [account, { ...token, created_at, revoked_at }]);
  const { types } = await importLines(copy, [account, { ...token, name: null, created_at, revoked_at: null }]);
  expect(types.access_token).toMatchObject({ unchanged: 1 });
  const tokens = (await exportSite(copy, id)).filter(({ type }) => type === 'access_token');
  expect(tokens).toEqual([expect.objectContaining({ name: 'main', revoked_at })]);
});

test('a line may have a type with escaped characters', async () => {
  const [account_id, id] = [randomUUID(), randomUUID()];
  const webhook = { type: 'webhook', id, account_id, name: 'hook', uri: 'https://example.com/in' };
  await importLines(copy, [{ type: 'account', id: account_id, name: 'acme' }]);
  const { types } = await importText(copy, JSON.stringify(webhook).replace('"webhook"', '"webh\\u006fok"'));
  expect(types).toEqual({ webhook: { created: 1, updated: 0, unchanged: 0, refused: 0 } });
});

test('the keys of all events move on, those of imported events and of events of Ringback included', async () => {
  const accountId = randomUUID();
  await importLines(original, [
    { type: 'account', id: accountId, name: 'acme' },
    { type: 'event_key', account_id: accountId, event: 'rcs:message:in', event_id: 'imported' },
  ]);
  const event = { accountId, webhookId: null, identity: null, messageId: null, mobile: null, platformEventId: null };
  const events = ['{"id":"first"}', '{"id":"second"}'].map((payload) => {
    return { ...event, name: 'sms:message:status' as const, payload };
  });
  await storeEvents(original.db, [
    ...events,
    { ...event, name: 'webhook:paused', platformEventId: 'a pause', payload: '{}' },
  ]);
  const keysOf = (lines: Line[]) => lines.filter(({ type }) => type === 'event_key');
  const exported = await exportSite(original, accountId);
  expect(keysOf(exported)).toHaveLength(4);
  await importLines(copy, exported);
  expect(keysOf(await exportSite(copy, accountId))).toEqual(keysOf(exported));
  expect((await storeEvents(copy.db, events)).map(({ state }) => state)).toEqual(['duplicate', 'duplicate']);
});
