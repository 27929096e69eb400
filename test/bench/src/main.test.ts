import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { hasRedis } from '@ringback/testing';
import type { Result } from './result.js';

const main = fileURLToPath(new URL('main.js', import.meta.url));
const backends = ['postgres', ...(hasRedis() ? ['redis'] : [])];

// What it measures here says nothing: that it measures, and that nothing went wrong, is all.
test.each(backends)('a small benchmark on %s runs to its end, with every event exactly once', async (backend) => {
  const args = ['throughput', 'intake', '--events', '200', '--backend', backend, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args]);
  const { results, faults }: { results: Result[]; faults: string[] } = JSON.parse(stdout);
  expect(faults).toEqual([]);
  expect(results.map(({ scenario }) => scenario)).toEqual(['throughput', 'intake']);
  const figures = results.flatMap(({ rows }) => rows.map((row) => Number(row['events/s'])));
  expect(figures.filter((perSecond) => perSecond > 0)).toHaveLength(3);
});
