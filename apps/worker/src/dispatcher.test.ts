import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  storeEvents,
  claimDue,
  Waker,
  listNewestDeliveries,
  WakeUpListener,
  unknownDueAt,
  resumeWebhook,
} from '@ringback/ledger';
import { backends, endsBefore, until } from '@ringback/testing';
import { startTestbed, type Testbed } from './worker.fixture.js';

const channel = 'sms' as const;

/** Stores an SMS report for the webhook without leasing its delivery and without a wake-up. */
async function store({ db, account }: Testbed, webhookId: string, id = `${Math.random()}`) {
  const event = { name: 'sms:message:status' as const, accountId: account.id, webhookId, identity: null };
  await storeEvents(db, [
    { ...event, platformEventId: id, messageId: id, mobile: null, payload: JSON.stringify({ id }) },
  ]);
  return (await listNewestDeliveries(db, { webhookId, limit: 1 }))[0]!;
}
/** Due deliveries of a webhook of which nothing more is known. */
const dueOf = ({ account }: Testbed, webhookId: string) => ({
  webhookId,
  channel,
  accountId: account.id,
  id: null,
  dueAt: unknownDueAt,
});
const pause = ({ db }: Testbed, id: string) =>
  db.pool.query(
    `UPDATE webhooks SET paused_at = now(), pause_reason = 'failing', pause_notified_at = now() WHERE id = $1`,
    [id],
  );
const updateDelivery = ({ db }: Testbed, id: string, assignmentsSql: string) =>
  db.pool.query(`UPDATE deliveries SET ${assignmentsSql} WHERE id = $1`, [id]);
const rowOf = async ({ db }: Testbed, id: string) => {
  const columns = `state, attempt_count, expired_lease_count, lease_expires_at IS NULL AS unleased,
    due_at > now() + interval '5 s' AS due_later`;
  return (await db.pool.query(`SELECT ${columns} FROM deliveries WHERE id = $1`, [id])).rows[0] as Record<
    string,
    unknown
  >;
};
/** The connections that listen for wake-ups. */
const listeners = async ({ db }: Testbed) => {
  const listenersSql = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND (query LIKE 'LISTEN ringback_due%' OR query LIKE '/* listens */%')`;
  return (await db.pool.query<{ pid: number }>(listenersSql)).rows.map(({ pid }) => pid);
};

describe.each(backends)('a dispatcher on $name', ({ name }) => {
  let testbed: Testbed;
  beforeAll(async () => void (testbed = await startTestbed(name)));
  afterAll(async () => {
    await testbed.close();
    expect(testbed.errors).toEqual([]);
  });

  /**
   * Stores a delivery that only a wake-up makes known. A scan does not find it, because it has been due for long. The
   * sweep does not find it for half a minute, because the worker has just swept.
   */
  const storeUnseen = async (webhookId: string) => {
    await pause(testbed, webhookId);
    const { id } = await store(testbed, webhookId);
    await updateDelivery(testbed, id, `due_at = now() - interval '1 hour'`);
    await resumeWebhook(testbed.db, testbed.account.id, webhookId);
  };
  const deliverWithoutWakeUp = async () => {
    const { id } = await testbed.makeWebhook();
    await store(testbed, id);
    await testbed.waitForDelivery({ webhookId: id }, 'delivered');
  };

  test('delivers an event that was stored without a wake-up', deliverWithoutWakeUp);

  test('is woken by a notification, and listens again after its connection broke', async () => {
    await deliverWithoutWakeUp();
    const { id: webhookId } = await testbed.makeWebhook();
    await storeUnseen(webhookId);
    testbed.waker.wake([dueOf(testbed, webhookId)]);
    await testbed.waitForDelivery({ webhookId }, 'delivered');

    // The delivery may have been found by a scan before the listener was connected.
    await until(async () => (await listeners(testbed)).length === 1);
    const before = await listeners(testbed);
    await testbed.db.pool.query('SELECT pg_terminate_backend($1)', before);
    await until(async () => (await listeners(testbed)).some((pid) => !before.includes(pid)));
    const { id: other } = await testbed.makeWebhook();
    await storeUnseen(other);
    testbed.waker.wake([dueOf(testbed, other)]);
    await testbed.waitForDelivery({ webhookId: other }, 'delivered');
  });

  test('attempts each delivery that a dead worker leased, once', async () => {
    const { id: webhookId } = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}/left-${name}` });
    await pause(testbed, webhookId);
    const ids = [await store(testbed, webhookId), await store(testbed, webhookId)].map(({ id }) => id);
    // The state in which a dead worker leaves claimed deliveries.
    for (const id of ids)
      await updateDelivery(testbed, id, `leased_at = now(), lease_expires_at = now() + interval '300 ms'`);
    await resumeWebhook(testbed.db, testbed.account.id, webhookId);
    await until(
      async () => (await listNewestDeliveries(testbed.db, { webhookId, state: 'delivered', limit: 9 })).length === 2,
    );
    for (const id of ids)
      expect(await rowOf(testbed, id)).toMatchObject({
        state: 'delivered',
        attempt_count: 1,
        expired_lease_count: 0,
        unleased: true,
      });
    expect(testbed.receiver.calls.filter(({ path }) => path === `/left-${name}`)).toHaveLength(2);
  });

  test('delivers events that were stored before any worker started', async () => {
    const late = await startTestbed(name, { roles: new Set(['verify']) });
    try {
      const { id: webhookId } = await late.makeWebhook();
      const { id } = await store(late, webhookId);
      await updateDelivery(late, id, `due_at = now() - interval '1 day'`);
      await late.addWorker({ roles: new Set(['deliver-sms']) });
      await late.waitForDelivery({ webhookId }, 'delivered');
      expect(late.errors).toEqual([]);
    } finally {
      await late.close();
    }
  });
});

describe.each(backends)('a delivery that cannot be attempted or recorded on $name', ({ name }) => {
  let testbed: Testbed;
  beforeAll(async () => void (testbed = await startTestbed(name)));
  afterAll(() => testbed.close());

  /** Simulates that four workers claim the delivery and die. */
  const crash = async (id: string) => {
    for (let crashes = 1; crashes <= 4; crashes++) {
      await updateDelivery(testbed, id, `leased_at = now(), lease_expires_at = now() - interval '1 ms'`);
      await until(
        async () => (await rowOf(testbed, id)).expired_lease_count === crashes,
        `crash ${crashes} is counted`,
      );
    }
  };
  const expectFailed = async (webhookId: string) => {
    await resumeWebhook(testbed.db, testbed.account.id, webhookId);
    testbed.waker.wake([dueOf(testbed, webhookId)]);
    const failed = await testbed.waitForDelivery({ webhookId }, 'failed');
    expect(failed).toMatchObject({
      reason: 'its lease expired 4 times: workers crashed or were cut off from PostgreSQL',
      attemptCount: 0,
      attempts: [],
    });
  };

  test('fails with the reason if it kills its workers, with and without a rate limit', async () => {
    const webhooks = [await testbed.makeWebhook(), await testbed.makeWebhook({ rateLimit: 5 })];
    const { id: other } = await testbed.makeWebhook();
    const killers: string[] = [];
    for (const { id } of webhooks) {
      await pause(testbed, id);
      killers.push((await store(testbed, id)).id);
    }
    await testbed.pushSamples('rcs-in', { webhookId: other }, 20);
    await Promise.all(killers.map(crash));
    await Promise.all(webhooks.map(({ id }) => expectFailed(id)));
    const arrived = () => listNewestDeliveries(testbed.db, { webhookId: other, state: 'delivered', limit: 99 });
    await until(async () => (await arrived()).length === 20, 'the others are delivered');
  });

  test('fails with the reason if its event was deleted, and those beside it are delivered', async () => {
    const { id: webhookId } = await testbed.makeWebhook();
    await pause(testbed, webhookId);
    const orphan = await store(testbed, webhookId);
    // More than the first search asks for.
    for (let count = 0; count < 7; count++) await store(testbed, webhookId);
    await testbed.db.pool.query('DELETE FROM events WHERE id = $1', [orphan.eventId]);
    // No scan finds them, and the next sweep begins 30 s after the last one.
    const longDueSql = `UPDATE deliveries SET due_at = due_at - interval '1 hour' WHERE webhook_id = $1`;
    await testbed.db.pool.query(longDueSql, [webhookId]);
    await resumeWebhook(testbed.db, testbed.account.id, webhookId);
    testbed.waker.wake([dueOf(testbed, webhookId)]);
    const ended = () => listNewestDeliveries(testbed.db, { webhookId, limit: 9 });
    await endsBefore(25_000, () => until(async () => (await ended()).every(({ state }) => state !== 'pending')));
    expect((await ended()).map(({ state }) => state)).toEqual([...Array<string>(7).fill('delivered'), 'failed']);
    expect(await rowOf(testbed, orphan.id)).toMatchObject({ attempt_count: 0, unleased: true });
  });

  test('is recorded without details if PostgreSQL refuses these, and its callback is not repeated', async () => {
    const path = `/refused-${name}`;
    const { id: webhookId } = await testbed.makeWebhook({ uri: `${testbed.receiver.origin}${path}` });
    const refuseSql = `ALTER TABLE attempts ADD CONSTRAINT no_details CHECK (url NOT LIKE '%${path}' OR request_headers IS NULL)`;
    await testbed.db.pool.query(refuseSql);
    await store(testbed, webhookId);
    testbed.waker.wake([dueOf(testbed, webhookId)]);
    const { id, attempts } = await testbed.waitForDelivery({ webhookId }, 'delivered');
    expect(attempts).toEqual([expect.objectContaining({ number: 1, statusCode: 200, responseHeaders: null })]);
    expect(testbed.errors).toContainEqual(['attempt.unstorable', expect.objectContaining({ delivery_id: id })]);
    expect(testbed.receiver.calls.filter((call) => call.path === path)).toHaveLength(1);
    await testbed.db.pool.query('ALTER TABLE attempts DROP CONSTRAINT no_details');
  });

  test('waits, counts neither a crash nor an attempt, and is delivered when recording works again', async () => {
    const { id: webhookId } = await testbed.makeWebhook();
    await pause(testbed, webhookId);
    const { id } = await store(testbed, webhookId);
    // PostgreSQL refuses to record the attempt, with an error that is not transient.
    await testbed.db.pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON attempts FOR EACH ROW WHEN (NEW.delivery_id = '${id}') EXECUTE FUNCTION refuse()`);
    await resumeWebhook(testbed.db, testbed.account.id, webhookId);
    testbed.waker.wake([dueOf(testbed, webhookId)]);
    const isWaiting = { state: 'pending', attempt_count: 0, expired_lease_count: 0, unleased: true, due_later: true };
    await until(async () => (await rowOf(testbed, id)).due_later === true);
    expect(await rowOf(testbed, id)).toEqual(isWaiting);
    expect(testbed.errors).toContainEqual(['delivery.error', expect.objectContaining({ delivery_id: id })]);
    await testbed.db.pool.query('DROP FUNCTION refuse CASCADE');
    await updateDelivery(testbed, id, 'due_at = now()');
    await testbed.waitForDelivery({ webhookId }, 'delivered');
  });
});

describe('wake-ups', () => {
  let testbed: Testbed;
  // The worker's role is `verify`, so it neither listens nor claims.
  beforeAll(async () => void (testbed = await startTestbed('postgres', { roles: new Set(['verify']) })));
  afterAll(() => testbed.close());

  /** What a listener hears until it is stopped. */
  const listen = () => {
    const heard: string[] = [];
    let gaps = 0;
    const listener = new WakeUpListener(testbed.db, {
      onDue: (due) => heard.push(...due.map(({ webhookId }) => webhookId)),
      onMissed: () => gaps++,
    });
    return { heard, gaps: () => gaps, stop: () => listener.stop() };
  };

  test('name the webhooks, and concurrent ones share a notification', async () => {
    const { heard, gaps, stop } = listen();
    try {
      await until(() => gaps() === 1);
      const { id } = await testbed.makeWebhook();
      const waker = new Waker(testbed.db, (error) => testbed.errors.push([error]));
      for (let times = 0; times < 10; times++) waker.wake([dueOf(testbed, id), dueOf(testbed, `other-${times % 2}`)]);
      await waker.close();
      await until(() => heard.length > 0);
      expect(heard.toSorted()).toEqual([id, 'other-0', 'other-1'].toSorted());
    } finally {
      await stop();
    }
  });

  test('for more webhooks than fit into one notification name them all', async () => {
    const { heard, gaps, stop } = listen();
    try {
      await until(() => gaps() === 1);
      testbed.waker.wake(Array.from({ length: 500 }, (_, index) => dueOf(testbed, `webhook-${index}`)));
      await until(() => heard.length >= 500);
      expect([new Set(heard).size, gaps()]).toEqual([500, 1]);
    } finally {
      await stop();
    }
  });

  test('report a gap when their connection is back, and end with the listener', async () => {
    const { gaps, stop } = listen();
    await until(() => gaps() === 1);
    const [pid] = await listeners(testbed);
    await testbed.db.pool.query('SELECT pg_terminate_backend($1)', [pid]);
    await until(() => gaps() === 2);
    await stop();
    await until(async () => (await listeners(testbed)).length === 0);
  });

  test('are not needed to claim', async () => {
    const { id: webhookId } = await testbed.makeWebhook();
    const { id } = await store(testbed, webhookId);
    const { tasks } = await claimDue(testbed.db, [{ webhookId, channel, limit: 1 }], { leaseMs: 60_000 });
    expect(tasks.map((task) => task.id)).toEqual([id]);
  });
});
