import { expect, test } from '@jest/globals';
import { type AttemptRecord, attemptRecords } from './attempts.js';

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
