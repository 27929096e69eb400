import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  changeActions,
  createAccessToken,
  createPlatformToken,
  listNewestChanges,
  recordTestCall,
  revokeAccessToken,
  revokePlatformToken,
  claimTestCall,
} from '@ringback/ledger';
import { until } from '@ringback/testing';
import { errorBody, makeWebhook, startApi, type TestAccount, type TestApi, time, uuid } from '../api.fixture.js';
import { failure, makeAttempt, pushEvent } from '../deliveries/deliveries.fixture.js';
import { exampleTestCallAttempt } from '../trying-out/schema.js';

let api: TestApi;
let account: TestAccount;
let tokenId: string;
beforeAll(async () => void (api = await startApi()));
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.makeAccount();
  tokenId = (await (await api.db.prisma()).accessToken.findFirstOrThrow({ where: { accountId: account.id } })).id;
});

type Entry = { action: string; actor: string; changed: { field: string; before?: string; after?: string }[] };
const list = async (query = ''): Promise<Entry[]> => (await account.get(`/developer/changes${query}`)).body.data;
const actions = async (query = '') => (await list(query)).map(({ action }) => action);
const path = (id: unknown, more = '') => `/developer/webhooks/${String(id)}${more}`;
const uri = 'https://example.com/in';

/** Completes the next test call as a worker does, but without a request. */
async function makeTestCall(): Promise<void> {
  const task = await until(async () => {
    const [waiting] = await (await api.db.prisma()).testCall.findMany({ take: 1 });
    return (waiting && (await claimTestCall(api.db, waiting.id))) ?? undefined;
  }, 'a test call waits');
  await recordTestCall(api.db, task.id, { type: 'attempted', attempt: exampleTestCallAttempt });
}

async function makeFailedDelivery(webhookId: string): Promise<string> {
  const id = await pushEvent(api.db, { webhookId, messageId: 'm-1:1' });
  await makeAttempt(api.db, id, failure);
  return id;
}

const pause = (id: string) =>
  api.db.pool.query(`UPDATE webhooks SET paused_at = now(), pause_reason = 'failing' WHERE id = $1`, [id]);

/** Runs every operation with which a customer changes a webhook and what belongs to it, except `release`. */
async function runWebhookOperations(): Promise<void> {
  const { id } = await makeWebhook(account, { token: 'verify-me' });
  await account.put(path(id), { name: 'new', uri }).expect(200);
  await account.post(path(id, '/verification')).expect(200);
  await account.get(path(id, '/signing-secret')).expect(200);
  await account.post(path(id, '/signing-secret/rotate')).expect(200);
  const made = makeTestCall();
  await account.post(path(id, '/test'), { event: 'sms:message:status' }).expect(200);
  await made;
  const wanted = { event: 'sms:message:status', webhook_id: id };
  const { body: subscription } = await account.post('/developer/subscriptions', wanted).expect(200);
  await account.delete(`/developer/subscriptions/${subscription.data.id}`).expect(200);
  const deliveryId = await makeFailedDelivery(id);
  await account.post(`/developer/deliveries/${deliveryId}/resend`).expect(200);
  const { body: replay } = await account.post(path(id, '/replay'), {}).expect(200);
  await account.post(`/developer/replays/${replay.data.id}/cancel`).expect(200);
  await account.delete(path(id)).expect(200);
  await account.post(path(id, '/restore')).expect(200);
  await pause(id);
  await account.post(path(id, '/resume')).expect(200);
  await account.post(path(id, '/resume')).expect(200);
}

describe('a change is recorded', () => {
  test('for every operation on a webhook and what belongs to it, with the token as its actor', async () => {
    await runWebhookOperations();
    const entries = (await list('?per_page=100')).reverse();
    const byOperator = entries.splice(0, 2);
    expect(byOperator.map(({ action, actor }) => [action, actor]).sort()).toEqual([
      ['account.created', 'operator'],
      ['token.created', 'operator'],
    ]);
    expect(new Set(entries.map(({ actor }) => actor))).toEqual(new Set([`token:${tokenId}`]));
    expect(entries.map(({ action }) => action)).toEqual([
      'webhook.created',
      'webhook.updated',
      'verification.started',
      'signing_secret.shown',
      'signing_secret.rotated',
      'webhook.tested',
      'subscription.created',
      'subscription.deleted',
      'delivery.resent',
      'replay.started',
      'replay.cancelled',
      'webhook.deleted',
      'webhook.restored',
      'webhook.resumed',
    ]);
    const ofPlatforms = ['account.updated', 'account.deleted', 'callback_token.rotated'];
    const ofOperators = [...ofPlatforms, 'account.created', 'token.created', 'token.revoked', 'platform_token.created'];
    const ofSessions = ['portal_session.created', 'portal_session.ended'];
    const known = [...entries.map(({ action }) => action), ...ofOperators, 'platform_token.revoked', ...ofSessions];
    expect([...changeActions].sort()).toEqual(known.sort());
  });

  test('for tokens that an operator creates and revokes', async () => {
    const made = await createAccessToken(api.db, account.id, ['replay', 'read', 'read']);
    await revokeAccessToken(api.db, null, made!.id);
    await revokeAccessToken(api.db, null, made!.id);
    expect(await list(`?filter[object_id]=${made!.id}`)).toMatchObject([
      { action: 'token.revoked', actor: 'operator', object_type: 'token', changed: [] },
      { action: 'token.created', changed: [{ field: 'scopes', before: null, after: 'read,replay' }] },
    ]);
    const platform = await createPlatformToken(api.db, { name: 'smsc' });
    await revokePlatformToken(api.db, platform.id);
    const [revoked, created] = await listNewestChanges(api.db, { limit: 2 });
    expect([revoked, created]).toMatchObject([
      { accountId: null, action: 'platform_token.revoked', objectId: platform.id },
      { accountId: null, action: 'platform_token.created', changed: [{ after: 'smsc' }, { after: 'events,portal' }] },
    ]);
  });

  test('with the verification of an edit that changes the uri', async () => {
    const { id } = await makeWebhook(account, { token: 'verify-me' });
    await account.put(path(id.toUpperCase()), { name: 'a', uri: 'https://example.com/other' }).expect(200);
    expect(await actions(`?filter[object_id]=${id}`)).toEqual([
      'verification.started',
      'webhook.updated',
      'webhook.created',
    ]);
  });

  test('once for ten concurrent resends of a delivery, and not for a resend without an effect', async () => {
    const id = await makeFailedDelivery((await makeWebhook(account)).id);
    const resend = () => account.post(`/developer/deliveries/${id}/resend`).expect(200);
    await Promise.all(Array.from({ length: 10 }, resend));
    expect(await list('?filter[action]=delivery.resent')).toMatchObject([{ object_type: 'delivery', object_id: id }]);
  });

  test('not for a call that fails, a repeated subscription or a dry run', async () => {
    const { id } = await makeWebhook(account);
    const wanted = { event: 'sms:message:status', webhook_id: id };
    await account.post('/developer/subscriptions', wanted).expect(200);
    const before = await list();
    const reader = api.clientOf((await createAccessToken(api.db, account.id, ['read']))!.token);
    await reader.delete(path(id)).expect(403);
    await account.post('/developer/subscriptions', wanted).expect(200);
    await account.put(path(id), { name: '', uri }).expect(422);
    await account.post(path(id, '/replay'), { dry_run: true }).expect(200);
    await account.post(path(id, '/test'), { event: 'nonsense' }).expect(422);
    const stranger = await api.makeAccount();
    await stranger.put(path(id), { name: 'mine', uri }).expect(404);
    await stranger.get(path(id, '/signing-secret')).expect(404);
    await account.delete('/developer/subscriptions/1').expect(404);
    const [newest, ...rest] = await list();
    expect(newest).toMatchObject({ action: 'token.created' });
    expect(rest).toEqual(before);
  });
});

describe('operations and their changes', () => {
  test('are stored together or not at all', async () => {
    const { id } = await makeWebhook(account);
    const deliveryId = await makeFailedDelivery(id);
    const rows = async () => {
      const tables = ['webhooks', 'subscriptions', 'verifications', 'deliveries', 'replays', 'access_tokens'];
      const texts = tables.map((table) => `SELECT '${table}' AS t, row_to_json(r)::text AS row FROM ${table} r`);
      return (await api.db.pool.query(`${texts.join(' UNION ALL ')} ORDER BY 1, 2`)).rows;
    };
    await pause(id);
    const before = await rows();
    await api.db.pool.query('ALTER TABLE changes ADD CONSTRAINT none CHECK (false) NOT VALID');
    try {
      const refused = [
        account.post('/developer/webhooks', { name: 'a', uri, token: 't' }),
        account.put(path(id), { name: 'a', uri }),
        account.delete(path(id)),
        account.post(path(id, '/restore')),
        account.post(path(id, '/resume')),
        account.get(path(id, '/signing-secret')),
        account.post(path(id, '/signing-secret/rotate')),
        account.post(path(id, '/test'), { event: 'sms:message:status' }),
        account.post('/developer/subscriptions', { event: 'sms:message:status', webhook_id: id }),
        account.post(path(id, '/replay'), {}),
        account.post(`/developer/deliveries/${deliveryId}/resend`),
      ];
      for (const call of refused) expect((await call).status).toBe(500);
      await expect(createAccessToken(api.db, account.id)).rejects.toThrow();
    } finally {
      await api.db.pool.query('ALTER TABLE changes DROP CONSTRAINT none');
    }
    expect(await rows()).toEqual(before);
  });

  test('have the same order for concurrent edits', async () => {
    const { id } = await makeWebhook(account, { name: 'start' });
    const edit = (_: unknown, index: number) => account.put(path(id), { name: `n${index}`, uri }).expect(200);
    await Promise.all(Array.from({ length: 8 }, edit));
    const edits = (await list('?filter[action]=webhook.updated')).map(({ changed }) => changed[0]!);
    const steps = new Map(edits.map(({ before, after }) => [before, after!]));
    const names = ['start'];
    while (steps.has(names.at(-1)!)) names.push(steps.get(names.at(-1)!)!);
    expect(names).toHaveLength(9);
    expect((await account.get(path(id))).body.data.name).toBe(names.at(-1));
  });
});

describe('the content of a change', () => {
  const changedBy = async (act: () => Promise<unknown>) => {
    await act();
    // A new uri also starts a verification, which is a separate change.
    return (await list()).find(({ action }) => action !== 'verification.started')!.changed;
  };

  test('lists fields, without the values of secrets, templates and queries', async () => {
    const secrets = { secret: 'bearer-canary', token: 'token-canary', payload: { a: 'template-canary' } };
    const full = { name: 'a', uri: `${uri}?key=query-canary&to={{mobile}}`, status: 0, signing: false, ...secrets };
    let id = '';
    const create = async () => void (id = (await makeWebhook(account, full)).id);
    expect(await changedBy(create)).toEqual([
      { field: 'name', before: null, after: 'a' },
      { field: 'uri', before: null, after: uri },
      { field: 'status', before: null, after: '0' },
      { field: 'signing', before: true, after: false },
      { field: 'payload' },
      { field: 'secret' },
      { field: 'token' },
    ]);
    const edit = (fields: object) => () => account.put(path(id), { ...full, ...fields });
    expect(await changedBy(edit({}))).toEqual([]);
    expect(await changedBy(edit({ secret: null, status: 1 }))).toEqual([
      { field: 'status', before: '0', after: '1' },
      { field: 'secret' },
    ]);
    expect(await changedBy(edit({ secret: null, status: 1, uri: `${uri}#fragment-canary`, payload: null }))).toEqual([
      { field: 'uri', before: uri, after: uri },
      { field: 'payload' },
    ]);
    await account.get(path(id, '/signing-secret'));
    await account.post(path(id, '/signing-secret/rotate'));
    const { rows } = await api.db.pool.query('SELECT row_to_json(c)::text AS text FROM changes c');
    expect(rows.map(({ text }) => text).filter((text) => /canary|whsec_|rb_/.test(text))).toEqual([]);
  });

  test('has all fields of a subscription, and the webhook and rate of a replay', async () => {
    const { id } = await makeWebhook(account);
    const wanted = { event: 'rcs:message:in', identity: 'number:1', webhook_id: id };
    const subscribe = () => account.post('/developer/subscriptions', wanted);
    const field = (name: string, after: unknown) => ({ field: name, before: null, after });
    const expected = [field('event', 'rcs:message:in'), field('identity', 'number:1'), field('webhook_id', id)];
    expect(await changedBy(subscribe)).toEqual(expected);
    const replay = () => account.post(path(id, '/replay'), { rate: 7 });
    expect(await changedBy(replay)).toEqual([field('webhook_id', id), field('rate', 7)]);
  });
});

describe('GET /developer/changes', () => {
  test('lists the changes of the account and no others, newest first', async () => {
    const { id } = await makeWebhook(account);
    await makeWebhook(await api.makeAccount());
    const { body } = await account.get('/developer/changes').expect(200);
    expect(body).toMatchObject({ status: 'OK', code: 200, message: 'OK' });
    expect(body.data).toHaveLength(3);
    expect(body.data[0]).toEqual({
      id: uuid,
      at: time,
      actor: `token:${tokenId}`,
      action: 'webhook.created',
      object_type: 'webhook',
      object_id: id,
      changed: [
        { field: 'name', before: null, after: 'orders' },
        { field: 'uri', before: null, after: uri },
        { field: 'status', before: null, after: '1' },
      ],
    });
  });

  test('can be paged in both directions by cursors, and page URLs keep the filters', async () => {
    const { id } = await makeWebhook(account);
    for (const name of ['b', 'c', 'd']) await account.put(path(id), { name, uri }).expect(200);
    const all = await list(`?filter[object_id]=${id}`);
    expect(all).toHaveLength(4);
    const follow = async (url: string) => (await account.get(url.replace('https://api.test/api/v2', ''))).body;
    const first = await follow(`/developer/changes?filter[object_id]=${id}&per_page=3`);
    expect(first.links).toMatchObject({ prev: null, last: null });
    expect(first.links.next).toContain(`?filter%5Bobject_id%5D=${id}&per_page=3&cursor=`);
    const second = await follow(first.links.next);
    expect([...first.data, ...second.data]).toEqual(all);
    expect(second.links.next).toBeNull();
    expect((await follow(second.links.prev)).data).toEqual(first.data);
  });

  test('finds by object, by action and by time', async () => {
    const [first, second] = [await makeWebhook(account), await makeWebhook(account)];
    await account.delete(path(first.id));
    expect(await actions(`?filter[object_id]=${first.id.toUpperCase()}`)).toEqual([
      'webhook.deleted',
      'webhook.created',
    ]);
    expect(await actions(`?filter[object_id]=${second.id}&filter[action]=`)).toEqual(['webhook.created']);
    expect(await actions('?filter[action]=webhook.created')).toHaveLength(2);
    expect(await actions(`?filter[action]=webhook.deleted&filter[object_id]=${second.id}`)).toEqual([]);
    const year = new Date().getUTCFullYear();
    expect(await actions(`?filter[since]=${year + 1}-01-01`)).toEqual([]);
    expect(await actions(`?filter[since]=${year - 1}-01-01&filter[until]=${year + 1}-01-01`)).toHaveLength(5);
    expect(await actions(`?filter[until]=${year - 1}-01-01`)).toEqual([]);
  });

  test('refuses unknown filters, invalid values and foreign cursors', async () => {
    const get = (query: string) => account.get(`/developer/changes?${query}`);
    expect((await get('filter[actor]=operator')).body).toEqual(
      errorBody(
        400,
        'BadRequest',
        'The filter "filter[actor]" is not supported. Supported: object_id, action, since, until.',
      ),
    );
    expect((await get('filter[action]=webhook.eaten')).body.errors).toEqual({
      'filter.action': [`The action filter must be one of ${changeActions.join(', ')}.`],
    });
    expect((await get('filter[since]=yesterday')).status).toBe(422);
    expect((await get('filter[object_id]=a%00b')).status).toBe(422);
    expect((await get('cursor=nonsense')).status).toBe(422);
    expect((await account.post('/developer/changes', {})).headers.allow).toBe('GET, HEAD');
  });

  test('is read from an index without a filter, and with a filter by object or by action', async () => {
    const client = await api.db.pool.connect();
    try {
      // The plan must not depend on the small number of rows.
      await client.query('SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off');
      const wheres = ['', `AND object_id = 'x'`, `AND action = 'webhook.created'`];
      for (const where of wheres) {
        const { rows } = await client.query(
          `EXPLAIN SELECT * FROM changes WHERE account_id = '${account.id}' ${where} ORDER BY id DESC LIMIT 16`,
        );
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan).toMatch(/Index Scan/);
        expect(plan).not.toMatch(/Sort/);
      }
    } finally {
      client.release(true);
    }
  });
});
