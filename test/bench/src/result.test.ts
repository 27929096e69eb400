import { describe, expect, test } from '@jest/globals';
import { describeLatency } from './measurements.js';
import { findFaults, formatResult } from './result.js';

describe('results', () => {
  test('percentiles are by nearest rank', () => {
    const durations = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect(describeLatency(durations)).toEqual({ count: 200, p50: 100, p95: 190, p99: 198, max: 200 });
  });

  test('missing and repeated deliveries and unexpected calls are faults', () => {
    const rows = [
      { missing: 0, repeated: 0, errors: 0 },
      { missing: 2, repeated: 1, 'unexpected calls': -3 },
    ];
    expect(findFaults({ scenario: 'retries', title: '', rows })).toEqual([
      'retries, row 2: missing 2',
      'retries, row 2: repeated 1',
      'retries, row 2: unexpected calls -3',
    ]);
  });

  test('a table has a column for every figure that a row has', () => {
    const rows = [
      { load: 'idle', 'p99 ms': 1.234 },
      { load: '50 %', 'p99 ms': 12.34, late: 1234 },
    ];
    expect(formatResult({ scenario: 'latency', title: 'Latency', rows })).toBe(
      'Latency\n  load  p99 ms   late\n  idle    1.23       \n  50 %    12.3  1,234\n',
    );
  });
});
