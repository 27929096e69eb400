import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startReplay } from '@ringback/ledger';
import { type Client, errorBody, makeWebhook, startApi, type TestAccount, type TestApi } from '../api.fixture.js';
import { makeAttempt, pushEvent } from '../deliveries/deliveries.fixture.js';
import { answerTestCalls } from '../openapi/examples.fixture.js';
import { parseRoute, type TaggedOperation } from '../http/operation.js';
import { operations } from '../operations.js';
import { enter, openSession } from './portal-sessions.fixture.js';

let api: TestApi;
let stopAnswering: () => Promise<void>;
beforeAll(async () => {
  api = await startApi();
  // The first query is slow, because Prisma loads its compiler then.
  await api.makeAccount();
  stopAnswering = answerTestCalls(api);
});
afterAll(async () => {
  await stopAnswering();
  await api.close();
});

/** A webhook, and a row of everything that belongs to it. `marks` are texts that appear in nothing else. */
type Side = {
  webhookId: string;
  subscriptionId: string;
  deliveryId: string;
  replayId: string;
  messageId: string;
  marks: string[];
};

let account: TestAccount;
let seen: Side;
let hidden: Side;
let session: Client;
// Operations that only read share the objects: making them takes longer than the test.
let isUnchanged = false;
const changes = (operation: TaggedOperation) => parseRoute(operation).method !== 'get';
beforeEach(async () => {
  if (isUnchanged) {
    isUnchanged = false;
    return;
  }
  account = await api.makeAccount();
  seen = await makeSide('seen');
  hidden = await makeSide('hidden');
  session = await enter(api, await openSession(account, { webhook_ids: [seen.webhookId] }));
});

async function makeSide(name: string): Promise<Side> {
  const fields = { name: `${name}-hook`, token: `${name}-token`, secret: `${name}-secret` };
  const { id: webhookId } = await makeWebhook(account, fields);
  const subscription = { event: 'sms:message:status', identity: `${name}-identity`, webhook_id: webhookId };
  const { body } = await account.post('/developer/subscriptions', subscription).expect(200);
  const messageId = `${name}-message:1`;
  const deliveryId = await pushEvent(api.db, { webhookId, messageId, mobile: `${name}-mobile` });
  await makeAttempt(api.db, deliveryId, { url: `https://${name}.example/`, state: 'failed', statusCode: 500 });
  const replay = await startReplay(api.db, account.id, {
    webhookId,
    filter: { webhookId, states: ['skipped'] },
    rate: 1,
  });
  const ids = { webhookId, deliveryId, replayId: replay?.id ?? '' };
  return { ...ids, subscriptionId: String(body.data.id), messageId, marks: [...Object.values(ids), `${name}-`] };
}

const accountOperations = operations.filter(({ callerKind = 'account' }) => callerKind === 'account');
const byId = accountOperations.map((operation) => [operation.id, operation] as const);

/** The value of an operation's path parameter for one side. A new kind of path must be added here. */
function idFor(operation: TaggedOperation, side: Side): string {
  const { path } = parseRoute(operation);
  const [, kind = ''] = /^\/developer\/(\w+)\/\{/.exec(path) ?? [];
  const ids: Record<string, string> = {
    webhooks: side.webhookId,
    subscriptions: side.subscriptionId,
    deliveries: side.deliveryId,
    replays: side.replayId,
    messages: side.messageId,
    tokens: randomUUID(),
  };
  const id = ids[kind];
  if (id === undefined) throw new Error(`${operation.route}: this test has no value for its path parameter`);
  return id;
}

/** Sends the example request of an operation, with the ids of one side. */
function callAbout(operation: TaggedOperation, side: Side, client = session) {
  const { method, path } = parseRoute(operation);
  const filled = path.replace(/\{\w+\}/, () => encodeURIComponent(idFor(operation, side)));
  const { body } = operation.example;
  const isOfWebhook = typeof body === 'object' && body !== null && 'webhook_id' in body;
  return client[method](filled, isOfWebhook ? { ...body, webhook_id: side.webhookId } : body);
}

const stranger: Omit<Side, 'marks'> = {
  webhookId: '180ebbb5-9b6f-4c51-a98a-0123456789ab',
  subscriptionId: '2147483647',
  deliveryId: '0199f3a0-0000-7abc-8def-0123456789ab',
  replayId: '0199f3a0-0000-7abc-8def-0123456789ab',
  messageId: 'no-message:1',
};

/** Searches whose responses count rows. A test does not look for the rows of a webhook in them. */
const counting = ['startReplay', 'getStatistics'];
const refused: Record<string, string> = {
  createWebhook: 'create a webhook',
  createSubscription: 'subscribe a webhook to an event',
  listTokens: 'list access tokens',
  createToken: 'create an access token',
  revokeToken: 'revoke an access token',
};
const refusal = (id: string) =>
  errorBody(403, 'Forbidden', `This session is restricted to some webhooks, so it cannot ${refused[id]}.`);

describe('for a session that is restricted to some webhooks', () => {
  test.each(byId)('%s responds for other webhooks as if they did not exist', async (id, operation) => {
    const before = await account.get(`/developer/webhooks/${hidden.webhookId}`);
    const { status, body, text } = await callAbout(operation, hidden);
    if (id in refused) return expect([status, body]).toEqual([403, refusal(id)]);
    for (const mark of hidden.marks) expect(text).not.toContain(mark);
    if (operation.route.includes('{')) {
      const unknown = await callAbout(operation, { ...stranger, marks: [] });
      expect([status, body]).toEqual([unknown.status, unknown.body]);
      expect(status).toBe(404);
    } else expect(status).toBe(200);
    expect((await account.get(`/developer/webhooks/${hidden.webhookId}`)).body).toEqual(before.body);
    expect(await (await api.db.prisma()).subscription.count({ where: { webhookId: hidden.webhookId } })).toBe(1);
    isUnchanged = !changes(operation);
  });

  test.each(byId.filter(([id]) => !(id in refused)))('%s works for its own webhooks', async (id, operation) => {
    if (id === 'startReplay') await account.post(`/developer/replays/${seen.replayId}/cancel`).expect(200);
    const { status, text } = await callAbout(operation, seen);
    expect([id, status]).toEqual([id, 200]);
    if (operation.isSearch && !counting.includes(id)) expect(seen.marks.some((mark) => text.includes(mark))).toBe(true);
    isUnchanged = !changes(operation);
  });

  test.each(byId)('%s works for all webhooks if the session is not restricted', async (id, operation) => {
    if (id === 'startReplay') await account.post(`/developer/replays/${hidden.replayId}/cancel`).expect(200);
    const unrestricted = await enter(api, await openSession(account));
    const { status } = await callAbout(operation, hidden, unrestricted);
    expect([id, status]).toEqual([id, id === 'revokeToken' ? 404 : 200]);
    isUnchanged = !changes(operation);
  });

  test.each(['/DEVELOPER/Webhooks/ID/', '/developer/webhooks/ID?x=1', '/developer/webhooks/ID/verification/'])(
    'another spelling of a path does not get around the restriction: %s',
    async (path) => {
      for (const id of [hidden.webhookId, hidden.webhookId.toUpperCase()]) {
        expect((await session.get(path.replace('ID', id))).body.message).toBe('Webhook not found.');
        expect((await session.head(path.replace('ID', id))).status).toBe(404);
      }
      expect((await session.get(path.replace('ID', seen.webhookId.toUpperCase()))).status).toBe(200);
    },
  );

  test('`_method` and a token in the query do not get around the restriction', async () => {
    const path = `/developer/webhooks/${hidden.webhookId}`;
    await session.post(`${path}?_method=DELETE`).expect(404);
    await session.post(path, { _method: 'PUT', name: 'x', uri: 'https://example.com/' }).expect(404);
    await api.raw.get(`/api/v2${path}`).query({ access_token: session.token }).expect(404);
    await account.get(path).expect(200);
  });
});

describe('a session that is restricted to some webhooks', () => {
  const path = () => `/developer/webhooks/${seen.webhookId}`;
  const own = 'https://session.example/';

  test('cannot subscribe its webhook to the events of the account', async () => {
    const body = { event: 'sms:message:status', identity: 'all', webhook_id: seen.webhookId };
    const answer = await session.post('/developer/subscriptions', body);
    expect([answer.status, answer.body]).toEqual([403, refusal('createSubscription')]);
    expect(await (await api.db.prisma()).subscription.count({ where: { webhookId: seen.webhookId } })).toBe(1);
  });

  const given = { name: 'seen-hook', uri: 'https://example.com/callbacks' };
  test.each<[string, string, object, string]>([
    ['changing the uri of a webhook that uses the callback token', '', { uri: own }, 'uri'],
    ['changing the uri of such a webhook, with a null secret', '', { uri: own, secret: null }, 'uri'],
    ['changing only the query of the uri', '', { uri: `${given.uri}?x=1` }, 'uri'],
    ['clearing the secret', 's3cret', { secret: null }, 'secret'],
    ['clearing the secret with an empty text', 's3cret', { secret: '' }, 'secret'],
    ['changing the uri and clearing the secret', 's3cret', { uri: own, secret: null }, 'secret'],
  ])('cannot get the callback token by %s', async (_, secret, changes, field) => {
    await account.put(path(), { ...given, secret }).expect(200);
    const shown = (await account.get(path())).body;
    for (const method of ['put', 'patch'] as const) {
      const { status, body } = await session[method](path(), { ...given, ...changes });
      expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
      expect(body.message).toMatch(/in a session that is restricted to some webhooks/);
    }
    expect((await account.get(path())).body).toEqual(shown);
  });

  test('can edit everything else of its webhooks, and the uri together with a secret', async () => {
    await account.put(path(), { ...given, secret: null }).expect(200);
    await session.put(path(), { ...given, name: 'renamed', secret: '' }).expect(200);
    await session.put(path(), { ...given, uri: own, secret: 's3cret' }).expect(200);
    const { body } = await session.put(path(), { ...given, uri: `${own}moved` }).expect(200);
    expect(body.data).toMatchObject({ uri: `${own}moved`, secret: 's3cret' });
  });

  test('is restricted in its edits, unlike other sessions and tokens', async () => {
    const unrestricted = await enter(api, await openSession(account));
    for (const client of [unrestricted, account]) {
      await client.put(path(), { ...given, secret: 's3cret' }).expect(200);
      await client.put(path(), { ...given, uri: own, secret: null }).expect(200);
    }
  });
});

describe('lists of a session that is restricted to some webhooks', () => {
  type Row = { id: string; webhook_id?: string };
  const idsOf = async (client: Client, path: string): Promise<string[]> =>
    (await client.get(path).expect(200)).body.data.map(({ id }: Row) => id);

  test('count and page only the rows of its webhooks', async () => {
    for (const path of [
      '/developer/webhooks',
      '/developer/webhooks?filter[trashed]=with',
      '/developer/subscriptions',
    ]) {
      const { body } = await session.get(path).expect(200);
      expect([path, body.meta.total, body.data.length]).toEqual([path, 1, 1]);
    }
    expect(await idsOf(session, '/developer/webhooks?filter[name]=hook')).toEqual([seen.webhookId]);
    expect(await idsOf(session, '/developer/webhooks?filter[name]=hidden')).toEqual([]);
  });

  test.each(['', '&filter[status]=failed', '&filter[response_code]=500', '&filter[since]=2020-01-01'])(
    'the delivery log of several webhooks is merged and paged in order, with %j',
    async (filter) => {
      const { id: third } = await makeWebhook(account, { name: 'third' });
      const both = await enter(api, await openSession(account, { webhook_ids: [seen.webhookId, third] }));
      const expected = [seen.deliveryId];
      for (let count = 0; count < 7; count++) {
        for (const webhookId of [seen.webhookId, hidden.webhookId, third]) {
          const id = await pushEvent(api.db, { webhookId, messageId: `m-${count}` });
          await makeAttempt(api.db, id, { state: 'failed', statusCode: 500 });
          if (webhookId !== hidden.webhookId) expected.unshift(id);
        }
      }
      const found: string[] = [];
      const base = 'https://api.test/api/v2';
      let last = '';
      let next: string | null = `${base}/developer/deliveries?per_page=4${filter}`;
      while (next !== null) {
        last = next.replace(base, '');
        const page: { data: Row[]; links: { next: string | null } } = (await both.get(last).expect(200)).body;
        found.push(...page.data.map(({ id }) => id));
        next = page.links.next;
      }
      expect(found).toEqual(expected);
      const { body } = await both.get(last);
      const previous = await both.get(body.links.prev.replace(base, '')).expect(200);
      expect(previous.body.data.map(({ id }: Row) => id)).toEqual(expected.slice(8, 12));
      expect(await idsOf(both, `/developer/deliveries?filter[webhook_id]=${hidden.webhookId}${filter}`)).toEqual([]);
    },
  );

  test('a message that went to several webhooks shows only the deliveries of the session', async () => {
    const mine = await pushEvent(api.db, { webhookId: seen.webhookId, messageId: 'shared:1', mobile: '42' });
    await pushEvent(api.db, { webhookId: hidden.webhookId, messageId: 'shared:1', mobile: '42' });
    const { body } = await session.get('/developer/messages/shared:1').expect(200);
    expect(body.data.events).toHaveLength(1);
    expect(body.data.events[0].deliveries.map(({ id }: Row) => id)).toEqual([mine]);
    for (const filter of ['message_id]=shared:1', 'mobile]=42'])
      expect(await idsOf(session, `/developer/deliveries?filter[${filter}`)).toEqual([mine]);
    expect(await idsOf(session, '/developer/deliveries?filter[message_id]=hidden-message:1')).toEqual([]);
  });

  test('replays and changes are those of its webhooks, whatever the filter', async () => {
    expect(await idsOf(session, '/developer/replays')).toEqual([seen.replayId]);
    expect(await idsOf(session, `/developer/replays?filter[webhook_id]=${hidden.webhookId}`)).toEqual([]);
    const { body } = await session.get('/developer/changes').expect(200);
    expect(body.data.map(({ object_id }: { object_id: string }) => object_id)).toEqual([seen.webhookId]);
    for (const id of [hidden.webhookId, hidden.subscriptionId, account.id])
      expect(await idsOf(session, `/developer/changes?filter[object_id]=${id}`)).toEqual([]);
  });
});
