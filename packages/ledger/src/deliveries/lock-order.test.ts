import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  claimDue,
  type Database,
  leaseDue,
  recordAttempts,
  releaseLeases,
  renewLeases,
  resumeWebhook,
} from '../index.js';
import { deliveredAttempt, openTestLedger, type TestLedger } from '../ledger.fixture.js';

let ledger: TestLedger;
let worker: Database;
beforeAll(async () => {
  ledger = await openTestLedger();
  worker = ledger.openWorkerDb();
});
afterAll(async () => {
  await worker.close();
  await ledger.close();
});

const failedAttempt = {
  ...deliveredAttempt,
  startedAt: new Date(),
  statusCode: 500,
  state: 'pending' as const,
  waitMs: 0,
};

/** Every second item, then the others: neither in the order of their ids nor of their positions in the table. */
const interleaved = <T>(items: T[]) => [
  ...items.filter((_, at) => at % 2 === 1),
  ...items.filter((_, at) => at % 2 === 0),
];

test('concurrent statements that change many deliveries never deadlock', async () => {
  const webhooks: string[] = [];
  while (webhooks.length < 10) webhooks.push(await ledger.makeWebhook());
  const autoPauseRules = { failingAfterDays: 1, pauseOnGone: true };
  for (let round = 0; round < 10; round++) {
    const reports = Array.from({ length: 200 }, (_, at): [string, string] => [`${round}-${at}`, webhooks[at % 10]!]);
    await ledger.storeAll(reports);
    const requests = webhooks.map((webhookId) => ({ webhookId, channel: 'sms' as const, limit: 20 }));
    const { tasks } = await claimDue(worker, requests, { leaseMs: 60_000 });
    const reversed = [...tasks].reverse();
    const records = reversed.map(({ id, webhookId }) => ({
      ...failedAttempt,
      deliveryId: id,
      // A 410, so that the statements that record attempts also pause webhooks.
      statusCode: webhookId === webhooks[round] ? 410 : 500,
    }));
    const [, , , recorded, recordedToo] = await Promise.all([
      renewLeases(worker, tasks, { leaseMs: 90_000 }),
      renewLeases(worker, reversed, { leaseMs: 90_000 }),
      releaseLeases(
        worker,
        interleaved(tasks).map((task) => ({ ...task, waitMs: 0 })),
      ),
      recordAttempts(worker, records, autoPauseRules),
      recordAttempts(worker, interleaved(records), autoPauseRules),
      leaseDue(worker, tasks, { leaseMs: 60_000 }),
      leaseDue(worker, reversed, { leaseMs: 60_000 }),
      ...webhooks.map((id) => resumeWebhook(ledger.db, ledger.accountId, id)),
    ] as const);
    // Nothing was refused or lost: each attempt is recorded, and both statements may say so.
    expect([...new Set([...recorded, ...recordedToo])].sort()).toEqual(tasks.map(({ id }) => id).sort());
    for (const id of webhooks) await resumeWebhook(ledger.db, ledger.accountId, id);
    await ledger.db.pool.query(
      `UPDATE deliveries SET state = 'failed', due_at = NULL, leased_at = NULL, lease_expires_at = NULL`,
    );
  }
});
