import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createNaming, defaultNaming, defaultRetrySettings, parseAllowList } from '@ringback/rules';
import {
  claimDue,
  type Database,
  type DeliveryTask,
  type Lease,
  renewLeases,
  rescueExpiredLeases,
  SecretDecrypter,
} from '@ringback/ledger';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { Attempter } from './attempt.js';
import { openTestLedger, type TestLedger } from '@ringback/ledger/fixture';
import { Recorder } from './recorder.js';
import { Sender } from './sender/send.js';

const leaseMs = 60_000;
const logged: string[] = [];
const batches: [name: string, size: number][] = [];
const note = (event: string) => void logged.push(event);
const log = { error: note, warn: note, info: note, debug: note };

let ledger: TestLedger;
let worker: Database;
let receiver: Receiver;
let sender: Sender;
let recorder: Recorder;
let webhookId: string;
beforeAll(async () => {
  ledger = await openTestLedger();
  worker = ledger.openWorkerDb();
  receiver = await startReceiver();
  sender = new Sender({ timeoutMs: 20_000, allow: parseAllowList('127.0.0.0/8'), proxy: undefined });
  recorder = new Recorder({
    db: worker,
    log,
    autoPauseRules: { failingAfterDays: 0, pauseOnGone: false },
    metrics: { observeBatch: (name, size) => void batches.push([name, size]) },
    retryWhileUnavailable: (run) => run(),
  });
});
afterAll(async () => {
  sender.close();
  await receiver.close();
  await worker.close();
  await ledger.close();
});
beforeEach(async () => void (webhookId = await ledger.makeWebhook({ uri: `${receiver.origin}/` })));

/** Claims `count` new deliveries. */
async function claimNew(count: number): Promise<DeliveryTask[]> {
  await ledger.storeAll(Array.from({ length: count }, (_, index) => [`${webhookId}-${index}`, webhookId]));
  return claim(count);
}
const claim = async (limit: number) =>
  (await claimDue(worker, [{ webhookId, channel: 'sms', limit }], { leaseMs })).tasks;
/** Renews leases as a worker does that has not read the reply to the committed statement. */
const renewUnnoticed = (tasks: DeliveryTask[]) => renewLeases(worker, tasks, { leaseMs });
const rowsOf = async (tasks: DeliveryTask[]) => {
  const columns = `state, attempt_count AS attempts, expired_lease_count AS crashes, lease_expires_at IS NULL AS free`;
  const statement = `SELECT ${columns} FROM deliveries WHERE id = ANY($1::uuid[])`;
  return (await worker.pool.query(statement, [tasks.map(({ id }) => id)])).rows as unknown[];
};
const callsOf = (tasks: DeliveryTask[]) =>
  receiver.calls.filter(({ headers }) => tasks.some(({ id }) => id === headers['x-ringback-delivery']));

/** Attempts a delivery that was loaded long ago, as after a wait for a permit, or just now. */
function attempt(task: DeliveryTask, { isDenied = false, loadedAtMonotonicMs = -Infinity } = {}) {
  const permit = { tryStartRequest: () => true, reportRequestEnd: () => null, release: () => undefined };
  const attempter = new Attempter(
    {
      secrets: new SecretDecrypter(worker, log),
      recorder,
      sender,
      log,
      tracer: undefined,
      limiter: { acquire: async () => (isDenied ? null : permit) },
      metrics: { callbackStarted: () => undefined, callbackEnded: () => undefined, observeAttempt: () => undefined },
    },
    {
      retries: defaultRetrySettings,
      requireVerification: false,
      isDeliveryOff: false,
      naming: createNaming(defaultNaming, '1.2.3'),
    },
  );
  return attempter.attempt(task, { loadedAtMonotonicMs, sendByMonotonicMs: Infinity });
}

test('a delivery is attempted although the reply to the renewal of its lease has not arrived', async () => {
  const tasks = await claimNew(1);
  await renewUnnoticed(tasks);
  await attempt(tasks[0]!);
  expect(await rowsOf(tasks)).toEqual([{ state: 'delivered', attempts: 1, crashes: 0, free: true }]);
  expect(callsOf(tasks)).toHaveLength(1);
});

test('a delivery is released although the reply to the renewal of its lease has not arrived', async () => {
  const tasks = await claimNew(1);
  await renewUnnoticed(tasks);
  expect(await attempt(tasks[0]!, { isDenied: true })).toEqual({ type: 'dueNow' });
  expect(await rowsOf(tasks)).toEqual([{ state: 'pending', attempts: 0, crashes: 0, free: true }]);
});

test('deliveries whose leases are renewed during their attempts are delivered once, without a crash', async () => {
  const tasks = await claimNew(60);
  let isOver = false;
  const renewing = (async () => {
    while (!isOver) await renewUnnoticed(tasks);
  })();
  await Promise.all(tasks.map((task) => attempt(task)));
  isOver = true;
  await renewing;
  expect(await rowsOf(tasks)).toEqual(tasks.map(() => ({ state: 'delivered', attempts: 1, crashes: 0, free: true })));
  expect(callsOf(tasks)).toHaveLength(60);
});

test('a worker whose lease was rescued neither sends the callback nor renews, releases or ends the delivery', async () => {
  const lost = await claimNew(1);
  await worker.pool.query(`UPDATE deliveries SET lease_expires_at = now() - interval '1 ms' WHERE id = $1`, [
    lost[0]!.id,
  ]);
  await rescueExpiredLeases(worker, { before: 'infinity' });
  const current = await claim(1);
  const expiry = async () =>
    (await worker.pool.query('SELECT lease_expires_at::text AS at FROM deliveries WHERE id = $1', [current[0]!.id]))
      .rows;
  const expiresAt = await expiry();
  await renewUnnoticed(lost);
  await attempt(lost[0]!, { isDenied: true });
  await attempt(lost[0]!);
  await attempt({ ...lost[0]!, isActive: false }, { loadedAtMonotonicMs: performance.now() });
  expect(logged).not.toContain('delivery.skipped');
  await recorder.end({ ...lost[0]!, state: 'failed', reason: 'crashed' });
  expect([await expiry(), callsOf(lost)]).toEqual([expiresAt, []]);
  expect(await rowsOf(current)).toEqual([{ state: 'pending', attempts: 0, crashes: 1, free: false }]);
  await attempt(current[0]!);
  expect(await rowsOf(current)).toEqual([{ state: 'delivered', attempts: 1, crashes: 0, free: true }]);
  expect(callsOf(current)).toHaveLength(1);
});

test('a delivery of an inactive webhook is skipped, which is logged', async () => {
  const tasks = await claimNew(1);
  await attempt({ ...tasks[0]!, isActive: false }, { loadedAtMonotonicMs: performance.now() });
  expect(await rowsOf(tasks)).toEqual([{ state: 'skipped', attempts: 0, crashes: 0, free: true }]);
  expect(logged).toContain('delivery.skipped');
});

test('deliveries that are skipped at the same time share a statement, which leaves out a lost lease', async () => {
  const tasks = await claimNew(3);
  const lost = { id: tasks[2]!.id, leasedAt: null };
  const skip = (lease: Lease) => recorder.end({ ...lease, state: 'skipped', reason: 'webhook inactive' });
  const before = batches.length;
  expect(await Promise.all([tasks[0]!, tasks[1]!, lost].map(skip))).toEqual([true, true, false]);
  expect(batches.slice(before)).toEqual([['end', 3]]);
});
