import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  claimDue,
  type ClaimRequest,
  softDeleteWebhook,
  updateWebhook,
  endDeliveries,
  listNewestDeliveries,
  leaseDue,
  listDueWebhooks,
  loadTasks,
  releaseLeases,
  resumeWebhook,
  renewLeases,
  rescueExpiredLeases,
  updateAccount,
  wakeAccount,
  type Due,
} from '../index.js';
import { endsBefore, until } from '@ringback/testing';
import { openTestLedger, type TestLedger } from '../ledger.fixture.js';

let ledger: TestLedger;
beforeAll(async () => void (ledger = await openTestLedger()));
afterAll(() => ledger.close());

const update = (id: string, assignmentsSql: string) =>
  ledger.db.pool.query(`UPDATE deliveries SET ${assignmentsSql} WHERE id = $1`, [id]);
const pause = (id: string) =>
  ledger.db.pool.query(`UPDATE webhooks SET paused_at = now(), pause_reason = 'failing' WHERE id = $1`, [id]);

/** A webhook with deliveries, the most overdue first. */
async function makeDeliveries(count: number): Promise<{ webhookId: string; ids: string[] }> {
  const webhookId = await ledger.makeWebhook();
  const reports = Array.from({ length: count }, (_, index): [string, string] => [`${webhookId}-${index}`, webhookId]);
  const ids: string[] = [];
  for (const event of await ledger.storeAll(reports)) ids.push(...(await ledger.deliveriesOf(event)));
  for (const [index, id] of ids.entries()) await update(id, `due_at = now() - interval '1 s' * ${count - index}`);
  return { webhookId, ids };
}

async function claimAll(limits: [string, number][], { channel = 'sms' as const, leaseMs = 60_000 } = {}) {
  const requests = limits.map(([webhookId, limit]): ClaimRequest => ({ webhookId, channel, limit }));
  return (await claimDue(ledger.db, requests, { leaseMs })).tasks;
}
const claim = async (webhookId: string, limit: number, leaseMs?: number) =>
  (await claimAll([[webhookId, limit]], leaseMs === undefined ? {} : { leaseMs })).map(({ id }) => id);
/** Makes leases expire as if their workers had died a moment ago. */
const expire = (ids: string[]) =>
  ledger.db.pool.query(`UPDATE deliveries SET lease_expires_at = now() - interval '1 ms' WHERE id = ANY($1::uuid[])`, [
    ids,
  ]);

test('a claim leases the requested number for each webhook, the most overdue first, with all their data', async () => {
  const [one, other] = [await makeDeliveries(3), await makeDeliveries(3)];
  const tasks = await claimAll([
    [one.webhookId, 1],
    [other.webhookId, 2],
  ]);
  const claimed = tasks.map(({ id }) => id);
  expect(claimed.sort()).toEqual([...one.ids.slice(0, 1), ...other.ids.slice(0, 2)].sort());
  for (const loaded of await loadTasks(ledger.db, claimed))
    expect({ ...tasks.find(({ id }) => id === loaded.id) }).toMatchObject({ ...loaded });
  expect(tasks[0]).toMatchObject({ payload: expect.any(String), uri: 'http://127.0.0.1:1/', attemptCount: 0 });
});

test('a claim returns a delivery whose event was deleted as an orphan, with the lease that ends it', async () => {
  const { webhookId, ids } = await makeDeliveries(3);
  const { rows } = await ledger.db.pool.query(
    'DELETE FROM events WHERE id = (SELECT event_id FROM deliveries WHERE id = $1) RETURNING id',
    [ids[1]],
  );
  expect(rows).toHaveLength(1);
  const request = { webhookId, channel: 'sms' as const, limit: 3 };
  const { tasks, orphans, leased } = await claimDue(ledger.db, [request], { leaseMs: 60_000 });
  expect(tasks.map(({ id }) => id).sort()).toEqual([ids[0], ids[2]].sort());
  expect(orphans).toMatchObject([{ id: ids[1], leasedAt: expect.any(String) }]);
  expect([...leased]).toEqual([[webhookId, { count: 3, lastDueAt: expect.any(String) }]]);
  await endDeliveries(
    ledger.db,
    orphans.map((orphan) => ({ ...orphan, state: 'failed', reason: 'its event was deleted' })),
  );
  const failed = await (await ledger.db.prisma()).delivery.findFirst({ where: { id: ids[1]! } });
  expect(failed).toMatchObject({ state: 'failed', reason: 'its event was deleted', dueAt: null, leaseExpiresAt: null });
});

test('nothing leases deliveries of a suspended account, and all do after its activation', async () => {
  const { webhookId, ids } = await makeDeliveries(2);
  const known = ids.map((id) => ({ id, webhookId }));
  const leased = await ledger.store(`${webhookId}-leased`, webhookId, {
    channels: ['sms'],
    leaseMs: 60_000,
    maxLeased: 1,
    maxLeasedPerAccount: 1,
    excludedWebhookIds: [],
  });
  const setStatus = (status: 'active' | 'suspended') => updateAccount(ledger.db, ledger.accountId, { status });
  const isListed = async () =>
    (await listDueWebhooks(ledger.db, { limit: 10_000, after: null })).due.some((due) => due.webhookId === webhookId);
  await setStatus('suspended');
  expect(await claim(webhookId, 2)).toEqual([]);
  expect((await leaseDue(ledger.db, known, { leaseMs: 60_000 })).tasks).toEqual([]);
  expect(await isListed()).toBe(false);
  // A delivery that a worker has leased before its attempt.
  const heldId = leased.leased[0]!.id;
  expect(leased.leased[0]).toMatchObject({ isOnHold: false });
  expect(await loadTasks(ledger.db, [heldId])).toMatchObject([{ isOnHold: true, attemptCount: 0 }]);
  expect(await ledger.store(`${webhookId}-late`, webhookId)).toMatchObject({ state: 'rejected' });
  expect(await setStatus('active')).toMatchObject({ isActivated: true });
  expect(await isListed()).toBe(true);
  const woken: Due[] = [];
  await wakeAccount(ledger.db, { wake: (due) => void woken.push(...due) }, ledger.accountId);
  expect(woken).toContainEqual(expect.objectContaining({ webhookId, channel: 'sms', id: null }));
  expect(await claim(webhookId, 2)).toEqual(ids);
});

test('claims at the same time never lease the same delivery', async () => {
  const { webhookId, ids } = await makeDeliveries(60);
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim(webhookId, 10)));
  const rest = await claim(webhookId, 60);
  expect([...claims.flat(), ...rest].sort()).toEqual([...ids].sort());
});

test('a claim leaves out a row that another transaction has locked', async () => {
  const { webhookId, ids } = await makeDeliveries(3);
  const client = await ledger.db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT FROM deliveries WHERE id = $1 FOR UPDATE', [ids[0]]);
    expect(await claim(webhookId, 2)).toEqual(expect.arrayContaining(ids.slice(1)));
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  expect(await claim(webhookId, 2)).toEqual(ids.slice(0, 1));
});

test('a delivery is not claimed before it is due, nor for another channel, nor under a lease', async () => {
  const { webhookId, ids } = await makeDeliveries(2);
  await update(ids[0]!, `due_at = now() + interval '1 hour'`);
  expect(await claimAll([[webhookId, 9]], { channel: 'rcs' as 'sms' })).toEqual([]);
  expect(await claim(webhookId, 9)).toEqual(ids.slice(1));
  expect(await claim(webhookId, 9)).toEqual([]);
  await update(ids[0]!, `due_at = now()`);
  expect(await claim(webhookId, 9)).toEqual(ids.slice(0, 1));
});

test('deliveries of a paused webhook wait until it is resumed', async () => {
  const { webhookId, ids } = await makeDeliveries(2);
  await pause(webhookId);
  expect(await claim(webhookId, 9)).toEqual([]);
  await resumeWebhook(ledger.db, ledger.accountId, webhookId);
  expect((await claim(webhookId, 9)).sort()).toEqual([...ids].sort());
});

test('deliveries of a paused webhook that became inactive or was deleted are claimed, to be skipped', async () => {
  const [inactive, deleted] = [await makeDeliveries(1), await makeDeliveries(1)];
  for (const { webhookId } of [inactive, deleted]) await pause(webhookId);
  await updateWebhook(ledger.db, ledger.accountId, inactive.webhookId, { active: false });
  await softDeleteWebhook(ledger.db, ledger.accountId, deleted.webhookId);
  const tasks = await claimAll([
    [inactive.webhookId, 1],
    [deleted.webhookId, 1],
  ]);
  expect(tasks.map(({ isActive, isDeleted }) => [isActive, isDeleted]).sort()).toEqual([
    [false, false],
    [false, true],
  ]);
});

test('a released lease can be claimed at once, or after its wait, and counts no crash', async () => {
  const { webhookId, ids } = await makeDeliveries(2);
  const tasks = await claimAll([[webhookId, 2]]);
  await releaseLeases(
    ledger.db,
    tasks.map((task) => ({ ...task, waitMs: task.id === ids[0] ? 0 : 3_600_000 })),
  );
  const again = await claimAll([[webhookId, 2]]);
  expect(again).toMatchObject([{ id: ids[0], expiredLeaseCount: 0, attemptCount: 0 }]);
  const { rows } = await ledger.db.pool.query(
    `SELECT due_at > now() + interval '59 minutes' AS waits, expired_lease_count FROM deliveries WHERE id = $1`,
    [ids[1]],
  );
  expect(rows).toEqual([{ waits: true, expired_lease_count: 0 }]);
});

test('a delivery whose workers crashed fails only under the lease that was claimed last', async () => {
  const { webhookId } = await makeDeliveries(1);
  const [first] = await claimAll([[webhookId, 1]]);
  await releaseLeases(ledger.db, [{ ...first!, waitMs: 0 }]);
  const [second] = await claimAll([[webhookId, 1]]);
  const stateNow = async () => (await listNewestDeliveries(ledger.db, { webhookId, limit: 1 }))[0]?.state;
  await endDeliveries(ledger.db, [{ ...first!, state: 'failed', reason: 'crashed' }]);
  expect(await stateNow()).toBe('pending');
  await endDeliveries(ledger.db, [{ ...second!, state: 'failed', reason: 'crashed' }]);
  expect(await stateNow()).toBe('failed');
});

const rescueAll = async (before = 'infinity') => (await rescueExpiredLeases(ledger.db, { before })).rescued;

test('a rescue leaves out a lease that expired after the given time', async () => {
  const { webhookId } = await makeDeliveries(1);
  const { now } = await rescueExpiredLeases(ledger.db, { before: '-infinity' });
  const claimed = await claimDue(ledger.db, [{ webhookId, channel: 'sms', limit: 1 }], { leaseMs: 1 });
  await until(async () => {
    const { rows } = await ledger.db.pool.query(
      'SELECT lease_expires_at < now() AS expired FROM deliveries WHERE id = $1',
      [claimed.tasks[0]?.id],
    );
    return rows[0]?.expired === true;
  });
  expect(await rescueAll(now)).toEqual([]);
  expect(await rescueAll()).toMatchObject([{ webhookId }]);
});

test('a lease can be renewed repeatedly and then released, but neither after it has ended', async () => {
  const { webhookId } = await makeDeliveries(1);
  const [task] = await claimAll([[webhookId, 1]]);
  const expiry = async () =>
    (await ledger.db.pool.query('SELECT lease_expires_at::text AS at FROM deliveries WHERE id = $1', [task!.id])).rows;
  const expiries = [await expiry()];
  for (const leaseMs of [90_000, 120_000]) {
    await renewLeases(ledger.db, [task!], { leaseMs });
    expiries.push(await expiry());
  }
  expect(new Set(expiries.map((rows) => JSON.stringify(rows))).size).toBe(3);
  expect(await loadTasks(ledger.db, [task!.id])).toMatchObject([{ leasedAt: task!.leasedAt }]);
  await releaseLeases(ledger.db, [{ ...task!, waitMs: 0 }]);
  await renewLeases(ledger.db, [task!], { leaseMs: 60_000 });
  const [again] = await claimAll([[webhookId, 1]]);
  expect(again!.leasedAt).not.toBe(task!.leasedAt);
  const expiresAt = await expiry();
  await renewLeases(ledger.db, [task!], { leaseMs: 120_000 });
  await releaseLeases(ledger.db, [{ ...task!, waitMs: 0 }]);
  expect(await expiry()).toEqual(expiresAt);
});

test('an expired lease is rescued once: it counts a crash, keeps its attempts and is due at once', async () => {
  const { webhookId, ids } = await makeDeliveries(3);
  await update(ids[0]!, `attempt_count = 2`);
  const claimed = await claim(webhookId, 2);
  expect(await rescueAll()).toEqual([]);
  await expire(claimed);
  const rescued = await Promise.all([rescueAll(), rescueAll()]);
  expect(rescued.flat().map(({ id }) => id)).toEqual(expect.arrayContaining(claimed));
  expect(rescued.flat()).toHaveLength(2);
  expect(rescued.flat()[0]).toMatchObject({ webhookId, channel: 'sms', accountId: ledger.accountId });
  const again = await claimAll([[webhookId, 3]]);
  const counts = again.map(({ id, attemptCount, expiredLeaseCount }) => [
    ids.indexOf(id),
    attemptCount,
    expiredLeaseCount,
  ]);
  expect(counts.sort()).toEqual([
    [0, 2, 1],
    [1, 0, 1],
    [2, 0, 0],
  ]);
});

test('webhooks with due deliveries are listed in pages, without those with only leased or later ones', async () => {
  await ledger.db.pool.query(
    `UPDATE deliveries SET state = 'skipped', due_at = NULL, leased_at = NULL, lease_expires_at = NULL`,
  );
  const made = [await makeDeliveries(2), await makeDeliveries(1), await makeDeliveries(1), await makeDeliveries(1)];
  const [leased, later, ...due] = made.map(({ webhookId }) => webhookId);
  await claim(leased!, 2);
  await update(made[1]!.ids[0]!, `due_at = now() + interval '1 hour'`);
  const listed: string[] = [];
  let after: Parameters<typeof listDueWebhooks>[1]['after'] = null;
  for (let pages = 0; pages < 10; pages++) {
    const page = await listDueWebhooks(ledger.db, { limit: 1, after });
    listed.push(...page.due.map(({ webhookId }) => webhookId));
    if (page.next === null) break;
    after = page.next;
  }
  expect(listed).toEqual([...due].sort());
  expect(listed).not.toContain(later);
});

test('a claim begins its search at the given time, and says when the last of its deliveries became due', async () => {
  const { webhookId, ids } = await makeDeliveries(3);
  for (const [index, id] of ids.entries()) await update(id, `due_at = now() - interval '${3 - index} minutes'`);
  const dueAtOf = async (id: string) => {
    const { rows } = await ledger.db.pool.query<{ at: string }>(
      `SELECT due_at::text AS at FROM deliveries WHERE id = $1`,
      [id],
    );
    return rows[0]!.at;
  };
  const dueFrom = await dueAtOf(ids[1]!);
  const request = { webhookId, channel: 'sms' as const, limit: 5, dueFrom };
  const { tasks, leased } = await claimDue(ledger.db, [request], { leaseMs: 60_000 });
  expect(tasks.map(({ id }) => ids.indexOf(id)).sort()).toEqual([1, 2]);
  expect([...leased]).toEqual([[webhookId, { count: 2, lastDueAt: await dueAtOf(ids[2]!) }]]);
});

describe('deliveries that are leased by their ids', () => {
  const lease = async (known: { webhookId: string; id: string }[]) => leaseDue(ledger.db, known, { leaseMs: 60_000 });
  const knownOf = ({ webhookId, ids }: { webhookId: string; ids: string[] }) => ids.map((id) => ({ webhookId, id }));

  test('get tasks as claimed ones do, and only one of two workers gets each', async () => {
    const made = [await makeDeliveries(2), await makeDeliveries(1)];
    const known = made.flatMap(knownOf);
    const results = await Promise.all([lease(known), lease(known.toReversed())]);
    const tasks = results.flatMap((result) => result.tasks);
    expect(tasks.map(({ id }) => id).sort()).toEqual(known.map(({ id }) => id).sort());
    expect(tasks).toEqual(
      await loadTasks(
        ledger.db,
        tasks.map(({ id }) => id),
      ).then((loaded) => tasks.map(({ id }) => loaded.find((task) => task.id === id))),
    );
  });

  test('are left out, without a wait, when another transaction has locked them', async () => {
    const { webhookId, ids } = await makeDeliveries(3);
    const client = await ledger.db.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM deliveries WHERE id = $1 FOR UPDATE', [ids[1]]);
      const known = ids.map((id) => ({ id, webhookId }));
      const { tasks } = await endsBefore(10_000, () => leaseDue(ledger.db, known, { leaseMs: 60_000 }));
      expect(tasks.map(({ id }) => id).sort()).toEqual([ids[0], ids[2]].sort());
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  test('are left out when they are not due, leased or final, or their webhook is paused or has a rate limit', async () => {
    const [later, leased, final, paused, limited] = [
      await makeDeliveries(1),
      await makeDeliveries(1),
      await makeDeliveries(1),
      await makeDeliveries(1),
      await makeDeliveries(1),
    ] as const;
    await update(later.ids[0]!, `due_at = now() + interval '1 hour'`);
    await claim(leased.webhookId, 1);
    await update(final.ids[0]!, `due_at = NULL, state = 'skipped'`);
    await ledger.db.pool.query(`UPDATE webhooks SET paused_at = now(), pause_reason = 'failing' WHERE id = $1`, [
      paused.webhookId,
    ]);
    await ledger.db.pool.query(`UPDATE webhooks SET rate_limit = 5 WHERE id = $1`, [limited.webhookId]);
    const result = await lease([later, leased, final, paused, limited].flatMap(knownOf));
    expect(result.tasks).toEqual([]);
    expect([...result.idsWithRateLimit]).toEqual([limited.webhookId]);
  });
});

test('a rescue reads the leases that expired since a time, and up to 5 s before it', async () => {
  const { webhookId } = await makeDeliveries(3);
  const claimed = await claim(webhookId, 3);
  const ages = [60, 4, 0];
  for (const [index, id] of claimed.entries())
    await update(id, `lease_expires_at = now() - interval '10 s' - interval '${ages[index]} s'`);
  const { rows } = await ledger.db.pool.query<{ at: string }>(`SELECT (now() - interval '10 s')::text AS at`);
  const { rescued } = await rescueExpiredLeases(ledger.db, { before: 'infinity', from: rows[0]!.at });
  expect(rescued.map(({ id }) => id).sort()).toEqual(claimed.slice(1).sort());
  expect((await rescueAll()).map(({ id }) => id)).toEqual([claimed[0]]);
});
