import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  acceptEvents,
  createAccount,
  createWebhook,
  type Database,
  openDatabase,
  parkDeliveries,
} from '@ringback/database';
import { openQueues, type Queues } from '@ringback/queue';
import { createTestDatabase, redisUrl, startRedis } from '@ringback/testing';
import { Redis } from 'ioredis';
import { openReconciler } from './reconcile.js';

const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** A ledger with a webhook, and a Redis of its own that can be emptied. */
async function openScene() {
  const [database, redis] = await Promise.all([createTestDatabase(), startRedis()]);
  const db = openDatabase({ url: database.url, connections: 4 });
  const prefix = `test_${randomBytes(4).toString('hex')}`;
  const queues = openQueues({ redisUrl: redis.url, databaseUrl: database.url, prefix, onError: () => {} });
  const client = new Redis(redis.url);
  const account = await createAccount(db, { name: 'test' });
  const fields = { name: 'hook', uri: 'http://127.0.0.1:1/', active: true, secret: null, payload: null, signing: true };
  const { webhook, verificationId } = await createWebhook(db, account.id, { ...fields, verificationCode: 'code' });
  const close = async () => {
    client.disconnect();
    await queues.close();
    await db.close();
    await Promise.all([database.drop(), redis.remove()]);
  };
  const accept = async (id: string) => {
    const event = {
      event: 'sms:message:status' as const,
      accountId: account.id,
      webhookId: webhook.id,
      identity: null,
      eventId: id,
    };
    const [acceptance] = await acceptEvents(db, [{ ...event, payload: `{"id":"${id}"}`, messageId: id, mobile: null }]);
    return acceptance?.deliveries[0]?.id ?? '';
  };
  return { db, queues, client, prefix, accept, verificationId, close };
}

const moveDue = (db: Database, id: string, interval: string) =>
  db.pool.query(`UPDATE deliveries SET next_attempt_at = clock_timestamp() + $2::interval WHERE id = $1`, [
    id,
    interval,
  ]);
const queued = async (queues: Queues) => [...(await queues.queuedDeliveries('sms'))].sort();

(redisUrl() === undefined ? describe.skip : describe)('reconciling with a Redis that can lose everything', () => {
  let scene: Awaited<ReturnType<typeof openScene>>;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene.close());

  test('what Redis lost is queued again, each with the time at which it is due; what is parked is not', async () => {
    const { db, queues, client, prefix, accept, verificationId } = scene;
    const [due, later, parked] = [await accept('due'), await accept('later'), await accept('parked')];
    await moveDue(db, later, '1 hour');
    await parkDeliveries(db, [parked]);
    const { reconcile } = openReconciler({ db, queues, log });
    expect(await queues.wasLost()).toBe(true);
    expect(await reconcile()).toBe(true);
    expect(await queues.wasLost()).toBe(false);
    await client.flushall();
    expect(await queues.wasLost()).toBe(true);
    expect(await reconcile()).toBe(true);
    expect(await queued(queues)).toEqual([due, later].sort());
    const delay = Number(await client.hget(`${prefix}:sms-deliveries:deliver-${later}`, 'delay'));
    expect(delay).toBeGreaterThan(3_500_000);
    expect(delay).toBeLessThanOrEqual(3_600_000);
    expect(await client.exists(`${prefix}:verifications:verify-${verificationId}`)).toBe(1);
  });

  test('a job that was lost alone is made again once it has been due for 15 s, and only then', async () => {
    const { db, queues, client, prefix, accept } = scene;
    const [lost, young] = [await accept('lost'), await accept('young')];
    await moveDue(db, lost, '-16 seconds');
    await moveDue(db, young, '-13 seconds');
    await openReconciler({ db, queues, log }).reconcile();
    expect(await queued(queues)).toContain(lost);
    expect(await queued(queues)).not.toContain(young);
    const before = await client.llen(`${prefix}:sms-deliveries:wait`);
    await openReconciler({ db, queues, log }).reconcile();
    expect(await client.llen(`${prefix}:sms-deliveries:wait`)).toBe(before);
  });

  test('while many jobs wait, those that are late are not taken for lost until a minute is over', async () => {
    const { db, queues, accept } = scene;
    const many = Array.from({ length: 1_001 }, () => ({
      id: randomUUID(),
      channel: 'rcs' as const,
      dueInMs: 0,
      attempts: 0,
    }));
    await queues.enqueueDeliveries(many);
    const [late, lost] = [await accept('late'), await accept('lost in a backlog')];
    await moveDue(db, late, '-40 seconds');
    await moveDue(db, lost, '-61 seconds');
    await openReconciler({ db, queues, log }).reconcile();
    expect(await queued(queues)).toContain(lost);
    expect(await queued(queues)).not.toContain(late);
    await queues.onShards('rcs-deliveries', (queue) => queue.drain());
  });

  test('a backlog of more than a page is gone through to its end', async () => {
    const { db, queues, accept } = scene;
    const first = await accept('first of many');
    await db.pool.query(
      `INSERT INTO events (name, account_id, state) SELECT 'sms:message:status', account_id, 'routed' FROM deliveries, generate_series(1, 2500)
        WHERE id = $1`,
      [first],
    );
    await db.pool.query(
      `INSERT INTO deliveries (event_id, account_id, webhook_id, channel, next_attempt_at)
        SELECT e.id, d.account_id, d.webhook_id, 'sms', clock_timestamp() - interval '2 minutes'
        FROM events e, deliveries d WHERE d.id = $1 AND e.message_id IS NULL`,
      [first],
    );
    await openReconciler({ db, queues, log }).reconcile();
    expect((await queued(queues)).length).toBeGreaterThanOrEqual(2_500);
  });

  test('two workers do not reconcile at the same time', async () => {
    const { db, queues } = scene;
    const [within, goOn] = [new AbortController(), new AbortController()];
    const wasLost = async () => {
      within.abort();
      await once(goOn.signal, 'abort');
      return queues.wasLost();
    };
    const first = openReconciler({ db, queues: { ...queues, wasLost }, log }).reconcile();
    await once(within.signal, 'abort');
    expect(await openReconciler({ db, queues, log }).reconcile()).toBe(false);
    goOn.abort();
    expect(await first).toBe(true);
    expect(await openReconciler({ db, queues, log }).reconcile()).toBe(true);
  });
});
