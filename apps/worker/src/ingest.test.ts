import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listRejectedEvents } from '@ringback/ledger';
import { UnreadableData } from '@ringback/queue';
import { until } from '@ringback/testing';
import { WorkerMetrics } from './metrics.js';
import { startTestbed, type Testbed } from './worker.fixture.js';
import { IngestHandler } from './ingest.js';

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed('postgres');
  await testbed.db.pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'it cannot be stored' USING ERRCODE = '22P05'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.message_id = 'bad') EXECUTE FUNCTION refuse();
    CREATE TRIGGER refuse BEFORE INSERT ON attempts FOR EACH ROW WHEN (NEW.response_body = 'bad') EXECUTE FUNCTION refuse();`);
});
afterAll(() => testbed.close());

const unexpected = () => {
  throw new Error('unexpected');
};
const sms = (webhookId: string, id: string) => ({
  name: 'sms:message:status',
  data: { webhook_id: webhookId, payload: JSON.stringify({ id }) },
});

test('an event that PostgreSQL cannot store is rejected, and other events of its batch are stored', async () => {
  const { id } = await testbed.makeWebhook();
  const ids = ['good-1', 'bad', 'good-2'];
  await testbed.queues.pushEvents(
    'sms',
    ids.map((eventId) => sms(id, eventId)),
  );
  await until(async () => (await listRejectedEvents(testbed.db, { limit: 1 })).length === 1);
  const [rejected] = await listRejectedEvents(testbed.db, { limit: 10 });
  expect(rejected).toMatchObject({
    reason: 'it contains text that PostgreSQL cannot store',
    envelope: expect.stringContaining('bad'),
  });
  await until(async () => testbed.receiver.calls.length === 2);
  const counts = async () => (await testbed.queues.countJobsByQueue())['sms-events'];
  await until(async () => (await counts()).active === 0);
  expect(await counts()).toMatchObject({ waiting: 0, delayed: 0, failed: 0 });
});

test('an attempt with a text that PostgreSQL cannot store is recorded without texts, and not repeated', async () => {
  testbed.receiver.answerWith({ status: 200, body: 'bad' });
  const { id } = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}/unstorable` });
  await testbed.queues.pushEvents('sms', [sms(id, 'good-3')]);
  const { attempts } = await testbed.waitForDelivery({ webhookId: id }, 'delivered');
  const notStored = { requestHeaders: null, requestBody: null, responseHeaders: null, responseBody: null };
  expect(attempts).toMatchObject([{ number: 1, outcome: 'response', statusCode: 200, ...notStored }]);
  expect(testbed.receiver.calls.filter(({ path }) => path === '/unstorable')).toHaveLength(1);
});

test('an event that crashed its workers is stored as rejected, with its reason and data', async () => {
  const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
  const leases = { leaseRequest: unexpected, start: unexpected, waitForIngestCapacity: unexpected };
  const metrics = new WorkerMetrics(testbed);
  const handler = new IngestHandler({
    ...testbed,
    leases,
    log,
    metrics,
    tracer: undefined,
    retryWhileUnavailable: unexpected,
  });
  const data = { account_id: testbed.account.id, payload: { id: 'poison' } };
  await handler.giveUp({ name: 'sms:message:status', data }, 'every worker that processed it crashed');
  const [rejected] = await listRejectedEvents(testbed.db, { limit: 1 });
  expect(rejected).toMatchObject({ state: 'rejected', reason: 'every worker that processed it crashed' });
  expect(JSON.parse(rejected?.envelope ?? '')).toEqual({ event: 'sms:message:status', ...data });
});

test('a job with unreadable data is stored as rejected, without an account, with its reason and data', async () => {
  const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
  const unusedDeps = {
    leases: { leaseRequest: unexpected, start: unexpected, waitForIngestCapacity: () => Promise.resolve() },
  };
  const metrics = new WorkerMetrics(testbed);
  const retryWhileUnavailable = <T>(operation: () => Promise<T>) => operation();
  const handler = new IngestHandler({
    ...testbed,
    ...unusedDeps,
    log,
    metrics,
    tracer: undefined,
    retryWhileUnavailable,
  });
  const data = new UnreadableData('{"broken\0', 'the data of the job is not JSON');
  await handler.handle({ name: 'sms:message:status', data });
  const [rejected] = await listRejectedEvents(testbed.db, { limit: 1 });
  expect(rejected).toMatchObject({ accountId: null, reason: 'the data of the job is not JSON' });
  expect(JSON.parse(rejected?.envelope ?? '')).toBe('{"broken\0');
});
