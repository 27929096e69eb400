import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { defaultRetrySettings } from '@ringback/rules';
import {
  countLedger,
  softDeleteWebhook,
  updateWebhook,
  checkLedger,
  findWebhook,
  listNewestDeliveries,
  listUnnotifiedPauses,
  markPauseNotified,
  scheduleNow,
  listDeliveries,
  measureLag,
  resumeWebhook,
  subscribe,
} from '@ringback/ledger';
import { backends, until } from '@ringback/testing';
import { openTestLedger } from '@ringback/ledger/fixture';
import { startTestbed, type Testbed } from '../worker.fixture.js';
import { createPauseNotifier } from './pause-notifier.js';

describe.each(backends)('a failing webhook on $name', ({ name }) => {
  let testbed: Testbed;
  let status = 500;
  beforeAll(async () => {
    // SMS retries come after 0.2 s; a webhook that fails for 1.5 s is paused.
    const retries = { ...defaultRetrySettings, smsRetries: 100, timeScale: 0.2 / 1_800 };
    const overrides = { retries, autoPauseRules: { failingAfterDays: 1.5 / 86_400, pauseOnGone: true } };
    testbed = await startTestbed(name, overrides);
    await testbed.addWorker(overrides);
    testbed.receiver.answerWith(({ path }) => ({ status: path.startsWith('/notified') ? 200 : status }));
  });
  afterAll(async () => {
    await testbed.close();
    expect(testbed.errors).toEqual([]);
  });

  const push = (webhookId: string, count?: number) => testbed.pushSamples('sms', { webhookId }, count);
  const deliveries = (webhookId: string) => listNewestDeliveries(testbed.db, { webhookId, limit: 100 });
  const loggedDeliveries = async (webhookId: string) =>
    (await listDeliveries(testbed.db, testbed.account.id, { filter: { webhookId }, cursor: null, perPage: 100 }))
      .deliveries;
  const waitUntilPaused = async (webhookId: string) => {
    const isPaused = async () => (await findWebhook(testbed.db, testbed.account.id, webhookId))?.pausedAt !== null;
    await until(isPaused);
    return findWebhook(testbed.db, testbed.account.id, webhookId);
  };
  const waitForPending = (webhookId: string, count: number) =>
    until(async () => (await loggedDeliveries(webhookId)).filter(({ state }) => state === 'pending').length === count);
  const callsOf = (id: string) => testbed.receiver.calls.filter(({ headers }) => headers['x-ringback-delivery'] === id);
  const resume = (webhookId: string) => resumeWebhook(testbed.db, testbed.account.id, webhookId);
  const waitForState = (webhookId: string, state: string, count: number) =>
    until(async () => (await deliveries(webhookId)).filter((delivery) => delivery.state === state).length === count);

  test('that fails for long is paused; its waiting deliveries are sent after it is resumed', async () => {
    status = 500;
    const { id } = await testbed.makeWebhook();
    await push(id);
    expect(await waitUntilPaused(id)).toMatchObject({ pauseReason: 'failing' });
    await waitForPending(id, 1);
    const attemptCountAtPause = (await deliveries(id))[0]!.attemptCount;
    await push(id, 3);
    await waitForPending(id, 4);
    expect((await deliveries(id)).map(({ state, attemptCount }) => [state, attemptCount])).toEqual([
      ['pending', 0],
      ['pending', 0],
      ['pending', 0],
      ['pending', attemptCountAtPause],
    ]);
    expect((await loggedDeliveries(id)).map(({ dueAt }) => dueAt)).toEqual([null, null, null, null]);
    expect(await measureLag(testbed.db)).toMatchObject({ sms: 0 });
    expect(await checkLedger(testbed.db, { since: new Date(0), limit: 10 })).toEqual([]);
    expect(await countLedger(testbed.db, new Date(0))).toMatchObject({ deliveries: { pending: 4 }, leased: 0 });

    status = 200;
    expect(await resume(id)).toMatchObject({ pausedAt: null, pauseReason: null });
    await waitForState(id, 'delivered', 4);
    expect((await deliveries(id)).map(({ attemptCount }) => attemptCount)).toEqual([1, 1, 1, attemptCountAtPause + 1]);
  });

  test('with a success in between is not paused', async () => {
    const { id } = await testbed.makeWebhook();
    for (status of [500, 200, 500, 200]) {
      const before = (await deliveries(id)).length;
      await push(id);
      await until(async () => {
        const current = await deliveries(id);
        return current.length > before && current[0]!.attemptCount > 0;
      });
    }
    await waitForState(id, 'delivered', 4);
    const { rows } = await testbed.db.pool.query('SELECT failing_since, paused_at FROM webhooks WHERE id = $1', [id]);
    expect(rows).toEqual([{ failing_since: null, paused_at: null }]);
  });

  test('that responds with 410 is paused at once, and the account gets one event', async () => {
    status = 410;
    const [gone, notified] = [
      await testbed.makeWebhook({ name: 'gone' }),
      await testbed.makeWebhook({ uri: `${testbed.receiver.origin}/notified` }),
    ];
    const subscription = { event: 'webhook:paused', identity: 'all' };
    await subscribe(testbed.db, testbed.account.id, { ...subscription, webhookId: notified.id });
    await subscribe(testbed.db, testbed.account.id, { ...subscription, webhookId: gone.id });
    await push(gone.id, 10);
    await waitUntilPaused(gone.id);
    await waitForState(notified.id, 'delivered', 1);
    const [delivery] = await deliveries(notified.id);
    const { body, headers } = callsOf(delivery!.id)[0]!;
    expect(headers['x-ringback-event']).toBe('webhook:paused');
    const webhook = await findWebhook(testbed.db, testbed.account.id, gone.id);
    expect(JSON.parse(body.toString())).toEqual({
      event: 'webhook:paused',
      payload: {
        webhook_id: gone.id,
        name: 'gone',
        reason: 'gone',
        failing_since: expect.stringMatching(/Z$/),
        paused_at: webhook!.pausedAt!.toISOString(),
      },
    });
    // The event about its own pause waits like the others.
    await waitForPending(gone.id, 11);
    expect(await deliveries(notified.id)).toHaveLength(1);
    await softDeleteWebhook(testbed.db, testbed.account.id, notified.id);
  });

  test('that is paused and deleted has its waiting deliveries skipped', async () => {
    status = 410;
    const { id } = await testbed.makeWebhook();
    await push(id, 2);
    await waitUntilPaused(id);
    await waitForPending(id, 2);
    await softDeleteWebhook(testbed.db, testbed.account.id, id);
    await waitForState(id, 'skipped', 2);
    expect((await deliveries(id)).map(({ reason }) => reason)).toEqual(['webhook deleted', 'webhook deleted']);
  });

  test('that is paused and becomes inactive has its waiting deliveries skipped, and stays paused', async () => {
    status = 410;
    const { id } = await testbed.makeWebhook();
    await push(id);
    await waitUntilPaused(id);
    await updateWebhook(testbed.db, testbed.account.id, id, { active: false });
    await push(id);
    await waitForState(id, 'skipped', 2);
    expect(await findWebhook(testbed.db, testbed.account.id, id)).toMatchObject({ pauseReason: 'gone' });
  });

  test('that is paused keeps resent deliveries until it is resumed', async () => {
    status = 200;
    const { id } = await testbed.makeWebhook();
    await push(id);
    await waitForState(id, 'delivered', 1);
    const [first] = await deliveries(id);
    status = 410;
    await push(id);
    await waitUntilPaused(id);
    await waitForPending(id, 1);
    expect(await scheduleNow(testbed, testbed.account.id, first!)).toBeNull();
    await waitForPending(id, 2);
    status = 200;
    await resume(id);
    await waitForState(id, 'delivered', 2);
    expect(callsOf(first!.id)).toHaveLength(2);
  });
});

test('a pause that began after the last one was listed is not marked as notified with that one', async () => {
  const ledger = await openTestLedger();
  try {
    const { db, accountId } = ledger;
    const webhookId = await ledger.makeWebhook();
    const pause = () =>
      db.pool.query(
        `UPDATE webhooks SET paused_at = clock_timestamp(), pause_reason = 'gone', failing_since = clock_timestamp()
          WHERE id = $1`,
        [webhookId],
      );
    const list = () => listUnnotifiedPauses(db, { limit: 10 });
    await pause();
    const [first] = await list();
    await resumeWebhook(db, accountId, webhookId);
    await until(() => Date.now() > first!.pausedAt.getTime() + 1);
    await pause();
    expect(await markPauseNotified(db, first!)).toBe(false);
    const [second] = await list();
    expect(await markPauseNotified(db, second!)).toBe(true);
    expect(await list()).toEqual([]);
  } finally {
    await ledger.close();
  }
});

test('a pause made by hand is announced, also when the event of an earlier pause cannot be stored', async () => {
  const ledger = await openTestLedger();
  try {
    const { db } = ledger;
    const ids = [await ledger.makeWebhook(), await ledger.makeWebhook()].sort();
    await db.pool.query(`UPDATE webhooks SET paused_at = clock_timestamp(), pause_reason = 'failing'`);
    await db.pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.payload LIKE '%${ids[0]}%')
        EXECUTE FUNCTION refuse()`);
    const logged: unknown[] = [];
    const note = (event: string, fields?: object) => void logged.push([event, fields]);
    const log = { error: note, warn: note, info: note, debug: note };
    const rules = { failingAfterDays: 0, pauseOnGone: false };
    await createPauseNotifier({ db, log }, rules).run(new AbortController().signal);
    expect(logged).toEqual([
      ['pause_notifier.failed', expect.objectContaining({ webhook_id: ids[0] })],
      ['webhook.paused', expect.objectContaining({ webhook_id: ids[1] })],
    ]);
    const { paused_at: pausedAt, failing_since: failingSince } = JSON.parse(
      (await (await db.prisma()).event.findFirstOrThrow()).payload!,
    );
    expect(failingSince).toBe(pausedAt);
  } finally {
    await ledger.close();
  }
});
