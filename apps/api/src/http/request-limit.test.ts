import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAccount, openDatabase, createRequestCounter } from '@ringback/ledger';
import { type CountRequest, openQueues } from '@ringback/queue';
import { backends, createTestDatabase, type TestDatabase } from '@ringback/testing';
import { type Client, errorBody, queuesWith, startApi, type TestApi } from '../api.fixture.js';

const path = '/developer/webhooks';
const remaining = async (client: Client) => (await client.get(path)).headers['x-ratelimit-remaining'];

describe.each(backends)('counted on $name', ({ redisUrl }) => {
  let database: TestDatabase;
  const closers: (() => Promise<unknown>)[] = [];
  const prefix = `test_${randomBytes(6).toString('hex')}`;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    for (const close of closers.reverse()) await close();
    await database.drop();
  });

  /** Opens the connections of one more process. */
  const openConnections = () => {
    const onError = () => undefined;
    const db = openDatabase({ url: database.url, connections: 2, onError });
    const queues = openQueues({ redisUrl, databaseUrl: database.url, prefix, redisTimeoutMs: 60_000, onError });
    closers.push(
      () => db.close(),
      () => queues.close(),
    );
    return { db, queues };
  };
  const openCounter = (windowMs: number): CountRequest => {
    const { db, queues } = openConnections();
    return queues.createRequestCounter(windowMs) ?? createRequestCounter(db, windowMs);
  };

  test('two API processes share the limit of a token, and another token has its own', async () => {
    const { db, queues } = openConnections();
    const first = await startApi({ db, queues, rateLimitPerMinute: 4 });
    const second = await startApi({ ...openConnections(), rateLimitPerMinute: 4 });
    closers.push(
      () => first.close(),
      () => second.close(),
    );
    const [mine, other] = [await createAccount(db, { name: 'mine' }), await createAccount(db, { name: 'other' })];
    const [here, there] = [first.clientOf(mine.accessToken), second.clientOf(mine.accessToken)];
    const left = [await remaining(here), await remaining(there), await remaining(here), await remaining(there)];
    expect(left).toEqual(['3', '2', '1', '0']);
    for (const client of [here, there, here]) {
      const refused = await client.get(path);
      expect([refused.status, refused.body]).toEqual([429, errorBody(429, 'TooManyRequests', 'Too Many Attempts.')]);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(await remaining(second.clientOf(other.accessToken))).toBe('3');
  });

  test('concurrent requests are each counted once', async () => {
    const counters = [openCounter(60_000), openCounter(60_000)];
    const [token, otherToken] = [randomUUID(), randomUUID()];
    const counts = Array.from({ length: 200 }, (_, index) => counters[index % 2]!(index % 4 < 2 ? token : otherToken));
    const requests = (await Promise.all(counts)).map((count) => count.requests);
    const upTo100 = Array.from({ length: 100 }, (_, index) => index + 1);
    expect(requests.filter((_, index) => index % 4 < 2).sort((a, b) => a - b)).toEqual(upTo100);
    expect(requests.filter((_, index) => index % 4 >= 2).sort((a, b) => a - b)).toEqual(upTo100);
  });

  test('a window starts with the first request, and the next window with the first request after its end', async () => {
    const counter = openCounter(300);
    const tokenId = randomUUID();
    const { requests, endsInMs } = await counter(tokenId);
    expect(requests).toBe(1);
    expect(endsInMs).toBeLessThanOrEqual(300);
    let last = await counter(tokenId);
    for (let tries = 0; last.requests > 1 && tries < 10_000; tries++) last = await counter(tokenId);
    expect(last.requests).toBe(1);
  });
});

describe('a counter', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());
  const withCounter = async (counter: CountRequest) => {
    const queues = queuesWith(api.queues, { createRequestCounter: () => counter });
    const limited = await api.variant({ queues, rateLimitPerMinute: 2, countTimeoutMs: 100 });
    return { limited, account: await limited.makeAccount() };
  };

  test.each([
    ['fails', () => Promise.reject(new Error('gone'))],
    ['never answers', () => new Promise<never>(() => undefined)],
  ])('that %s refuses no request, and is logged once', async (_failure, counter) => {
    const { limited, account } = await withCounter(counter);
    const answers = [];
    for (let call = 0; call < 4; call++) answers.push(await account.get(path));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['1', '0', '0', '0']);
    expect(limited.logged.filter(({ words }) => words[0] === 'rate_limit.not_counted')).toHaveLength(1);
  });

  test('is not called for a token that is over its limit', async () => {
    let asked = 0;
    const { account } = await withCounter(() => Promise.resolve({ requests: ++asked, endsInMs: 60_000 }));
    const statuses = [];
    for (let call = 0; call < 6; call++) statuses.push((await account.get(path)).status);
    expect(statuses).toEqual([200, 200, 429, 429, 429, 429]);
    expect(asked).toBe(3);
  });
});
