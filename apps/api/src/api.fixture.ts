import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@jest/globals';
import supertest from 'supertest';
import { parseAllowList } from '@ringback/rules';
import {
  createAccount,
  createPlatformToken,
  type Database,
  Waker,
  openDatabase,
  type PlatformScope,
  platformScopes,
} from '@ringback/ledger';
import { openQueues, type Queues } from '@ringback/queue';
import { addressOfBaseUrl, type Logger } from '@ringback/process';
import { createTestDatabase } from '@ringback/testing';
import { createApp } from './app.js';
import type { ApiDeps } from './http/deps.js';
import { ApiMetrics } from './http/metrics.js';
import { ApiServer } from './http/server.js';
import { watchContract } from './openapi/contract.fixture.js';

export const baseUrl = 'https://api.test/api/v2';
export const uuid: unknown = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
export const time: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);

type Method = 'get' | 'post' | 'put' | 'delete' | 'patch' | 'head' | 'options';

/** Sends requests to paths under the base URL, with the token that it was created with. */
export type Client = Record<Method, (path: string, body?: unknown) => supertest.Test> & { token: string };
export type TestAccount = Client & { id: string };

export type TestApi = {
  db: Database;
  queues: Queues;
  port: number;
  deps: ApiDeps;
  logged: { level: string; words: unknown[] }[];
  /** Sends requests to any path of the server, without a token. */
  raw: ReturnType<typeof supertest>;
  /** Starts another API on the same database and queues, in which `overrides` replace some dependencies. */
  variant(overrides: Partial<ApiDeps>): Promise<TestApi>;
  makeAccount(): Promise<TestAccount>;
  /** Creates a platform token, by default with all scopes. */
  makePlatform(scopes?: readonly PlatformScope[]): Promise<Client>;
  clientOf(token: string): Client;
  close(): Promise<void>;
};

/** Starts the API on a real port, with a database and queues of its own. */
export async function startApi(overrides: Partial<ApiDeps> = {}): Promise<TestApi> {
  const database = await createTestDatabase();
  const onError = () => undefined;
  const db = openDatabase({ url: database.url, connections: 5, onError, connectTimeoutMs: 60_000 });
  const prefix = `test_${randomBytes(6).toString('hex')}`;
  const queues = openQueues({ databaseUrl: database.url, prefix, onError });
  const api = await serve({ db, queues }, overrides);
  const close = async () => {
    try {
      await api.close();
    } finally {
      await queues.close();
      await db.close();
      await database.drop();
    }
  };
  return { ...api, close };
}

/** The queues of an API, with `changes` in place of some methods. */
export const queuesWith = (queues: Queues, changes: Partial<ApiDeps['queues']>): ApiDeps['queues'] => ({
  check: () => queues.check(),
  enqueueTestCall: (id) => queues.enqueueTestCall(id),
  enqueueVerification: (id) => queues.enqueueVerification(id),
  ...changes,
});

async function serve(connections: { db: Database; queues: Queues }, overrides: Partial<ApiDeps>): Promise<TestApi> {
  const { db, queues } = connections;
  const logged: TestApi['logged'] = [];
  const logAt =
    (level: string) =>
    (...words: unknown[]) =>
      void logged.push({ level, words });
  const log: Logger = { error: logAt('error'), warn: logAt('warn'), info: logAt('info'), debug: logAt('debug') };
  const egressAllowList = parseAllowList('');
  const metrics = new ApiMetrics({ ...connections, reservedDb: db, bulkDb: db });
  const waker = new Waker(db, () => undefined);
  const defaults: ApiDeps = {
    db,
    reservedDb: overrides.db ?? db,
    bulkDb: overrides.db ?? db,
    queues,
    waker,
    log,
    metrics,
    egressAllowList,
    ...addressOfBaseUrl(overrides.baseUrl ?? baseUrl),
    rateLimitPerMinute: 1_000_000,
    concurrencyPerAccount: 8,
    maxWebhooksPerAccount: 10_000,
    refusalDelayMs: 0,
    // On a busy machine a count may take longer than the default, and would be made in memory.
    countTimeoutMs: 60_000,
    callbackTimeoutMs: 3_000,
  };
  const deps = { ...defaults, ...overrides };
  // Every response in every test must match the OpenAPI document.
  const { listener, violations } = watchContract(createApp(deps), deps);
  const server = new ApiServer({ keepAliveMs: 60_000 }).on('request', listener);
  server.listen(0);
  await once(server, 'listening');
  const variants: TestApi[] = [];
  const clientOf = (token: string) => makeClient(server, token);
  return {
    db,
    queues,
    deps,
    port: (server.address() as AddressInfo).port,
    logged,
    raw: supertest(server),
    clientOf,
    async variant(more) {
      const api = await serve(connections, { ...overrides, ...more });
      variants.push(api);
      return api;
    },
    async makeAccount() {
      const { id, accessToken } = await createAccount(db, { name: 'test' });
      return { id, ...clientOf(accessToken) };
    },
    async makePlatform(scopes = platformScopes) {
      return clientOf((await createPlatformToken(db, { name: 'test', scopes })).token);
    },
    async close() {
      for (const api of variants) await api.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      expect(violations).toEqual([]);
    },
  };
}

function makeClient(server: http.Server, token: string): Client {
  const call = (method: Method) => (path: string, body?: unknown) => {
    const request = supertest(server)[method](`/api/v2${path}`).set('Authorization', `Bearer ${token}`);
    return body === undefined ? request : request.set('Content-Type', 'application/json').send(textOf(body));
  };
  const [get, post, put, patch] = [call('get'), call('post'), call('put'), call('patch')];
  return { token, get, post, put, patch, delete: call('delete'), head: call('head'), options: call('options') };
}

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));

/** The complete body of an error. Only a 422 has `errors`. */
export function errorBody(code: number, status: string, message: unknown, errors?: Record<string, string[]>) {
  return errors === undefined ? { status, code, message } : { status, code, message, errors };
}

export const webhookNotFoundBody = errorBody(404, 'NotFound', 'Webhook not found.');
export const unauthenticatedBody = errorBody(401, 'Unauthenticated', 'Unauthenticated.');

/** A valid body for creating or editing a webhook, in which `fields` are added or replaced. */
export const webhookInput = (fields: object = {}) => ({ name: 'orders', uri: 'https://example.com/in', ...fields });

/** Creates a webhook over HTTP and returns it as the API shows it. */
export async function makeWebhook(
  account: Client,
  fields: object = {},
): Promise<{ id: string; [field: string]: unknown }> {
  const { body } = await account.post('/developer/webhooks', webhookInput(fields)).expect(200);
  return body.data;
}

/** Creates `count` webhooks of an account that are subscribed to `sms:message:status`. */
export async function subscribeMany({ db }: Pick<TestApi, 'db'>, accountId: string, count: number): Promise<void> {
  const make = `INSERT INTO webhooks (account_id, name, uri) SELECT $1, 'hook', 'https://example.com/'
      FROM generate_series(1, $2::int) RETURNING id`;
  const { rows } = await db.pool.query<{ id: string }>(make, [accountId, count]);
  const data = rows.map(({ id }) => ({ accountId, event: 'sms:message:status', webhookId: id }));
  await (await db.prisma()).subscription.createMany({ data });
}
