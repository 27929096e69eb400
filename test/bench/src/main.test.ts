import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { hasRedis } from '@ringback/testing';
import type { Result } from './result.js';

const main = fileURLToPath(new URL('main.js', import.meta.url));
// Each test starts PostgreSQL, an API, a worker and a receiver, which takes minutes on a busy machine.
const maxWaitMs = 600_000;
const runs: [string, string, number][] = [['postgres', 'throughput', 1]];
if (hasRedis()) runs.push(['redis', 'ingest', 2]);

async function run(...args: string[]): Promise<Result[]> {
  // A call that timed out on a busy machine would be a fault, because it is repeated after the end.
  const env = { ...process.env, CALLBACK_TIMEOUT_MS: '60000' };
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, '--json'], { env });
  const { results, faults }: { results: Result[]; faults: string[] } = JSON.parse(stdout);
  expect(faults).toEqual([]);
  return results;
}

// The figures are not significant. The test checks that there are figures and no faults.
test.each(runs)(
  'on %s a small benchmark of %s runs to its end',
  async (backend, scenario, rowCount) => {
    const results = await run(scenario, '--events', '200', '--backend', backend);
    expect(results.map((result) => result.scenario)).toEqual([scenario]);
    const figures = results.flatMap(({ rows }) => rows.map((row) => Number(row['events/s'])));
    expect(figures.filter((perSecond) => perSecond > 0)).toHaveLength(rowCount);
  },
  maxWaitMs,
);
