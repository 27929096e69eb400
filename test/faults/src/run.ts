import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { withTimeout } from '@ringback/process';
import { hasRedis } from '@ringback/testing';
import { type PostgresServer, startPostgresServer } from './postgres.js';
import { runCommand } from './program.js';
import type { Assertions, Result, Scenario, ScenarioContext, Size } from './scenario.js';
import { settle } from './settle.js';
import { type BackendName, createTestbed, type Testbed } from './testbed.js';

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

/** Creates the context of a scenario, and the result that the scenario fills. */
function createScenarioContext(testbed: Testbed, size: Size): { context: ScenarioContext; result: Result } {
  const result = emptyResult();
  const assertions = createAssertions(result, size);
  let lastFaultAt = Date.now();
  const context: ScenarioContext = {
    ...testbed,
    ...assertions,
    size,
    bySize: (numbers) => numbers[size] ?? numbers.small,
    recordFault(fault) {
      lastFaultAt = Date.now();
      result.faults.push(fault);
    },
    note: (text) => void result.notes.push(text),
    async settle(loads, options = {}) {
      const settled = await settle(testbed, [loads].flat(), { from: lastFaultAt, ...options });
      const { lost, duplicates } = settled;
      const { maxDuplicates = 0 } = options;
      assertions.require(lost === 0, `${lost} lost`);
      assertions.require(duplicates <= maxDuplicates, `${duplicates} duplicates, more than ${maxDuplicates}`);
      result.problems.push(...settled.problems);
      Object.assign(result, { ...settled, problems: result.problems });
      return settled;
    },
  };
  return { context, result };
}

const emptyResult = (): Result => ({
  events: 0,
  delivered: 0,
  finishedWithoutSuccess: 0,
  lost: 0,
  duplicates: 0,
  recoveryMs: 0,
  faults: [],
  notes: [],
  problems: [],
});

function createAssertions({ problems, notes }: Result, size: Size): Assertions {
  const loadFactor = watchLoadFactor();
  return {
    require(condition, message) {
      if (!condition) problems.push(message);
    },
    requireWithin(maxMs, tookMs, what) {
      if (tookMs <= maxMs) return;
      const factor = loadFactor();
      const isTooSlow = size !== 'test' && tookMs > maxMs * factor;
      const message = `${what} took ${Math.round(tookMs)} ms, more than ${maxMs} ms`;
      if (isTooSlow) problems.push(message);
      notes.push(`${message} (load factor ${factor.toFixed(1)})`);
    },
  };
}

// The suite is part of the load: a time that is far too long is a problem on any machine.
const maxFactor = 3;

/**
 * Returns a function that measures the load factor of the machine, from 1 to 3: how much longer work takes than on an
 * idle machine. The factor is above 1 if, in the last minute, more processes wanted a core than there are cores, or if
 * the hypervisor has given cores to other machines since `watchLoadFactor` was called.
 */
function watchLoadFactor(): () => number {
  const before = readCpuTimes();
  return () => {
    const now = readCpuTimes();
    const [used, stolen] = [now.used - before.used, now.stolen - before.stolen];
    const stealFactor = used > 0 ? (used + stolen) / used : 1;
    return Math.min(maxFactor, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism(), stealFactor));
  };
}

/** The CPU time of all cores so far, used by this machine and stolen by the hypervisor, in clock ticks of Linux. */
function readCpuTimes(): { used: number; stolen: number } {
  if (process.platform !== 'linux') return { used: 0, stolen: 0 };
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = readFileSync('/proc/stat', 'utf8')
    .split(/\s+/, 9)
    .map(Number);
  return { used: user + nice + system + irq + softIrq, stolen };
}

type Require = Assertions['require'];

/** Checks what must hold at the end of every scenario, and stops its processes with SIGTERM. */
async function finishScenario(testbed: Testbed, require: Require, { requiresNoErrors }: Scenario): Promise<void> {
  await requireCleanAudit(testbed, require);
  await requireCleanExits(testbed, require);
  const [error, ...more] = requiresNoErrors ? findWorkerErrors(testbed.logs) : [];
  require(error === undefined, `workers logged ${more.length + 1} internal errors: ${error}`);
}

async function requireCleanAudit({ env }: Testbed, require: Require): Promise<void> {
  const audit = await runCommand(['audit'], env);
  const findings = JSON.stringify(audit.json);
  require(audit.code === 0 && /"findings":\[\]/.test(findings), `the audit has findings: ${findings.slice(0, 500)}`);
}

async function requireCleanExits({ programs }: Testbed, require: Require): Promise<void> {
  for (const { pid, ending, output } of programs.filter((program) => program.endedByItself()))
    require(false, `the process ${pid} ended by itself with ${ending()}: ${output().slice(-500)}`);
  const running = programs.filter((program) => program.ending() === undefined);
  const endings = await Promise.all(running.map((program) => program.end('SIGTERM')));
  require(endings.every((ending) => ending === 0), `processes ended with ${endings.join(', ')} on SIGTERM`);
}

// On a busy machine a job's lock may expire while its worker waits for CPU. Another worker then completes the job.
const isLostLock = (line: string) => /Missing (?:key|lock) for job/.test(line);

function findWorkerErrors(logs: string): string[] {
  const files = readdirSync(logs).filter((name) => name.startsWith('worker'));
  const lines = files.flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'));
  return lines.filter(
    (line) => /"message":"(worker\.error|job\.error|delivery\.error)"/.test(line) && !isLostLock(line),
  );
}

const heads = [
  'scenario',
  'backend',
  'events',
  'faults',
  'delivered',
  'finished without success',
  'lost',
  'duplicates',
  'recovery s',
  'verdict',
  'notes',
];

/** Formats the results of a run as a table. */
export function formatTable(results: readonly ScenarioResult[]): string {
  const rows = results.map((result) => [
    result.scenario,
    result.backend,
    ...[result.events, result.faults.length, result.delivered, result.finishedWithoutSuccess].map(String),
    ...[result.lost, result.duplicates].map(String),
    (result.recoveryMs / 1_000).toFixed(1),
    result.passed ? 'passed' : 'FAILED',
    result.notes.join('; '),
  ]);
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return ['', line(heads), ...rows.map(line)].join('\n');
}
