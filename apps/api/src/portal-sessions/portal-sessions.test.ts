import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  createAccessToken,
  createPlatformToken,
  createPortalSession,
  type NewPortalSession,
  revokeAccessToken,
  revokePlatformToken,
  type Scope,
} from '@ringback/ledger';
import {
  type Client,
  errorBody,
  makeWebhook,
  startApi,
  type TestAccount,
  type TestApi,
  time,
  unauthenticatedBody,
  uuid,
} from '../api.fixture.js';
import { enter, exchange, expire, linkTokenOf, openSession } from './portal-sessions.fixture.js';

let api: TestApi;
let platform: Client;
let account: TestAccount;
beforeAll(async () => {
  api = await startApi();
  platform = await api.makePlatform();
});
afterAll(() => api.close());
beforeEach(async () => void (account = await api.makeAccount()));

const path = '/portal-sessions';
const webhooksPath = '/developer/webhooks';
const open = (fields: object = {}) => openSession(platform, { account_id: account.id, ...fields });
const tokenWith = async (...scopes: Scope[]) =>
  api.clientOf((await createAccessToken(api.db, account.id, scopes))!.token);

const usedBody = errorBody(401, 'Unauthenticated', 'The link has been used.');

describe('a session', () => {
  test('has a link to the page, whose token can be exchanged for a bearer once', async () => {
    const { id: webhookId } = await makeWebhook(account);
    const theme = {
      name: 'Acme',
      logo_url: 'data:image/png;base64,AAAA',
      accent: '#0A7cff',
      font: 'Inter, sans-serif',
    };
    const wanted = { scopes: ['replay', 'read'], webhook_ids: [webhookId], actor: ' Ann ', mask: true, theme };
    const created = await platform.post(path, {
      ...wanted,
      account_id: account.id,
      return_url: 'https://acme.example/back?a=1',
    });
    expect([created.status, created.body]).toEqual([
      200,
      {
        status: 'OK',
        code: 200,
        message: 'Portal session created',
        data: {
          id: uuid,
          url: expect.stringMatching(/^https:\/\/api\.test\/portal\/#session=rb_portal_[\w-]{32}$/),
          expires_at: time,
        },
      },
    ]);
    const session = created.body.data;
    const first = await exchange(api, linkTokenOf(session)).expect(200);
    expect(first.body).toEqual({
      status: 'OK',
      code: 200,
      message: 'Portal session',
      data: {
        token: expect.stringMatching(/^rb_session_[\w-]{43}$/),
        account: { id: account.id, name: 'test' },
        scopes: ['read', 'replay'],
        webhook_ids: [webhookId],
        actor: 'Ann',
        mask: true,
        theme,
        return_url: 'https://acme.example/back?a=1',
        expires_at: session.expires_at,
      },
    });
    const second = await exchange(api, linkTokenOf(session));
    const used = { ...usedBody, return_url: 'https://acme.example/back?a=1' };
    expect([second.status, second.body]).toEqual([401, used]);
    await api.clientOf(first.body.data.token).get(webhooksPath).expect(200);
  });

  test('gives its bearer to one of many simultaneous exchanges, in whichever process', async () => {
    const apis = [api, await api.variant({})];
    const linkToken = linkTokenOf(await open());
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => exchange(apis[n % 2]!, linkToken)));
    const [opened, ...others] = answers.sort((left, right) => left.status - right.status);
    await api.clientOf(opened!.body.data.token).get(webhooksPath).expect(200);
    expect(others.map(({ status, body }) => [status, body])).toEqual(others.map(() => [401, usedBody]));
  });

  test('has all scopes and webhooks of the account for 15 minutes by default', async () => {
    const before = Date.now();
    const session = await open();
    const { body } = await exchange(api, linkTokenOf(session));
    expect(body.data).toMatchObject({
      scopes: ['read', 'write', 'replay'],
      webhook_ids: null,
      actor: null,
      mask: false,
      theme: null,
      return_url: null,
    });
    const lifetimeS = (Date.parse(session.expires_at) - before) / 1_000;
    expect(lifetimeS).toBeGreaterThan(890);
    expect(lifetimeS).toBeLessThan(960);
  });

  test('leaves no token in the database, the change history and the log of the process', async () => {
    const session = await open();
    const client = await enter(api, session);
    const linkToken = linkTokenOf(session);
    const tables = await Promise.all(
      ['portal_sessions', 'changes'].map((table) => api.db.pool.query(`SELECT t::text FROM ${table} t`)),
    );
    const kept = JSON.stringify([tables.map(({ rows }) => rows), api.logged]);
    expect(kept).toContain(session.id);
    for (const secret of [linkToken, client.token, linkToken.slice(10), client.token.slice(11)])
      expect(kept).not.toContain(secret);
  });

  test('is limited by its scopes like an access token', async () => {
    const reader = await enter(api, await open({ scopes: ['read'] }));
    await reader.get(webhooksPath).expect(200);
    expect((await reader.post(webhooksPath, {})).body).toEqual(
      errorBody(403, 'Forbidden', 'This token lacks the scope "write".'),
    );
  });

  test('has a bearer token for /developer only, and a link token for the exchange only', async () => {
    const session = await open();
    const bearer = await enter(api, session);
    await api.raw.get(`/api/v2${webhooksPath}`).query({ access_token: bearer.token }).expect(200);
    expect((await bearer.post(path, {})).body).toEqual(unauthenticatedBody);
    expect((await bearer.delete(`${path}/${session.id}`)).body).toEqual(unauthenticatedBody);
    expect((await bearer.post('/events', {})).body).toEqual(unauthenticatedBody);
    expect((await api.clientOf(linkTokenOf(session)).get(webhooksPath)).body).toEqual(unauthenticatedBody);
    expect((await exchange(api, bearer.token)).body).toEqual(unauthenticatedBody);
    expect((await exchange(api, account.token)).body).toEqual(unauthenticatedBody);
  });

  test('sees nothing of another account', async () => {
    const { id } = await makeWebhook(await api.makeAccount());
    const bearer = await enter(api, await open());
    await bearer.get(`${webhooksPath}/${id}`).expect(404);
    expect((await bearer.get(webhooksPath)).body.data).toEqual([]);
  });

  test('is the actor of its changes, with the name of its user', async () => {
    const { id } = await open();
    const named = await open({ actor: 'Ann Other\n<b>' });
    const { id: webhookId } = await makeWebhook(await enter(api, named));
    const [made] = (await account.get(`/developer/changes?filter[object_id]=${webhookId}`)).body.data;
    expect(made).toMatchObject({
      action: 'webhook.created',
      actor: `portal:${named.id}`,
      actor_name: 'Ann Other\n<b>',
    });
    const [opened] = (await account.get(`/developer/changes?filter[object_id]=${id}`)).body.data;
    expect(opened).toMatchObject({ action: 'portal_session.created', object_type: 'portal_session' });
    expect(opened.actor).toMatch(/^platform_token:[0-9a-f-]{36}$/);
    expect(opened).not.toHaveProperty('actor_name');
    expect(opened.changed).toEqual([
      { field: 'scopes', before: null, after: 'read,write,replay' },
      { field: 'webhook_ids', before: null, after: null },
      { field: 'actor', before: null, after: null },
    ]);
  });
});

describe('a session ends', () => {
  const ended = (returnUrl?: string) => ({
    ...errorBody(401, 'Unauthenticated', 'The session has ended.'),
    ...(returnUrl === undefined ? {} : { return_url: returnUrl }),
  });

  test('when it expires: the bearer is refused at once, and the exchange returns return_url', async () => {
    const session = await open({ return_url: 'https://acme.example/' });
    const bearer = await enter(api, session);
    await expire(api, session);
    const refused = await bearer.get(webhooksPath);
    expect([refused.status, refused.body]).toEqual([401, unauthenticatedBody]);
    const again = await exchange(api, linkTokenOf(session));
    expect([again.status, again.body]).toEqual([401, ended('https://acme.example/')]);
  });

  test('in every process when a platform token ends it, or a token of its account with its scopes', async () => {
    const other = await api.variant({});
    for (const ender of [platform, account]) {
      const session = await open();
      const bearer = await enter(other, session);
      const { body } = await ender.delete(`${path}/${session.id}`).expect(200);
      expect(body).toEqual({ status: 'OK', code: 200, message: 'Portal session ended', data: [] });
      await bearer.get(webhooksPath).expect(401);
      expect((await exchange(other, linkTokenOf(session))).body).toEqual(ended());
      await ender.delete(`${path}/${session.id}`).expect(200);
      const changes = (await account.get(`/developer/changes?filter[object_id]=${session.id}`)).body.data;
      expect(changes.map(({ action }: { action: string }) => action)).toEqual([
        'portal_session.ended',
        'portal_session.created',
      ]);
    }
  });

  test('when the token that opened it, or a token with all its scopes, ends it; others get a 403', async () => {
    const [reader, writer] = [await tokenWith('read'), await tokenWith('read', 'write')];
    const [full, readable] = [await open(), await open({ scopes: ['read'] })];
    const own = await openSession(writer);
    for (const [ender, { id }, scope] of [
      [reader, full, 'write'],
      [writer, full, 'replay'],
      [reader, own, 'write'],
    ] as const) {
      const message = `This token lacks the scope "${scope}", so it cannot end this session.`;
      const { status, body } = await ender.delete(`${path}/${id}`);
      expect([status, body]).toEqual([403, errorBody(403, 'Forbidden', message)]);
    }
    const bearers = await Promise.all([readable, own, full].map((session) => enter(api, session)));
    for (const bearer of bearers) await bearer.get(webhooksPath).expect(200);
    await reader.delete(`${path}/${readable.id}`).expect(200);
    await writer.delete(`${path}/${own.id}`).expect(200);
    const statuses = await Promise.all(bearers.map(async (bearer) => (await bearer.get(webhooksPath)).status));
    expect(statuses).toEqual([401, 401, 200]);
  });

  test('when the token that opened it is revoked', async () => {
    const { id, token } = (await createAccessToken(api.db, account.id))!;
    const creator = await api.makePlatform();
    const ofAccount = await enter(api, await openSession(api.clientOf(token)));
    const ofPlatform = await enter(api, await openSession(creator, { account_id: account.id }));
    await ofAccount.get(webhooksPath).expect(200);
    await revokeAccessToken(api.db, account.id, id);
    await ofAccount.get(webhooksPath).expect(401);
    await ofPlatform.get(webhooksPath).expect(200);
    const [newest] = await (await api.db.prisma()).platformToken.findMany({ orderBy: { createdAt: 'desc' }, take: 1 });
    await revokePlatformToken(api.db, newest!.id);
    await ofPlatform.get(webhooksPath).expect(401);
  });

  test.each(['rb_portal_unknown', 'x', '\0', '🙂'])('the unknown token %j is refused', async (session) => {
    const { status, body } = await exchange(api, session);
    expect([status, body]).toEqual([401, unauthenticatedBody]);
  });
});

test('an account can end only its own sessions; any other is unknown to it', async () => {
  const session = await open();
  const theirs = await api.makeAccount();
  const notFound = errorBody(404, 'NotFound', 'Portal session not found.');
  for (const id of [session.id, '180ebbb5-9b6f-4c51-a98a-0123456789ab', 'x'])
    expect((await theirs.delete(`${path}/${id}`)).body).toEqual(notFound);
  expect((await platform.delete(`${path}/x`)).body).toEqual(notFound);
  await (await enter(api, session)).get(webhooksPath).expect(200);
});

describe('an access token opens a session', () => {
  test('of its own account, with its own scopes by default', async () => {
    const creator = await tokenWith('read', 'replay');
    for (const fields of [{}, { account_id: account.id }, { account_id: account.id.toUpperCase() }]) {
      const { body } = await exchange(api, linkTokenOf(await openSession(creator, fields)));
      expect(body.data).toMatchObject({ account: { id: account.id }, scopes: ['read', 'replay'] });
    }
  });

  test('only with its own scopes, and only of its own account', async () => {
    const creator = await tokenWith('read');
    const more = await creator.post(path, { scopes: ['read', 'write'] });
    const message = 'This token lacks the scope "write", so it cannot grant it.';
    expect([more.status, more.body]).toEqual([403, errorBody(403, 'Forbidden', message)]);
    const theirs = await api.makeAccount();
    for (const account_id of [theirs.id, '180ebbb5-9b6f-4c51-a98a-0123456789ab', 'x']) {
      const { status, body } = await creator.post(path, { account_id });
      expect([status, body]).toEqual([404, errorBody(404, 'NotFound', 'Account not found.')]);
    }
  });

  test('under its request limit; platforms have none', async () => {
    const strict = await api.variant({ rateLimitPerMinute: 1 });
    const creator = strict.clientOf((await tokenWith('read')).token);
    await creator.post(path, {}).expect(200);
    await creator.post(path, {}).expect(429);
    const unlimited = strict.clientOf(platform.token);
    for (let count = 0; count < 3; count++) await unlimited.post(path, { account_id: account.id }).expect(200);
  });
});

test('a session has a request limit of its own, over all processes', async () => {
  const [first, second] = [await api.variant({ rateLimitPerMinute: 2 }), await api.variant({ rateLimitPerMinute: 2 })];
  const { token } = await enter(api, await open());
  const { token: other } = await enter(api, await open());
  expect((await first.clientOf(token).get(webhooksPath)).headers['x-ratelimit-remaining']).toBe('1');
  expect((await second.clientOf(token).get(webhooksPath)).headers['x-ratelimit-remaining']).toBe('0');
  await first.clientOf(token).get(webhooksPath).expect(429);
  await first.clientOf(other).get(webhooksPath).expect(200);
});

test('a session can be opened by a form', async () => {
  const { id } = await makeWebhook(account);
  const form = {
    account_id: account.id,
    expires_in: '600',
    mask: 'true',
    'scopes[]': 'read',
    'webhook_ids[]': id,
    'theme[accent]': '#1a2b3c',
    actor: 'Ann',
  };
  const { body } = await api.raw
    .post(`/api/v2${path}`)
    .set('Authorization', `Bearer ${platform.token}`)
    .type('form')
    .send(form)
    .expect(200);
  const { data } = (await exchange(api, linkTokenOf(body.data)).expect(200)).body;
  expect(data).toMatchObject({ mask: true, scopes: ['read'], webhook_ids: [id], theme: { accent: '#1a2b3c' } });
  expect(new Date(String(data.expires_at)).getTime() - Date.now()).toBeLessThanOrEqual(600_000);
});

describe('an invalid request for a session', () => {
  const is422 = async (fields: object, field: string, message: unknown) => {
    const { status, body } = await platform.post(path, { account_id: account.id, ...fields });
    const expected = { status: 'ValidationError', code: 422, message, errors: { [field]: [message] } };
    expect([status, body]).toEqual([422, expected]);
  };
  const lifetimeMessage = 'The expires_in field must be an integer between 60 and 3600.';
  const webhookCountMessage = 'The webhook_ids field must have 1 to 50 ids.';
  const logoMessage = 'The theme.logo_url field must be an https: or data:image URL.';
  const returnUrlMessage = 'The return_url field must be an http or https URL.';
  const logoUserMessage = 'The theme.logo_url field must not have a user name or password.';
  const logoOriginMessage =
    'The theme.logo_url field has the origin https://x.example, which PORTAL_LOGO_ORIGINS does not allow.';

  test.each<[object, string, unknown]>([
    [{ expires_in: 59 }, 'expires_in', lifetimeMessage],
    [{ expires_in: 3_601 }, 'expires_in', lifetimeMessage],
    [{ expires_in: '900' }, 'expires_in', lifetimeMessage],
    [{ scopes: [] }, 'scopes', 'The scopes field must have at least one scope.'],
    [{ scopes: ['admin'] }, 'scopes.0', 'The scopes field may have only read, write, replay.'],
    [{ scopes: null }, 'scopes', 'The scopes field must have at least one scope.'],
    [{ scope: ['read'] }, 'scope', expect.stringMatching(/^The scope field is not supported. Supported: account_id, /)],
    [{ webhook_id: ['x'] }, 'webhook_id', expect.stringMatching(/^The webhook_id field is not supported. /)],
    [{ webhook_ids: [] }, 'webhook_ids', webhookCountMessage],
    [{ webhook_ids: null }, 'webhook_ids', webhookCountMessage],
    [{ webhook_ids: '' }, 'webhook_ids', webhookCountMessage],
    [{ mask: null }, 'mask', 'The mask field must be true or false.'],
    [{ webhook_ids: Array.from({ length: 51 }, () => 'x') }, 'webhook_ids', webhookCountMessage],
    [{ webhook_ids: ['x'] }, 'webhook_ids', 'The selected webhook_ids are invalid.'],
    [{ mask: 'yes' }, 'mask', 'The mask field must be true or false.'],
    [{ theme: { color: '#1a2b3c' } }, 'theme', 'The theme field must not have color.'],
    [{ theme: 'x' }, 'theme', 'The theme field must be an object.'],
    [{ theme: { accent: 'red' } }, 'theme.accent', 'The theme.accent field must be a colour such as #1a2b3c.'],
    [{ theme: { text: '#fff' } }, 'theme.text', 'The theme.text field must be a colour such as #1a2b3c.'],
    [{ theme: { font: 'x;}' } }, 'theme.font', 'The theme.font field must be a list of font names.'],
    [{ theme: { logo_url: 'http://x.example/a.png' } }, 'theme.logo_url', logoMessage],
    [{ theme: { logo_url: 'javascript:alert(1)' } }, 'theme.logo_url', logoMessage],
    [{ theme: { logo_url: 'data:text/html,x' } }, 'theme.logo_url', logoMessage],
    [{ return_url: 'javascript:alert(1)' }, 'return_url', returnUrlMessage],
    [{ return_url: '/back' }, 'return_url', returnUrlMessage],
    [
      { return_url: 'https://a:b@x.example/' },
      'return_url',
      'The return_url field must not have a user name or password.',
    ],
    [{ theme: { logo_url: 'https://a@x.example/a.png' } }, 'theme.logo_url', logoUserMessage],
    [{ theme: { logo_url: 'https://x.example:443/a.png' } }, 'theme.logo_url', logoOriginMessage],
    [{ actor: ' ' }, 'actor', 'The actor field is required.'],
  ])('%j is a 422 that names the field', (fields, field, message) => is422(fields, field, message));

  test('a webhook that is deleted, of another account or unknown is a 422, also among others', async () => {
    const { id: live } = await makeWebhook(account);
    const { id: deleted } = await makeWebhook(account);
    await account.delete(`${webhooksPath}/${deleted}`).expect(200);
    const { id: foreign } = await makeWebhook(await api.makeAccount());
    for (const id of [deleted, foreign, '180ebbb5-9b6f-4c51-a98a-0123456789ab'])
      await is422({ webhook_ids: [live, id] }, 'webhook_ids', 'The selected webhook_ids are invalid.');
    await open({ webhook_ids: [live, live.toUpperCase()] });
  });

  test.each([[undefined], [null]])('the account %j of a platform is a 422', (account_id) =>
    is422({ account_id }, 'account_id', 'The account_id field is required.'),
  );

  test.each([['180ebbb5-9b6f-4c51-a98a-0123456789ab'], ['x']])(
    'the account %j of a platform is a 404',
    async (account_id) => {
      const { status, body } = await platform.post(path, { account_id });
      expect([status, body]).toEqual([404, errorBody(404, 'NotFound', 'Account not found.')]);
    },
  );

  test('a logo may come from the origin of the page and from those of PORTAL_LOGO_ORIGINS', async () => {
    const { raw } = await api.variant({ logoOrigins: ['https://cdn.example'] });
    for (const origin of ['https://cdn.example', 'https://api.test'])
      await raw
        .post(`/api/v2${path}`)
        .set('Authorization', `Bearer ${platform.token}`)
        .send({ account_id: account.id, theme: { logo_url: `${origin}/logo.svg` } })
        .expect(200);
  });

  test('without a token, or with a wrong one, it is a 401', async () => {
    for (const client of [api.clientOf('rb_access_unknown'), api.clientOf('')])
      expect((await client.post(path, { account_id: account.id })).body).toEqual(unauthenticatedBody);
  });

  test('an account has at most 1,000 sessions that have not ended, also after concurrent requests', async () => {
    const creator = await createPlatformToken(api.db, { name: 'revoked' });
    await revokePlatformToken(api.db, creator.id);
    // The sessions of a revoked token have ended.
    await api.db.pool.query(
      `INSERT INTO portal_sessions (account_id, link_hash, bearer_hash, scopes, expires_at, creator_id)
        SELECT $1::uuid, $1::text || n, $1::text || n, '{read}', now() + interval '1 hour',
          CASE WHEN n > 999 THEN $2::uuid END FROM generate_series(1, 1010) n`,
      [account.id, creator.id],
    );
    const last = await open();
    const message = 'The account has 1000 portal sessions that have not ended.';
    expect((await platform.post(path, { account_id: account.id })).body).toEqual(errorBody(409, 'Conflict', message));
    await platform.delete(`${path}/${last.id}`).expect(200);
    // As several processes of the API do.
    const session: NewPortalSession = {
      ...{ scopes: ['read'], webhookIds: null, expiresInS: 3_600, portalUserName: null, maskPhoneNumbers: false },
      ...{ theme: null, returnUrl: null, creatorId: null },
    };
    const creations = Array.from({ length: 10 }, () => createPortalSession(api.db, account.id, session));
    const results = await Promise.allSettled(creations);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  test.each([{}, { session: '' }, { session: 1 }, []])('an exchange with %j is a 422', async (body) => {
    await api.raw.post('/api/v2/portal-sessions/exchange').send(body).expect(422);
  });
});
