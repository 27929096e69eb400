import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listNewestDeliveries, openDatabase } from '@ringback/ledger';
import { openQueues, type Queues } from '@ringback/queue';
import { until } from '@ringback/testing';
import {
  errorBody,
  makeWebhook,
  queuesWith,
  startApi,
  type TestAccount,
  type TestApi,
  unauthenticatedBody,
  webhookInput,
} from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => {
  api = await startApi();
  account = await api.makeAccount();
});
afterAll(() => api.close());

const json = /^application\/json/;
const nowhere = 'postgresql://nobody@127.0.0.1:1/nothing';
const noError = () => undefined;

describe('400', () => {
  test.each([['{"name":'], ['{name: 1}'], ["{'name': 1}"], ['undefined'], ['\0'], ['{"a":1}}'], ['[1,]']])(
    'answers a body that is not JSON, %j',
    async (sent) => {
      const answer = await account.post('/developer/webhooks', sent).expect('Content-Type', json);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(errorBody(400, 'BadRequest', 'The request body is not valid JSON.'));
    },
  );

  test('answers a body that is nested too deeply', async () => {
    const { status, body } = await account.post('/developer/webhooks', '['.repeat(30_000) + ']'.repeat(30_000));
    expect(status).toBe(400);
    expect(body).toEqual(errorBody(400, 'BadRequest', 'The request body is nested too deeply.'));
  });

  test('answers a body that does not match its Content-Encoding', async () => {
    const answer = await account.post('/developer/webhooks', {}).set('Content-Encoding', 'gzip');
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(errorBody(400, 'BadRequest', expect.any(String)));
  });
});

describe('401', () => {
  const call = (path: string, header?: string) =>
    header === undefined ? api.raw.get(path) : api.raw.get(path).set('Authorization', header);

  test.each([
    ['no header', undefined],
    ['an unknown token', 'Bearer rb_access_0000'],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['a scheme without a token', 'Bearer'],
    ['an empty header', ''],
    ['two tokens', 'Bearer a b'],
  ])('answers %s', async (_mistake, header) => {
    const answer = await call('/api/v2/developer/webhooks', header).expect('Content-Type', json);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.body).toEqual(unauthenticatedBody);
  });

  test('answers a platform token where an access token is required', async () => {
    const platform = await api.makePlatform();
    const answers = [
      await platform.get('/developer/webhooks'),
      await platform.post('/developer/webhooks', webhookInput()),
      await platform.get('/developer/subscriptions'),
      await api.raw.get(`/api/v2/developer/webhooks?access_token=${platform.token}`),
    ];
    for (const { status, body } of answers) expect([status, body]).toEqual([401, unauthenticatedBody]);
  });

  test('answers an access token at /events, and the platform token as a parameter', async () => {
    const platform = await api.makePlatform();
    const answers = [
      await account.post('/events', []),
      await api.raw.post('/api/v2/events').send([]),
      await api.raw.post(`/api/v2/events?access_token=${platform.token}`).send([]),
    ];
    for (const { status, body } of answers) expect([status, body]).toEqual([401, unauthenticatedBody]);
  });

  test('answers a revoked token', async () => {
    const { id, token, get } = await api.makeAccount();
    await (await api.db.prisma()).accessToken.updateMany({ where: { accountId: id }, data: { revokedAt: new Date() } });
    expect((await get('/developer/webhooks')).body).toEqual(unauthenticatedBody);
    expect((await api.raw.get(`/api/v2/developer/webhooks?access_token=${token}`)).status).toBe(401);
  });

  test('comes before any error of the path, the body or the method', async () => {
    const answers = [
      await api.raw.get('/api/v2/developer/nothing'),
      await api.raw.patch('/api/v2/developer/webhooks'),
      await api.raw.post('/api/v2/developer/webhooks').set('Content-Type', 'application/json').send('{'),
      await api.raw.post('/api/v2/developer/webhooks').set('Content-Type', 'text/plain').send('x'),
      await api.raw.get('/api/v2/events'),
    ];
    for (const { status, body } of answers) expect([status, body]).toEqual([401, unauthenticatedBody]);
  });
});

describe('an access token', () => {
  test('is read from the parameter access_token when there is no header', async () => {
    const { id } = await makeWebhook(account);
    const answer = await api.raw.get(`/api/v2/developer/webhooks/${id}?access_token=${account.token}`);
    expect(answer.status).toBe(200);
  });

  test('in the header wins over the parameter', async () => {
    const path = `/api/v2/developer/webhooks?access_token=${account.token}`;
    expect((await api.raw.get(path).set('Authorization', 'Bearer wrong')).status).toBe(401);
    const right = `/api/v2/developer/webhooks?access_token=wrong`;
    expect((await api.raw.get(right).set('Authorization', `bearer ${account.token}`)).status).toBe(200);
  });

  test('is never logged', async () => {
    await api.raw.get(`/api/v2/developer/webhooks?access_token=${account.token}`);
    await api.raw.get(`/api/v2/developer/webhooks/%zz?access_token=${account.token}`);
    expect(api.logged.length).toBeGreaterThan(0);
    expect(JSON.stringify(api.logged)).not.toContain(account.token);
  });
});

describe('404', () => {
  test.each([
    ['/'],
    ['/api/v2'],
    ['/api/v2/nothing'],
    ['/api/v1/developer/webhooks'],
    ['/developer/webhooks'],
    ['/%2e%2e/'],
  ])('answers the unknown path %s without a token', async (path) => {
    const answer = await api.raw.get(path).expect('Content-Type', json);
    expect([answer.status, answer.body]).toEqual([404, errorBody(404, 'NotFound', 'Not Found.')]);
  });

  test.each([
    ['/developer/webhooks/%zz', 'Webhook not found.'],
    ['/developer/webhooks/%', 'Webhook not found.'],
    ['/developer/webhooks/%C3%28?page=%zz', 'Webhook not found.'],
    ['/developer/webhooks/%/verification', 'Webhook not found.'],
    ['/developer/subscriptions/1%', 'Subscription not found.'],
    ['/developer/deliveries/%F0%9F', 'Delivery not found.'],
    ['/developer/messages/100%', 'Message not found.'],
    ['/developer/replays/%c', 'Replay not found.'],
    ['/developer/%zz', 'Not Found.'],
    ['/developer/%zz/webhooks', 'Not Found.'],
  ])('answers the malformed escape of %s', async (path, message) => {
    const answer = await account.get(path).expect('Content-Type', json);
    expect([answer.status, answer.body]).toEqual([404, errorBody(404, 'NotFound', message)]);
  });

  test.each([
    ['/developer'],
    ['/developer/nothing'],
    ['/developer/webhooks/a/b/c'],
    ['/developer/webhooks/a/restores'],
  ])('answers the unknown path %s with a token', async (path) => {
    for (const method of ['get', 'post', 'put', 'delete', 'patch'] as const) {
      const answer = await account[method](path);
      expect([answer.status, answer.body]).toEqual([404, errorBody(404, 'NotFound', 'Not Found.')]);
    }
  });
});

describe('405', () => {
  const id = '00000000-0000-4000-8000-000000000000';
  test.each([
    ['/developer/webhooks', 'put', 'GET, HEAD, POST'],
    ['/developer/webhooks', 'delete', 'GET, HEAD, POST'],
    ['/developer/webhooks', 'patch', 'GET, HEAD, POST'],
    ['/developer/webhooks?_method=DELETE', 'post', 'GET, HEAD, POST'],
    [`/developer/webhooks/${id}`, 'post', 'GET, HEAD, PUT, PATCH, DELETE'],
    ['/developer/webhooks?_method=PATCH', 'post', 'GET, HEAD, POST'],
    ['/developer/webhooks?_method=CONNECT', 'post', 'GET, HEAD, POST'],
    [`/developer/webhooks/${id}/restore`, 'get', 'POST'],
    [`/developer/webhooks/${id}/restore`, 'put', 'POST'],
    [`/developer/webhooks/${id}/verification`, 'delete', 'GET, HEAD, POST'],
    ['/developer/subscriptions', 'put', 'GET, HEAD, POST'],
    ['/developer/subscriptions/1', 'put', 'GET, HEAD, DELETE'],
    ['/developer/subscriptions/1', 'post', 'GET, HEAD, DELETE'],
  ] as const)('answers %s with the method %s and names %s', async (path, method, allow) => {
    const answer = await account[method](path).expect('Content-Type', json);
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
    expect(answer.body).toEqual(errorBody(405, 'MethodNotAllowed', expect.stringContaining(`Supported: ${allow}.`)));
  });

  test.each(['PUT', 'DELETE', 'CONNECT'])('answers /events with _method=%s', async (method) => {
    const platform = await api.makePlatform();
    const answer = await platform.post(`/events?_method=${method}`, []);
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
  });

  test('answers GET /events and POST /healthz', async () => {
    const platform = await api.makePlatform();
    const answers = [await platform.get('/events'), await api.raw.post('/healthz'), await api.raw.delete('/readyz')];
    expect(answers.map(({ status, headers }) => [status, headers.allow])).toEqual([
      [405, 'POST'],
      [405, 'GET, HEAD'],
      [405, 'GET, HEAD'],
    ]);
    for (const { body } of answers) expect(body).toEqual(errorBody(405, 'MethodNotAllowed', expect.any(String)));
  });

  test('is not the response to OPTIONS and HEAD', async () => {
    const options = await account.options('/developer/webhooks');
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, POST']);
    const { id: webhook } = await makeWebhook(account);
    expect((await account.head(`/developer/webhooks/${webhook}`)).status).toBe(200);
    expect((await account.head(`/developer/webhooks/${id}`)).status).toBe(404);
  });
});

describe('413', () => {
  test('answers a body of more than 64 KiB, and not one of 64 KiB', async () => {
    const fill = (size: number) => ({
      ...webhookInput(),
      pad: 'x'.repeat(size - JSON.stringify(webhookInput()).length - 9),
    });
    expect(JSON.stringify(fill(64 * 1024))).toHaveLength(64 * 1024);
    expect((await account.post('/developer/webhooks', fill(64 * 1024))).status).toBe(200);
    const answer = await account.post('/developer/webhooks', fill(64 * 1024 + 1)).expect('Content-Type', json);
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual(errorBody(413, 'PayloadTooLarge', 'The request body is too large.'));
  });

  test('answers a small body that unpacks to more than 64 KiB', async () => {
    const packed = gzipSync(JSON.stringify({ a: 'x'.repeat(1_000_000) }));
    const request = account
      .post('/developer/webhooks')
      .set('Content-Type', 'application/json')
      .set('Content-Encoding', 'gzip');
    const answer = await request.serialize((body) => body).send(packed);
    expect([answer.status, answer.body.status]).toEqual([413, 'PayloadTooLarge']);
  });
});

describe('415', () => {
  test.each([['text/plain'], ['multipart/mixed; boundary=x'], ['text/html; charset=utf-8'], ['application/xml']])(
    'answers a body of the type %s',
    async (type) => {
      const answer = await account.post('/developer/webhooks').set('Content-Type', type).send('name=x');
      expect(answer.status).toBe(415);
      const message =
        'The request body must be application/json, application/x-www-form-urlencoded or multipart/form-data.';
      expect(answer.body).toEqual(errorBody(415, 'UnsupportedMediaType', message));
    },
  );

  test.each([
    ['application/json; charset=utf-8'],
    ['application/json;charset=UTF-8'],
    ['application/json; charset=utf8'],
    ['APPLICATION/JSON'],
    ['application/vnd.api+json'],
  ])('is not the response to %s', async (type) => {
    const request = account.post('/developer/webhooks').set('Content-Type', type);
    expect((await request.send(JSON.stringify(webhookInput()))).status).toBe(200);
  });

  test('is not the response to a request without a body', async () => {
    const { id } = await makeWebhook(account);
    const { status } = await account.get(`/developer/webhooks/${id}`).set('Content-Type', 'text/plain');
    expect(status).toBe(200);
    expect((await account.delete(`/developer/webhooks/${id}`).set('Content-Type', 'text/plain')).status).toBe(200);
    expect((await account.post(`/developer/webhooks/${id}/restore`).set('Content-Type', 'text/plain')).status).toBe(
      200,
    );
  });
});

describe('429', () => {
  test('answers requests above the limit of a token, with Retry-After; other tokens are not affected', async () => {
    const limited = await api.variant({ rateLimitPerMinute: 3 });
    const [mine, other] = [await limited.makeAccount(), await limited.makeAccount()];
    const answers = [];
    for (const path of ['/developer/webhooks', '/developer/nothing', '/developer/webhooks/x', '/developer/webhooks']) {
      answers.push(await mine.get(path));
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 404, 429]);
    expect(answers.map(({ headers }) => headers['x-ratelimit-limit'])).toEqual(['3', '3', '3', '3']);
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['2', '1', '0', '0']);
    const refused = answers.at(-1)!;
    expect(refused.body).toEqual(errorBody(429, 'TooManyRequests', 'Too Many Attempts.'));
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect((await other.get('/developer/webhooks')).status).toBe(200);
  });

  test('comes after responses whose headers state the limit and the remaining requests', async () => {
    const { id } = await makeWebhook(account);
    const answers = [
      await account.post('/developer/webhooks', webhookInput()),
      await account.put(`/developer/webhooks/${id}`, {}),
      await account.post('/developer/webhooks', '{'),
      await account.post('/developer/webhooks', 'x'.repeat(70_000)),
      await account.post('/developer/webhooks').set('Content-Type', 'text/plain').send('x'),
      await account.patch('/developer/webhooks'),
      await account.get('/developer/subscriptions'),
      await account.delete(`/developer/webhooks/${id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 422, 400, 413, 415, 405, 200, 200]);
    for (const { headers } of answers) {
      expect(headers['x-ratelimit-limit']).toBe('1000000');
      expect(headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
    }
  });
});

describe('500', () => {
  test('answers an internal error without its details, and logs them', async () => {
    const record = () => {
      throw new Error('secret internals in /srv/app.js');
    };
    const broken = await api.variant({ tracer: { record, close: () => Promise.resolve() } });
    const { token } = await api.makePlatform();
    const { id: webhookId } = await makeWebhook(account);
    const event = { event: 'sms:message:status', webhook_id: webhookId, payload: { id: 'x:1' } };
    const answer = await broken.clientOf(token).post('/events', event).expect('Content-Type', json);
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual(errorBody(500, 'ServerError', 'Something went wrong on our side.'));
    expect(answer.text).not.toMatch(/internals|app\.js|at /);
    expect(JSON.stringify(broken.logged.filter(({ level }) => level === 'error'))).toContain('secret internals');
  });
});

describe('503', () => {
  const unavailable = errorBody(
    503,
    'ServiceUnavailable',
    'The service is unavailable for the moment. Try again later.',
  );
  const notReady = errorBody(503, 'ServiceUnavailable', 'The database does not respond.');

  test('answers requests that need the database while it is unavailable, and /readyz, but not /healthz', async () => {
    const db = openDatabase({ url: nowhere });
    const away = await api.variant({ db });
    const client = away.clientOf(account.token);
    const answers = [
      await client.get('/developer/webhooks'),
      await client.post('/developer/webhooks', webhookInput()),
      await client.post('/events', {}),
    ];
    for (const { status, body, headers } of answers) {
      expect([status, body]).toEqual([503, unavailable]);
      expect(headers['retry-after']).toMatch(/^\d+$/);
    }
    const ready = await away.raw.get('/readyz');
    expect([ready.status, ready.body]).toEqual([503, notReady]);
    expect((await away.raw.get('/healthz')).status).toBe(200);
    await db.close();
  });

  test('answers requests while no connection is free, and not after a connection is free', async () => {
    const url = String(api.db.pool.options.connectionString);
    const db = openDatabase({ url, connections: 2, queryTimeoutMs: 500, onError: noError });
    const saturated = await api.variant({ db });
    const client = saturated.clientOf(account.token);
    await client.get('/developer/webhooks').expect(200);
    const askMany = () => Promise.all(Array.from({ length: 12 }, () => client.get('/developer/webhooks')));
    const holder = await api.db.pool.connect();
    await holder.query('BEGIN; LOCK TABLE webhooks IN ACCESS EXCLUSIVE MODE');
    const answers = await askMany().finally(() => holder.release(true));
    // Some requests wait for a permit of the account, and get a 429.
    for (const { status, body } of answers) {
      expect(status === 429 ? [429, 'TooManyRequests'] : [503, 'ServiceUnavailable']).toEqual([status, body.status]);
    }
    expect(answers.map(({ status }) => status)).toContain(503);
    await until(async () => (await askMany()).every(({ status }) => status === 200), 'every request gets a 200');
    await db.close();
  });

  test('is not the response of /readyz, to events or to webhooks while the queue is unavailable', async () => {
    const queues = openQueues({ databaseUrl: nowhere, prefix: 'away', onError: noError });
    const away = await api.variant({ queues });
    const client = away.clientOf(account.token);
    const { id } = await makeWebhook(client, { token: 'verify-me' });
    await client.put(`/developer/webhooks/${id}`, webhookInput({ uri: 'https://example.com/other' })).expect(200);
    const platform = away.clientOf((await api.makePlatform()).token);
    const event = { event: 'sms:message:status', webhook_id: id, payload: { id: 'x:2' } };
    expect((await platform.post('/events', event)).status).toBe(202);
    expect(await listNewestDeliveries(api.db, { webhookId: id, limit: 2 })).toMatchObject([{ state: 'pending' }]);
    const ready = await away.raw.get('/readyz');
    const message = 'Degraded: the queue does not respond. Test calls are refused; all other requests are served.';
    expect([ready.status, ready.body]).toEqual([200, { status: 'OK', code: 200, message, data: [] }]);
    await queues.close();
  });

  test('answers a test call while the queue is unavailable', async () => {
    const queues = openQueues({ databaseUrl: nowhere, prefix: 'away', onError: noError });
    // In Jest, Node's errors are of another realm, so they are not `instanceof Error`.
    const ofThisRealm = ({ message, code }: NodeJS.ErrnoException) =>
      Promise.reject(Object.assign(new Error(message), { code }));
    const enqueueTestCall: Queues['enqueueTestCall'] = (id) => queues.enqueueTestCall(id).catch(ofThisRealm);
    const away = await api.variant({ queues: queuesWith(queues, { enqueueTestCall }) });
    const { id } = await makeWebhook(account);
    const answer = await away
      .clientOf(account.token)
      .post(`/developer/webhooks/${id}/test`, { event: 'sms:message:status' });
    expect([answer.status, answer.body]).toEqual([503, unavailable]);
    await queues.close();
  });
});

describe('health', () => {
  test.each([['/healthz'], ['/readyz']])('%s answers 200 without a token', async (path) => {
    const { status, body } = await api.raw.get(path);
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'OK', code: 200, message: 'OK', data: [] });
  });
});
