import { describe, expect, test } from '@jest/globals';
import { compare, deviations } from './arrival.js';

const wanted = new Map([
  ['/a 1', 100],
  ['/b 1', 100],
  ['/a 2', 110],
]);
const arrivals = (...keys: string[]) => ({ keys, times: keys.map((_, index) => 120 + index) });

describe('arrivals compared with pushed events', () => {
  test('when each event arrived once, nothing is missing, and each latency counts from the due time', () => {
    const arrived = compare(wanted, arrivals('/a 1', '/b 1', '/a 2'));
    expect(deviations(arrived)).toEqual({ missing: 0, repeated: 0 });
    expect(arrived).toMatchObject({ latencies: [20, 21, 12], firstAtMonotonicMs: 120, lastAtMonotonicMs: 122 });
  });

  test('the same message at another webhook is another delivery', () => {
    expect(deviations(compare(wanted, arrivals('/a 1', '/c 1', '/a 2')))).toEqual({
      missing: 1,
      repeated: 0,
      unexpected: 1,
    });
  });

  test('a repeated delivery is counted, and its latency is that of the first arrival', () => {
    const arrived = compare(wanted, arrivals('/a 1', '/a 1', '/b 1', '/a 2'));
    expect(deviations(arrived)).toEqual({ missing: 0, repeated: 1 });
    expect(arrived.latencies[0]).toBe(20);
  });

  test('an expected additional message is not reported as unexpected', () => {
    const arrived = compare(wanted, arrivals('/a 1', '/b 1', '/a 2', '/old 9'), (key) => key.startsWith('/old '));
    expect(deviations(arrived)).toEqual({ missing: 0, repeated: 0 });
  });
});
