import { afterEach, describe, expect, test } from '@jest/globals';
import { createClient, type RingbackClient } from './client.js';
import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RingbackError,
  TimeoutError,
  UnavailableError,
  ValidationError,
} from './errors.js';
import { createHttpProducer } from './http-producer.js';
import { failed, ok, startStubServer, type StubAnswer, type StubServer } from './stub-server.fixture.js';
import type { ClientSettings } from './transport.js';

const servers: StubServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(...answers: [StubAnswer, ...StubAnswer[]]) {
  const server = await startStubServer(...answers);
  servers.push(server);
  return server;
}

const clientOf = ({ baseUrl }: { baseUrl: string }, settings: Partial<ClientSettings> = {}) =>
  createClient({ baseUrl, token: 'rb_access_1', ...settings });

const newWebhook = { name: 'in', uri: 'https://example.com/in' };
const errorOf = async (call: PromiseLike<unknown>): Promise<unknown> => {
  try {
    return await Promise.reject(new Error(`it resolved with ${JSON.stringify(await call)}`));
  } catch (error) {
    return error;
  }
};

describe('a request', () => {
  test('has the token, the JSON, the account and the headers of its options, and the query of filters', async () => {
    const server = await start(ok([]));
    const client = clientOf({ baseUrl: `${server.baseUrl}/` }, { accountId: 'account-1' });
    await client.webhooks.update('a/b', { name: 'é' }, { accountId: 'account-2', headers: { 'X-Request-Id': 'r-1' } });
    await client.deliveries.list({ filter: { status: 'failed', since: '2026-01-01T00:00:00Z' }, per_page: 5 });
    const [update, list] = server.requests;
    expect(update).toMatchObject({ method: 'PATCH', url: '/api/v2/developer/webhooks/a%2Fb', body: '{"name":"é"}' });
    expect(update?.headers).toMatchObject({
      authorization: 'Bearer rb_access_1',
      'content-type': 'application/json',
      'x-account-id': 'account-2',
      'x-request-id': 'r-1',
    });
    expect(decodeURIComponent(list!.url)).toBe(
      '/api/v2/developer/deliveries?filter[status]=failed&filter[since]=2026-01-01T00:00:00Z&per_page=5',
    );
    expect(list?.headers['x-account-id']).toBe('account-1');
  });

  test('resolves with the data, and with the rest of the response in lastResponse', async () => {
    const json = { status: 'OK', code: 200, message: 'OK', data: { id: 'w-1' }, warnings: ['Unknown field "x"'] };
    const server = await start({ json, headers: { etag: '"1"', 'x-request-id': 'r-2' } });
    const webhook = await clientOf(server).webhooks.create(newWebhook);
    expect(webhook).toEqual({ id: 'w-1' });
    expect(webhook.lastResponse).toMatchObject({ status: 200, requestId: 'r-2', warnings: ['Unknown field "x"'] });
    expect(webhook.lastResponse.headers.get('etag')).toBe('"1"');
  });

  test.each([
    ['', 'the id is empty'],
    ['..', 'the id is ..'],
  ])('with the id %j is refused, because it would have another path', async (id, message) => {
    const client = clientOf({ baseUrl: 'http://127.0.0.1:1' });
    expect(() => client.webhooks.retrieve(id)).toThrow(new TypeError(message));
  });

  test('goes through the given fetch', async () => {
    const urls: string[] = [];
    const fetch: typeof globalThis.fetch = (url) => {
      urls.push(String(url));
      return Promise.resolve(Response.json({ data: { id: 'm-1' } }));
    };
    const client = clientOf({ baseUrl: 'https://ringback.example/api/v2' }, { fetch });
    expect(await client.messages.retrieve('m-1:1')).toEqual({ id: 'm-1' });
    expect(urls).toEqual(['https://ringback.example/api/v2/developer/messages/m-1%3A1']);
  });
});

test.each([
  [{ baseUrl: 'ringback.example/api/v2' }, 'baseUrl is not a URL of http or https'],
  [{ baseUrl: 'ftp://ringback.example' }, 'baseUrl is not a URL of http or https'],
  [{ baseUrl: undefined }, 'baseUrl is not a URL of http or https'],
  [{ baseUrl: 'http://a:b@ringback.example' }, 'baseUrl must not have a user or password'],
  [{ baseUrl: 'http://ringback.example/?access_token=1' }, 'baseUrl must not have a query or fragment'],
  [{ token: '' }, 'token is empty'],
  [{ token: undefined }, 'token is empty'],
])('settings like %j are refused', (wrong, message) => {
  const settings = { baseUrl: 'http://ringback.example', token: 't', ...wrong } as ClientSettings;
  expect(() => createClient(settings)).toThrow(new TypeError(message));
});

describe('an error response', () => {
  test.each([
    [401, 'Unauthenticated', AuthenticationError],
    [403, 'Forbidden', PermissionError],
    [404, 'NotFound', NotFoundError],
    [409, 'Conflict', ApiError],
    [422, 'ValidationError', ValidationError],
    [429, 'TooManyRequests', RateLimitError],
    [500, 'ServerError', ApiError],
    [503, 'ServiceUnavailable', UnavailableError],
  ])('with status %i and type %s is an error of a class', async (status, type, Class) => {
    const server = await start(failed(status, type, { 'X-Request-Id': 'r-3', 'Retry-After': '7' }));
    const error = await errorOf(clientOf(server, { maxRetries: 0 }).webhooks.retrieve('w-1'));
    expect(error).toBeInstanceOf(Class);
    expect(error).toBeInstanceOf(RingbackError);
    expect(error).toMatchObject({
      name: Class.name,
      message: `${type}.`,
      status,
      type,
      requestId: 'r-3',
      retryAfter: 7,
      baseUrl: server.baseUrl,
    });
  });

  test('has the messages of each field', async () => {
    const json = { status: 'ValidationError', code: 422, message: 'The uri.', errors: { uri: ['The uri.'] } };
    const server = await start({ status: 422, json });
    const error = await errorOf(clientOf(server).webhooks.create(newWebhook));
    expect(error).toMatchObject({ errors: { uri: ['The uri.'] }, retryAfter: undefined, requestId: undefined });
    expect(server.requests).toHaveLength(1);
  });

  test('has the seconds until the date in Retry-After', async () => {
    const date = new Date(Date.now() + 100_000).toUTCString();
    const server = await start(failed(429, 'TooManyRequests', { 'Retry-After': date }));
    // It is longer than a client waits.
    const error = await errorOf(clientOf(server).webhooks.retrieve('w-1'));
    expect((error as ApiError).retryAfter).toBeGreaterThan(60);
    expect((error as ApiError).retryAfter).toBeLessThanOrEqual(100);
    expect(server.requests).toHaveLength(1);
  });

  test.each<[string, StubAnswer, RegExp]>([
    [
      'a page',
      { text: '<html>' },
      /^unexpected response from \S+\/api\/v2 \(GET \/developer\/webhooks\/1, status 200\)/,
    ],
    ['JSON of another service', { json: { webhooks: [] } }, /^unexpected response from \S+\/api\/v2 /],
    ['an error page', { status: 404, text: 'nothing here' }, /^unexpected response .*status 404\)/],
    [
      'a redirect',
      { status: 301, headers: { location: 'https://new.example/api/v2/developer/webhooks/1' } },
      /\/api\/v2 redirects to https:\/\/new\.example\/api\/v2\/developer\/webhooks\/1: use the address/,
    ],
  ])('that is %s names the base URL', async (_, answer, message) => {
    const server = await start(answer);
    const error = await errorOf(clientOf(server).webhooks.retrieve('1'));
    expect(error).toMatchObject({ type: 'UnexpectedResponse', message: expect.stringMatching(message) });
    expect((error as Error).message).toContain(server.baseUrl);
  });
});

describe('retries', () => {
  const busy = failed(429, 'TooManyRequests', { 'Retry-After': '0' });
  const away = failed(503, 'ServiceUnavailable', { 'Retry-After': '0' });
  const unprocessed = failed(503, 'ServiceUnavailable', { 'Retry-After': '0', 'X-Request-Processed': 'no' });
  type Act = (client: RingbackClient) => PromiseLike<unknown>;
  const event = { event: 'sms:message:status', account_id: 'a', payload: { id: 'm-1' } } as const;

  const safe: [string, Act][] = [
    ['webhooks.create, with an Idempotency-Key', (client) => client.webhooks.create(newWebhook)],
    ['webhooks.retrieve', (client) => client.webhooks.retrieve('1')],
    ['webhooks.update', (client) => client.webhooks.update('1', { name: 'b' })],
    ['webhooks.list', (client) => client.webhooks.list()],
    [
      'subscriptions.create',
      (client) => client.subscriptions.create({ event: 'sms:message:status', webhook_id: '1', identity: 'all' }),
    ],
    ['events.push', (client) => client.events.push(event)],
    ['call with an idempotencyKey', (client) => client.call('POST', '/x', { idempotencyKey: 'k-1' })],
  ];
  const unsafe: [string, Act][] = [
    ['webhooks.test', (client) => client.webhooks.test('1', { event: 'sms:message:status' })],
    ['webhooks.update of one version', (client) => client.webhooks.update('1', {}, { ifMatch: '"1"' })],
    ['deliveries.resend', (client) => client.deliveries.resend('1')],
    ['tokens.create', (client) => client.tokens.create()],
    ['portalSessions.create', (client) => client.portalSessions.create()],
    ['accounts.create', (client) => client.accounts.create({ name: 'acme' })],
    ['call', (client) => client.call('POST', '/x')],
  ];
  const lost: [string, StubAnswer][] = [
    ['a 503', away],
    ['a reset', 'reset'],
    ['half a response', 'truncate'],
    ['a proxy without a response', { status: 502, text: 'bad gateway' }],
  ];

  test.each(safe)('%s is repeated, the same, after what may have been processed', async (_, act) => {
    const repeat = async (answer: StubAnswer) => {
      const server = await start(answer, ok([]));
      await act(clientOf(server));
      const [first, second] = server.requests;
      expect(server.requests).toHaveLength(2);
      expect(second).toEqual(first);
    };
    await Promise.all(lost.map(([, answer]) => repeat(answer)));
  });

  test.each(unsafe)('%s is repeated only after what was certainly not processed', async (_, act) => {
    for (const [what, answer] of lost) {
      const server = await start(answer, ok({}));
      expect([what, await errorOf(act(clientOf(server)))]).toEqual([what, expect.any(RingbackError)]);
      expect([what, server.requests.length]).toEqual([what, 1]);
    }
    const repeat = async (answer: StubAnswer) => {
      const server = await start(answer, ok({}));
      await act(clientOf(server));
      expect(server.requests).toHaveLength(2);
    };
    await Promise.all([busy, unprocessed, failed(408, 'BadRequest')].map(repeat));
  });

  test('each create has a key of its own, unless one is given', async () => {
    const server = await start(away, ok({}));
    const client = clientOf(server);
    await client.webhooks.create(newWebhook);
    await client.webhooks.create(newWebhook);
    await client.webhooks.create(newWebhook, { idempotencyKey: 'mine' });
    const [first, again, second, third] = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect([again, second === first, third]).toEqual([first, false, 'mine']);
  });

  test('a push of one event has the key that is given', async () => {
    const server = await start(ok([]));
    await clientOf(server).events.push(event, { idempotencyKey: 'report-1' });
    await clientOf(server).events.push(event);
    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['report-1', undefined]);
  });

  test('a refused connection is tried again, whatever the request does', async () => {
    const [server, gone] = [await start(ok({})), await start('hang')];
    await gone.close();
    let tries = 0;
    const fetch: typeof globalThis.fetch = (url, init) => globalThis.fetch(tries++ === 0 ? gone.baseUrl : url, init);
    await clientOf(server, { fetch }).tokens.create();
    expect([tries, server.requests.length]).toEqual([2, 1]);
  });

  test.each([
    ['read', 'ETIMEDOUT', 1],
    ['read', 'EHOSTUNREACH', 1],
    ['connect', 'ETIMEDOUT', 2],
    ['connect', 'EHOSTUNREACH', 2],
  ])('a POST that ends with %s %s was tried so often: %i', async (syscall, code, count) => {
    const server = await start(ok({}));
    let tries = 0;
    const fetch: typeof globalThis.fetch = (url, init) => {
      if (tries++ > 0) return globalThis.fetch(url, init);
      const cause = Object.assign(new Error(`${syscall} ${code}`), { syscall, code });
      return Promise.reject(new TypeError('fetch failed', { cause }));
    };
    const error = await errorOf(clientOf(server, { fetch }).tokens.create());
    expect(tries).toBe(count);
    if (count === 1) expect(error).toMatchObject({ name: 'ConnectionError', isUnsent: false });
  });

  test('a server that is away is a ConnectionError that names the base URL', async () => {
    const gone = await start('hang');
    await gone.close();
    // A name with two addresses, each of which is refused.
    const baseUrl = gone.baseUrl.replace('127.0.0.1', 'localhost');
    const error = await errorOf(clientOf({ baseUrl }, { maxRetries: 0 }).webhooks.retrieve('1'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ baseUrl, isUnsent: true });
    expect((error as Error).message).toMatch(/^cannot connect to http:\/\/localhost:\d+\/api\/v2: .*ECONNREFUSED/);
  });

  test('end after maxRetries, with the last error', async () => {
    const server = await start(away);
    const client = clientOf(server, { maxRetries: 1 });
    expect(await errorOf(client.webhooks.retrieve('1'))).toBeInstanceOf(UnavailableError);
    expect(server.requests).toHaveLength(2);
    await errorOf(client.webhooks.retrieve('1', { maxRetries: 0 }));
    expect(server.requests).toHaveLength(3);
  });

  test('a deletion whose response was lost succeeds when there is nothing more to delete', async () => {
    const server = await start('reset', failed(404, 'NotFound'));
    await clientOf(server).webhooks.delete('1');
    expect(server.requests).toHaveLength(2);
    const other = await start(busy, failed(404, 'NotFound'));
    await expect(clientOf(other).webhooks.delete('1')).rejects.toBeInstanceOf(NotFoundError);
  });

  test('wait as long as Retry-After says', async () => {
    const server = await start(failed(503, 'ServiceUnavailable', { 'Retry-After': '2' }), ok({}));
    const startedAt = performance.now();
    await clientOf(server).webhooks.retrieve('1');
    // Node's timers may end a millisecond early.
    expect(performance.now() - startedAt).toBeGreaterThan(1_990);
  });

  test('the HTTP producer repeats a 503, and resolves with ids and states', async () => {
    const pushed = [{ id: 'e-1', state: 'duplicate' }];
    const server = await start(away, 'reset', ok(pushed, { code: 202 }));
    const producer = createHttpProducer({ baseUrl: server.baseUrl, platformToken: 'rb_platform_1' });
    expect(await producer.push(event)).toEqual(pushed);
    expect(server.requests).toHaveLength(3);
    await producer.close();
  });
});

describe('a call that takes too long', () => {
  test('is a TimeoutError that names the base URL, after the retries of what can be repeated', async () => {
    const server = await start('hang');
    const client = clientOf(server, { timeout: 50, maxRetries: 1 });
    const error = await errorOf(client.webhooks.retrieve('1'));
    expect(error).toBeInstanceOf(TimeoutError);
    expect((error as Error).message).toBe(
      `no complete response from ${server.baseUrl} within 50 ms (GET /developer/webhooks/1)`,
    );
    expect(server.requests).toHaveLength(2);
    await errorOf(client.tokens.create());
    expect(server.requests).toHaveLength(3);
  });

  test('ends with its signal, before, during and between requests', async () => {
    const server = await start('hang');
    const client = clientOf(server);
    await expect(client.webhooks.retrieve('1', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(server.requests).toHaveLength(0);
    await expect(client.webhooks.retrieve('1', { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    const slow = await start(failed(503, 'ServiceUnavailable', { 'Retry-After': '60' }));
    const controller = new AbortController();
    const ending = errorOf(clientOf(slow).webhooks.retrieve('1', { signal: controller.signal }));
    while (slow.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('enough'));
    expect(await ending).toEqual(new Error('enough'));
  });
});

describe('outcomes', () => {
  const page = (ids: number[], next: string | null) =>
    ok(
      ids.map((id) => ({ cursor: `c${id}` })),
      { meta: { next_cursor: next } },
    );

  test('are followed from a cursor, page by page, while the server waits for rows', async () => {
    const server = await start(page([1, 2], 'c2'), page([], 'c3'), page([4], 'c4'));
    const pages: unknown[] = [];
    for await (const { data, cursor } of clientOf(server).outcomes.follow({ cursor: 'c0', types: 'delivery' })) {
      pages.push([data.length, cursor]);
      if (cursor === 'c4') break;
    }
    expect(pages).toEqual([
      [2, 'c2'],
      [1, 'c4'],
    ]);
    const queries = server.requests.map(({ url }) => Object.fromEntries(new URL(url, server.baseUrl).searchParams));
    expect(queries).toEqual(['c0', 'c2', 'c3'].map((cursor) => ({ cursor, types: 'delivery', wait: '20' })));
  });

  test('are followed through an outage, and any other error ends that', async () => {
    const outage = [failed(503, 'ServiceUnavailable'), 'reset', failed(429, 'TooManyRequests')] as const;
    const server = await start(...outage, page([1], 'c1'), failed(401, 'Unauthenticated'));
    const reached: (string | undefined)[] = [];
    const read = async () => {
      for await (const { cursor } of clientOf(server).outcomes.follow()) reached.push(cursor);
    };
    expect(await errorOf(read())).toBeInstanceOf(AuthenticationError);
    expect(reached).toEqual(['c1']);
  });

  test('are followed as long as maxRetries says', async () => {
    const server = await start(failed(503, 'ServiceUnavailable'));
    const pages = clientOf(server).outcomes.follow({}, { maxRetries: 0 });
    expect(await errorOf(pages.next())).toBeInstanceOf(UnavailableError);
    expect(server.requests).toHaveLength(1);
  });

  test('have no cursor before the first row, and keep the given one', async () => {
    const { outcomes } = clientOf(await start(page([], null)));
    expect(await outcomes.list()).toEqual({ data: [], cursor: undefined });
    expect(await outcomes.list({ cursor: 'c7' })).toEqual({ data: [], cursor: 'c7' });
  });

  test('a cursor whose rows are gone is an error of type Gone', async () => {
    const { outcomes } = clientOf(await start(failed(410, 'Gone')));
    expect(await errorOf(outcomes.list({ cursor: 'c1' }))).toMatchObject({ status: 410, type: 'Gone' });
  });
});
