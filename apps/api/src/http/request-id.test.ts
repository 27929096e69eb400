import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '@ringback/ledger';
import {
  makeWebhook,
  queuesWith,
  startApi,
  type TestAccount,
  type TestApi,
  uuid,
  webhookInput,
} from '../api.fixture.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => {
  api = await startApi();
  account = await api.makeAccount();
});
afterAll(() => api.close());

const logLinesOf = (id: string) =>
  api.logged
    .filter(({ words }) => JSON.stringify(words).includes(id))
    .map(({ words }) => [words[0], Reflect.get(Object(words[1]), 'request_id')]);

describe('X-Request-Id', () => {
  test('is in every response, and each has its own', async () => {
    const responses = [
      await account.get('/developer/webhooks'),
      await account.get('/developer/webhooks/unknown'),
      await account.post('/developer/webhooks', '{'),
      await api.raw.get('/api/v2/developer/webhooks'),
      await api.raw.get('/nowhere'),
      await api.raw.get('/healthz'),
      await api.raw.get('/docs'),
      await api.raw.options('/api/v2/events'),
    ];
    const ids = responses.map(({ headers }) => headers['x-request-id']);
    expect(ids).toEqual(ids.map(() => uuid));
    expect(new Set(ids).size).toBe(ids.length);
    expect(logLinesOf(String(ids[1]))).toEqual([['http.request', ids[1]]]);
  });

  test('is also in the response to a request that is not HTTP', async () => {
    const socket = connect(api.port, '127.0.0.1');
    socket.end('rubbish\r\n\r\n');
    const [data] = await once(socket, 'data');
    expect(String(data)).toMatch(/^HTTP\/1\.1 400 [\s\S]*\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
    socket.destroy();
  });

  test.each(['7f3a', 'a'.repeat(128), 'Root=1-67891233-abcdef012345678912345678', '0af7651916cd43dd8448eb211c80319c'])(
    'is that of the request: %s',
    async (id) => {
      const { headers } = await account.get('/developer/webhooks').set('X-Request-Id', id);
      expect(headers['x-request-id']).toBe(id);
      expect(logLinesOf(id)).toEqual([['http.request', id]]);
    },
  );

  test.each(['', 'a b', 'a'.repeat(129), '"}', 'a;b', 'é'])('is a new one instead of %j', async (id) => {
    const { headers } = await account.get('/developer/webhooks').set('X-Request-Id', id);
    expect(headers['x-request-id']).toEqual(uuid);
  });

  test('is in the log line of an error', async () => {
    const broken = await api.variant({ db: openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/nothing' }) });
    await broken.clientOf(account.token).get('/developer/webhooks').set('X-Request-Id', 'error-1').expect(503);
    const lines = broken.logged.filter(({ words }) => words[0] === 'http.unavailable');
    expect(lines).toMatchObject([{ words: ['http.unavailable', { request_id: 'error-1' }] }]);
  });
});

describe('X-Request-Processed', () => {
  test('says that a request was not processed whose token could not be checked', async () => {
    const db = openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/nothing' });
    const away = await api.variant({ db });
    const { headers } = await away.clientOf(account.token).post('/developer/webhooks', webhookInput()).expect(503);
    expect(headers['x-request-processed']).toBe('no');
    await db.close();
  });

  test('is absent when a handler had begun', async () => {
    const { id } = await makeWebhook(account);
    const enqueueTestCall = () => Promise.reject(Object.assign(new Error('Connection is closed.')));
    const away = await api.variant({ queues: queuesWith(api.queues, { enqueueTestCall }) });
    const path = `/developer/webhooks/${id}/test`;
    const { headers } = await away.clientOf(account.token).post(path, { event: 'sms:message:status' }).expect(503);
    expect(headers).not.toHaveProperty('x-request-processed');
  });

  test('says that a test call was not sent', async () => {
    const { id } = await makeWebhook(account);
    const hurried = await api.variant({ callbackTimeoutMs: 1 });
    const path = `/developer/webhooks/${id}/test`;
    const { headers } = await hurried.clientOf(account.token).post(path, { event: 'sms:message:status' }).expect(503);
    expect(headers['x-request-processed']).toBe('no');
  });
});
