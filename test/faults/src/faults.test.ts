import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hasRedis } from '@ringback/testing';
import { controls } from './controls.js';
import { type PostgresServer, startPostgresServer } from './postgres.js';
import { runScenario, type ScenarioResult } from './run.js';
import { scenarios } from './scenarios.js';

// `npm run test:faults` runs more scenarios, at larger sizes.
const scenarioNames = [
  'kill-9',
  'flushall',
  'control-forgetful',
  'sigterm',
  'postgres-restarts',
  'redis-killed',
  'old-snapshot',
  'overloaded',
];
const chosen = scenarioNames.map((name) => {
  const scenario = [...scenarios, ...controls].find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  return scenario;
});
const backends = (['postgres', 'redis'] as const).filter((name) => name !== 'redis' || hasRedis());
const cases = backends.flatMap((backend) =>
  chosen
    .filter((scenario) => scenario.backends.includes(backend))
    .map((scenario) => ({ backend, scenario, name: scenario.name })),
);
const concurrency = 3;

const run = ({ backend, scenario }: (typeof cases)[number], postgres: PostgresServer) =>
  runScenario(scenario, { backend, postgres, size: 'test', say: () => undefined });

/** Runs a scenario on the shared PostgreSQL server, or on a server of its own if the scenario restarts it. */
async function runOn(testCase: (typeof cases)[number], shared: PostgresServer): Promise<ScenarioResult> {
  if (testCase.name !== 'postgres-restarts') return run(testCase, shared);
  const own = await startPostgresServer();
  return run(testCase, own).finally(() => own.close());
}

// A scenario mostly waits, so several run concurrently, each with its own database, Redis and processes.
describe('scenarios', () => {
  let postgres: PostgresServer;
  const results = new Map<object, Promise<ScenarioResult>>();

  beforeAll(async () => {
    postgres = await startPostgresServer();
    const queues: Promise<unknown>[] = Array.from({ length: concurrency }, () => Promise.resolve());
    for (const [index, testCase] of cases.entries()) {
      const result = (queues[index % concurrency] ?? Promise.resolve()).then(() => runOn(testCase, postgres));
      queues[index % concurrency] = result.catch(() => undefined);
      results.set(testCase, result);
    }
  });

  afterAll(async () => {
    await Promise.allSettled(results.values());
    await postgres.close();
  });

  test.each(cases)(
    '$name on $backend passes',
    async (testCase) => {
      const expected = testCase.scenario.expectedProblem ? { passed: true } : { passed: true, lost: 0, problems: [] };
      expect(await results.get(testCase)).toMatchObject(expected);
    },
    600_000,
  );
});
