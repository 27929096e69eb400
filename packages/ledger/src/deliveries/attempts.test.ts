import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deliveredAttempt, openTestLedger, type TestLedger } from '../ledger.fixture.js';
import { type AttemptRecord, attemptRecords, recordAttempts } from './attempts.js';

let ledger: TestLedger;
beforeAll(async () => void (ledger = await openTestLedger()));
afterAll(() => ledger.close());

const attempt = {
  state: 'pending',
  outcome: 'timeout',
  errorCode: 'RESPONSE_TIMEOUT',
  durationMs: 3_000,
} as AttemptRecord;
const encodedWait = (waitMs: number | null, endedMsAgo: number): unknown =>
  JSON.parse(attemptRecords.encode([{ ...attempt, waitMs, endedAtMonotonicMs: performance.now() - endedMsAgo }]))[0]
    .wait_ms;

test('a wait counts from the end of the attempt, even if the attempt is recorded much later', () => {
  expect(encodedWait(10_000_000, 4_000_000)).toBeLessThanOrEqual(6_000_000);
  expect(encodedWait(10_000_000, 4_000_000)).toBeGreaterThan(5_900_000);
  expect(encodedWait(10_000, 4_000_000)).toBe(0);
  expect(encodedWait(null, 4_000_000)).toBeNull();
});

test('an attempt that is recorded again, as after a lost reply, counts as recorded; another of its number does not', async () => {
  const webhookId = await ledger.makeWebhook();
  const [deliveryId = ''] = await ledger.deliveriesOf(await ledger.store('m-1', webhookId));
  const mine: AttemptRecord = { ...deliveredAttempt, deliveryId, startedAt: new Date('2026-01-15T09:30:00.123Z') };
  const other = { ...mine, startedAt: new Date('2026-01-15T09:30:00.124Z') };
  const recorded = [];
  for (const attempt of [mine, mine, other])
    recorded.push((await recordAttempts(ledger.db, [attempt])).has(deliveryId));
  expect(recorded).toEqual([true, true, false]);
});
