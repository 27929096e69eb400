import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createAccount, createWebhook, openDatabase } from '@ringback/ledger';
import { openQueues } from '@ringback/queue';
import { createTestDatabase, redisUrl, startRedis } from '@ringback/testing';
import { Redis } from 'ioredis';
import { createVerificationRepairService } from './verification-repair.js';

const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** A database with an account, and a separate Redis that can be emptied. */
async function setUp() {
  const [database, redis] = await Promise.all([createTestDatabase(), startRedis()]);
  const db = openDatabase({ url: database.url, connections: 4, connectTimeoutMs: 60_000 });
  const prefix = `test_${randomBytes(4).toString('hex')}`;
  const queues = openQueues({
    redisUrl: redis.url,
    databaseUrl: database.url,
    prefix,
    redisTimeoutMs: 60_000,
    onError: () => {},
  });
  const client = new Redis(redis.url);
  const account = await createAccount(db, { name: 'test' });
  const fields = {
    name: 'hook',
    uri: 'http://127.0.0.1:1/',
    active: true,
    secret: null,
    bodyTemplate: null,
    signing: true,
  };
  /** Creates a pending verification that has no job and has been due for this interval. */
  const addVerification = async (dueFor = '0 s') => {
    const { verificationId } = await createWebhook(db, account.id, { ...fields, verificationCode: 'code' });
    await db.pool.query(`UPDATE verifications SET next_attempt_at = now() - $2::interval WHERE id = $1`, [
      verificationId,
      dueFor,
    ]);
    return verificationId ?? '';
  };
  const close = async () => {
    client.disconnect();
    await queues.close();
    await db.close();
    await Promise.all([database.drop(), redis.remove()]);
  };
  return { db, queues, client, addVerification, close };
}

(redisUrl() === undefined ? describe.skip : describe)('pending verifications', () => {
  let testbed: Awaited<ReturnType<typeof setUp>>;
  beforeAll(async () => void (testbed = await setUp()));
  afterAll(() => testbed.close());

  const repair = (stopping = new AbortController().signal) =>
    createVerificationRepairService({ ...testbed, log }).run(stopping);
  const queued = async (id: string) => (await testbed.queues.listQueuedVerifications()).has(id);

  test('get their jobs again after Redis lost everything', async () => {
    const { queues, client, addVerification } = testbed;
    const [one, other] = [await addVerification(), await addVerification('-1 hour')];
    expect(await queues.isMarkerMissing()).toBe(true);
    expect(await repair()).toBe(true);
    expect([await queued(one), await queued(other), await queues.isMarkerMissing()]).toEqual([true, true, false]);
    await client.flushall();
    expect([await queued(one), await queues.isMarkerMissing()]).toEqual([false, true]);
    expect(await repair()).toBe(true);
    expect([await queued(one), await queued(other), await queues.isMarkerMissing()]).toEqual([true, true, false]);
  });

  test('whose jobs were lost get them again, once, after they have been due for 15 s', async () => {
    const { queues, addVerification } = testbed;
    const [lost, young] = [await addVerification('1 minute'), await addVerification()];
    await repair();
    expect([await queued(lost), await queued(young)]).toEqual([true, false]);
    const before = await queues.countJobsByQueue();
    await repair();
    expect((await queues.countJobsByQueue()).verifications).toEqual(before.verifications);
  });

  test('are left to another worker by a worker that stops', async () => {
    const { queues, client, addVerification } = testbed;
    await addVerification();
    await client.flushall();
    await repair(AbortSignal.abort());
    expect([(await queues.listQueuedVerifications()).size, await queues.isMarkerMissing()]).toEqual([0, true]);
    await repair();
    expect(await queues.isMarkerMissing()).toBe(false);
  });

  test('are repaired by one worker at a time', async () => {
    const { queues } = testbed;
    const [started, mayContinue] = [new AbortController(), new AbortController()];
    const isMarkerMissing = async () => {
      started.abort();
      await once(mayContinue.signal, 'abort');
      return queues.isMarkerMissing();
    };
    const slow = {
      isMarkerMissing,
      enqueueVerification: (id: string) => queues.enqueueVerification(id),
      writeMarker: () => queues.writeMarker(),
    };
    const first = createVerificationRepairService({ ...testbed, queues: slow, log }).run(new AbortController().signal);
    await once(started.signal, 'abort');
    expect(await repair()).toBe(false);
    mayContinue.abort();
    expect(await first).toBe(true);
    expect(await repair()).toBe(true);
  });

  // This test comes last, because each later repair would enqueue all of these.
  test('are repaired on all pages', async () => {
    const { db, queues, addVerification } = testbed;
    const first = await addVerification();
    const many = `INSERT INTO verifications (webhook_id, state, next_attempt_at)
      SELECT webhook_id, 'pending', now() - interval '2 minutes' FROM verifications, generate_series(1, 1500) WHERE id = $1`;
    await db.pool.query(many, [first]);
    await repair();
    expect((await queues.listQueuedVerifications()).size).toBeGreaterThanOrEqual(1_500);
  });
});
