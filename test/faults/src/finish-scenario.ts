import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './program.js';
import type { Assertions, Scenario } from './scenario.js';
import type { Testbed } from './testbed.js';

type Require = Assertions['require'];

/** Checks what must hold at the end of every scenario, and stops its processes with SIGTERM. */
export async function finishScenario(
  testbed: Testbed,
  require: Require,
  { requiresNoErrors }: Scenario,
): Promise<void> {
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
