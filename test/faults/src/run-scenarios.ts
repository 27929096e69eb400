import { withTimeout } from '@ringback/process';
import { hasRedis } from '@ringback/testing';
import { startPostgresServer, type PostgresServer } from './postgres-server.js';
import { finishScenario } from './finish-scenario.js';
import { createScenarioContext } from './scenario-context.js';
import type { Result, Size, Scenario } from './scenario.js';
import { type BackendName, createTestbed } from './testbed.js';

export type ScenarioResult = Result & { scenario: string; backend: BackendName; tookS: number; passed: boolean };

type RunOptions = { backend: BackendName; size: Size; say(line: string): void };

const defaultMaxMs = { test: 300_000, small: 300_000, normal: 300_000, full: 900_000 };

/** Runs scenarios on one backend, one after the other, on one PostgreSQL server. Prints their results. */
export async function runScenarios(scenarios: readonly Scenario[], options: RunOptions): Promise<ScenarioResult[]> {
  const { backend, say } = options;
  if (backend === 'redis' && !hasRedis()) {
    say('skipped all scenarios on redis: redis-server is not in PATH');
    return [];
  }
  const postgres = await startPostgresServer();
  const results: ScenarioResult[] = [];
  try {
    for (const scenario of scenarios.filter(({ backends }) => backends.includes(backend))) {
      const reason = scenario.skipReason?.();
      if (reason !== undefined) say(`skipped ${scenario.name} on ${backend}: ${reason}`);
      else results.push(await runScenario(scenario, { ...options, postgres }));
    }
  } finally {
    await postgres.close();
  }
  return results;
}

/** Runs a scenario with its own processes, queues and database. Stops the processes whatever the result. */
export async function runScenario(
  scenario: Scenario,
  { backend, postgres, size, say }: RunOptions & { postgres: PostgresServer },
): Promise<ScenarioResult> {
  const startedAt = performance.now();
  const testbed = await createTestbed({
    backend,
    postgres,
    webhooks: scenario.webhooks ?? 10,
    env: scenario.env ?? {},
  });
  const { context, result } = createScenarioContext(testbed, size);
  try {
    const { maxMs = defaultMaxMs[size] } = scenario;
    await withTimeout(maxMs, scenario.run(context), () => {
      throw new Error(`the scenario did not end within ${maxMs / 1_000} s`);
    });
    await finishScenario(testbed, context.require, scenario);
  } catch (error) {
    result.problems.push(error instanceof Error ? error.message : String(error));
  }
  if (result.faults.length === 0) result.problems.push('no fault occurred, so the scenario proves nothing');
  const { expectedProblem } = scenario;
  const passed = expectedProblem
    ? result.problems.some((problem) => expectedProblem.test(problem))
    : result.problems.length === 0;
  // A failed scenario may leave PostgreSQL stopped.
  await postgres.start();
  await testbed.close({ keepLogs: !passed });
  const tookS = (performance.now() - startedAt) / 1_000;
  say(`${passed ? 'passed' : 'FAILED'} ${scenario.name} on ${backend}, ${tookS.toFixed(0)} s: ${scenario.title}`);
  for (const problem of result.problems) say(`       ${problem}`);
  if (!passed) say(`       the output of the processes is in ${testbed.logs}`);
  return { ...result, scenario: scenario.name, backend, tookS, passed };
}
