import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  storeEvents,
  claimDue,
  createWaker,
  listNewestDeliveries,
  listenForWakeUps,
  resumeWebhook,
} from '@ringback/database';
import { sampleEvent } from '@ringback/samples';
import { backends, until } from '@ringback/testing';
import { openScene, type Scene } from '../worker.fixture.js';

const channel = 'sms' as const;

/** Stores an SMS report for the webhook without leasing its delivery and without a wake-up. */
async function store({ db, account }: Scene, webhookId: string, id = `${Math.random()}`) {
  const event = { name: 'sms:message:status' as const, accountId: account.id, webhookId, identity: null };
  await storeEvents(db, [{ ...event, externalId: id, messageId: id, mobile: null, payload: JSON.stringify({ id }) }]);
  return (await listNewestDeliveries(db, { webhookId, limit: 1 }))[0]!;
}
const pause = ({ db }: Scene, id: string) =>
  db.pool.query(`UPDATE webhooks SET paused_at = now(), pause_reason = 'failing', pause_told = true WHERE id = $1`, [
    id,
  ]);
const set = ({ db }: Scene, id: string, what: string) =>
  db.pool.query(`UPDATE deliveries SET ${what} WHERE id = $1`, [id]);
const rowOf = async ({ db }: Scene, id: string) => {
  const columns = `state, attempts, crash_count, lease_expires_at IS NULL AS free, due_at > now() + interval '5 s' AS waits`;
  return (await db.pool.query(`SELECT ${columns} FROM deliveries WHERE id = $1`, [id])).rows[0] as Record<
    string,
    unknown
  >;
};
/** The connections that listen for wake-ups. */
const listeners = async ({ db }: Scene) => {
  const found = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN ringback_due%'`;
  return (await db.pool.query<{ pid: number }>(found)).rows.map(({ pid }) => pid);
};

describe.each(backends)('a dispatcher on $name', ({ name }) => {
  let scene: Scene;
  beforeAll(async () => void (scene = await openScene(name)));
  afterAll(async () => {
    await scene.close();
    expect(scene.errors).toEqual([]);
  });

  const due = (webhookId: string) => ({ webhookId, channel, accountId: scene.account.id });
  /**
   * Stores a delivery that only a wake-up makes known. A scan does not find it, because it has been due for long. The
   * list of all webhooks does not find it for half a minute, because the worker has just read that list.
   */
  const storeUnseen = async (webhookId: string) => {
    await pause(scene, webhookId);
    const { id } = await store(scene, webhookId);
    await set(scene, id, `due_at = now() - interval '1 hour'`);
    await resumeWebhook(scene.db, scene.account.id, webhookId);
  };
  const warmUp = async () => {
    const { id } = await scene.makeWebhook();
    await store(scene, id);
    await scene.waitForDelivery({ webhookId: id }, 'delivered');
  };

  test('finds what was stored without a wake-up', warmUp);

  test('is woken when another process stores a delivery, and hears it again after its connection broke', async () => {
    await warmUp();
    const { id: webhookId } = await scene.makeWebhook();
    await storeUnseen(webhookId);
    scene.waker.wake([due(webhookId)]);
    await scene.waitForDelivery({ webhookId }, 'delivered');

    const before = await listeners(scene);
    expect(before).toHaveLength(1);
    await scene.db.pool.query('SELECT pg_terminate_backend($1)', before);
    await until(async () => (await listeners(scene)).some((pid) => !before.includes(pid)));
    const { id: other } = await scene.makeWebhook();
    await storeUnseen(other);
    scene.waker.wake([due(other)]);
    await scene.waitForDelivery({ webhookId: other }, 'delivered');
  });

  test('makes the deliveries of a worker that died, each once', async () => {
    const { id: webhookId } = await scene.makeWebhook({ uri: `${scene.receiver.origin}/left-${name}` });
    await pause(scene, webhookId);
    const ids = [await store(scene, webhookId), await store(scene, webhookId)].map(({ id }) => id);
    // The state in which a dead worker leaves claimed deliveries.
    for (const id of ids) await set(scene, id, `lease_expires_at = now() + interval '300 ms'`);
    await resumeWebhook(scene.db, scene.account.id, webhookId);
    await until(
      async () => (await listNewestDeliveries(scene.db, { webhookId, state: 'delivered', limit: 9 })).length === 2,
    );
    for (const id of ids)
      expect(await rowOf(scene, id)).toMatchObject({ state: 'delivered', attempts: 1, crash_count: 0, free: true });
    expect(scene.receiver.calls.filter(({ path }) => path === `/left-${name}`)).toHaveLength(2);
  });

  test('delivers events that were stored before any worker started', async () => {
    const late = await openScene(name, { roles: new Set(['verify']) });
    try {
      const { id: webhookId } = await late.makeWebhook();
      const { id } = await store(late, webhookId);
      await set(late, id, `due_at = now() - interval '1 day'`);
      await late.addWorker({ roles: new Set(['deliver-sms']) });
      await late.waitForDelivery({ webhookId }, 'delivered');
      expect(late.errors).toEqual([]);
    } finally {
      await late.close();
    }
  });
});

describe.each(backends)('a delivery with an internal error on $name', ({ name }) => {
  let scene: Scene;
  beforeAll(async () => void (scene = await openScene(name)));
  afterAll(() => scene.close());

  const push = async (webhookId: string, count: number) => {
    const jobs = Array.from({ length: count }, () => {
      const { event, ...data } = sampleEvent('rcs-in', { webhookId });
      return { name: event, data: { ...data, event_id: `${Math.random()}` } };
    });
    await scene.queues.pushEvents('rcs', jobs);
  };

  /** Simulates that four workers claim the delivery and die. */
  const crash = async (id: string) => {
    for (let crashes = 1; crashes <= 4; crashes++) {
      await set(scene, id, `lease_expires_at = now() - interval '1 ms'`);
      await until(async () => (await rowOf(scene, id)).crash_count === crashes, `crash ${crashes} is counted`);
    }
  };
  const expectFailed = async (webhookId: string) => {
    await resumeWebhook(scene.db, scene.account.id, webhookId);
    scene.waker.wake([{ webhookId, channel, accountId: scene.account.id }]);
    const failed = await scene.waitForDelivery({ webhookId }, 'failed');
    expect(failed).toMatchObject({
      reason: 'its lease expired 4 times: workers crashed or were cut off from PostgreSQL',
      attemptCount: 0,
      attempts: [],
    });
  };

  test('that kills its workers fails with the reason, with and without a rate limit, while others arrive', async () => {
    const webhooks = [await scene.makeWebhook(), await scene.makeWebhook({ rateLimit: 5 })];
    const { id: other } = await scene.makeWebhook();
    const killers: string[] = [];
    for (const { id } of webhooks) {
      await pause(scene, id);
      killers.push((await store(scene, id)).id);
    }
    await push(other, 20);
    await Promise.all(killers.map(crash));
    await Promise.all(webhooks.map(({ id }) => expectFailed(id)));
    const arrived = () => listNewestDeliveries(scene.db, { webhookId: other, state: 'delivered', limit: 99 });
    await until(async () => (await arrived()).length === 20, 'the others are delivered');
  });

  test('waits, counts neither a crash nor an attempt, and is delivered when the failure is over', async () => {
    const { id: webhookId } = await scene.makeWebhook();
    await pause(scene, webhookId);
    const { id } = await store(scene, webhookId);
    // PostgreSQL refuses to record the attempt, with an error that is not transient.
    await scene.db.pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON attempts FOR EACH ROW WHEN (NEW.delivery_id = '${id}') EXECUTE FUNCTION refuse()`);
    await resumeWebhook(scene.db, scene.account.id, webhookId);
    scene.waker.wake([{ webhookId, channel, accountId: scene.account.id }]);
    const isWaiting = { state: 'pending', attempts: 0, crash_count: 0, free: true, waits: true };
    await until(async () => (await rowOf(scene, id)).waits === true);
    expect(await rowOf(scene, id)).toEqual(isWaiting);
    expect(scene.errors).toContainEqual(['delivery.error', expect.objectContaining({ delivery_id: id })]);
    await scene.db.pool.query('DROP FUNCTION refuse CASCADE');
    await set(scene, id, 'due_at = now()');
    await scene.waitForDelivery({ webhookId }, 'delivered');
  });
});

describe('wake-ups', () => {
  let scene: Scene;
  // The worker's role is `verify`, so it neither listens nor claims.
  beforeAll(async () => void (scene = await openScene('postgres', { roles: new Set(['verify']) })));
  afterAll(() => scene.close());

  /** What a listener hears until it is stopped. */
  const listen = () => {
    const heard: string[] = [];
    let gaps = 0;
    const stop = listenForWakeUps(scene.db, {
      onDue: (due) => heard.push(...due.map(({ webhookId }) => webhookId)),
      onMissed: () => gaps++,
    });
    return { heard, gaps: () => gaps, stop };
  };
  const one = (webhookId: string) => ({ webhookId, channel, accountId: scene.account.id });

  test('name the webhooks, and concurrent ones share a notification', async () => {
    const { heard, gaps, stop } = listen();
    try {
      await until(() => gaps() === 1);
      const { id } = await scene.makeWebhook();
      const waker = createWaker(scene.db, (error) => scene.errors.push([error]));
      for (let times = 0; times < 10; times++) waker.wake([one(id), one(`other ${times % 2}`.replace(' ', '-'))]);
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
      scene.waker.wake(Array.from({ length: 500 }, (_, index) => one(`webhook-${index}`)));
      await until(() => heard.length >= 500);
      expect([new Set(heard).size, gaps()]).toEqual([500, 1]);
    } finally {
      await stop();
    }
  });

  test('report a gap when their connection is back, and end with the listener', async () => {
    const { gaps, stop } = listen();
    await until(() => gaps() === 1);
    const [pid] = await listeners(scene);
    await scene.db.pool.query('SELECT pg_terminate_backend($1)', [pid]);
    await until(() => gaps() === 2);
    await stop();
    await until(async () => (await listeners(scene)).length === 0);
  });

  test('are not needed to claim', async () => {
    const { id: webhookId } = await scene.makeWebhook();
    const { id } = await store(scene, webhookId);
    const { tasks } = await claimDue(scene.db, [{ webhookId, channel, limit: 1 }], { leaseMs: 60_000 });
    expect(tasks.map((task) => task.id)).toEqual([id]);
  });
});
