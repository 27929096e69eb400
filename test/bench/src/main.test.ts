import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { hasRedis } from '@ringback/testing';
import type { Result } from './result.js';

const main = fileURLToPath(new URL('main.js', import.meta.url));
const runs: [string, string, number][] = [['postgres', 'throughput', 1]];
if (hasRedis()) runs.push(['redis', 'intake', 2]);

// The figures are not significant. The test checks that there are figures and no faults.
test.each(runs)('on %s a small benchmark of %s runs to its end', async (backend, scenario, figuresOf) => {
  const args = [scenario, '--events', '200', '--backend', backend, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args]);
  const { results, faults }: { results: Result[]; faults: string[] } = JSON.parse(stdout);
  expect(faults).toEqual([]);
  expect(results.map((result) => result.scenario)).toEqual([scenario]);
  const figures = results.flatMap(({ rows }) => rows.map((row) => Number(row['events/s'])));
  expect(figures.filter((perSecond) => perSecond > 0)).toHaveLength(figuresOf);
});
