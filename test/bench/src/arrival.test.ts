import { describe, expect, test } from '@jest/globals';
import { compare, exactness } from './arrival.js';

const wanted = new Map([
  ['/a 1', 100],
  ['/b 1', 100],
  ['/a 2', 110],
]);
const came = (...keys: string[]) => ({ keys, times: keys.map((_, index) => 120 + index) });

describe('what arrived beside what was pushed', () => {
  test('everything once: nothing is missing, and each has its latency from when it was due', () => {
    const arrived = compare(wanted, came('/a 1', '/b 1', '/a 2'));
    expect(exactness(arrived)).toEqual({ missing: 0, repeated: 0 });
    expect(arrived).toMatchObject({ latencies: [20, 21, 12], firstAt: 120, lastAt: 122 });
  });

  test('the same message at another webhook is another delivery', () => {
    expect(exactness(compare(wanted, came('/a 1', '/c 1', '/a 2')))).toEqual({ missing: 1, repeated: 0, foreign: 1 });
  });

  test('a repeat is counted, and the first arrival is the one that is timed', () => {
    const arrived = compare(wanted, came('/a 1', '/a 1', '/b 1', '/a 2'));
    expect(exactness(arrived)).toEqual({ missing: 0, repeated: 1 });
    expect(arrived.latencies[0]).toBe(20);
  });

  test('what is known to come beside is not foreign', () => {
    const arrived = compare(wanted, came('/a 1', '/b 1', '/a 2', '/old 9'), (key) => key.startsWith('/old '));
    expect(exactness(arrived)).toEqual({ missing: 0, repeated: 0 });
  });
});
