import { expect, test } from '@jest/globals';
import { goals, judgeGoals } from './bench-goals.mjs';

const measured = {
  throughput: [{ 'transactions each': 0.25 }],
  latency: [{ load: '50 %', 'p50 ms': 4, 'p99 ms': 50, 'transactions each': 0.5 }],
  workers: [
    { workers: 1, ratio: 1 },
    { workers: 2, ratio: 1.7 },
  ],
  'ingest-paths': [
    { entryPath: 'queue', load: 'burst', 'events/s': 1_000 },
    { entryPath: 'HTTP, in hundreds', load: 'burst', 'events/s': 800 },
  ],
};
const find = (scenario) => measured[scenario] && { rows: measured[scenario] };

test('measured goals are met, or missed by a percentage; the others are left out', () => {
  const judged = judgeGoals(find, String);
  expect(judged.map(({ Wanted, Measured, Verdict }) => [Wanted, Measured, Verdict])).toEqual([
    ['at least 1', '0.8', 'missed by 20 %'],
    ['at most 1', '0.25', 'met'],
    ['at most 1', '0.5', 'met'],
    ['at most 5 ms', '4 ms', 'met'],
    ['at most 25 ms', '50 ms', 'missed by 100 %'],
    ['at least 1.7', '1.7', 'met'],
  ]);
});

test('each goal has exactly one bound and its own name', () => {
  for (const { goal, max, min } of goals) expect([goal, max === undefined]).toEqual([goal, min !== undefined]);
  expect(new Set(goals.map(({ goal }) => goal)).size).toBe(goals.length);
});
