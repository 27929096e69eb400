import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Call, check, type Findings } from './check.js';
import { awaitState } from './await-state.js';
import { countMissing, readCounts, readDeliveries } from './ledger.js';
import type { Load } from './load.js';
import { watchMachine } from './machine.js';
import { runCommand } from './program.js';
import type { BackendName, World } from './world.js';

/** How much of the size in the table a run takes. */
export type Size = 'test' | 'small' | 'normal' | 'full';

type SizedNumbers = { test?: number; small: number; normal: number; full: number };

export type Story = {
  name: string;
  title: string;
  backends: readonly BackendName[];
  webhooks?: number;
  /** How long it may take; five minutes when absent, a quarter of an hour at full size. */
  maxMs?: number;
  env?: NodeJS.ProcessEnv;
  /** No server is disturbed, so that a worker has no trouble of its own to tell of. */
  calm?: true;
  /** It measures times, so that nothing else may run beside it. */
  measures?: true;
  /** Why it cannot be told here; undefined when it can. */
  obstacle?(): string | undefined;
  /** A control: the suite has to find this problem. */
  expects?: RegExp;
  play(stage: Stage): Promise<void>;
};

/** What a story has in hand while it plays. */
export type Stage = World & {
  size: Size;
  /** The number for the size of this run. */
  bySize(numbers: SizedNumbers): number;
  /** Notes a fault that has demonstrably happened. */
  recordFault(fault: string): void;
  /** Requires that something took no longer than it may; on a machine that is busy with other things, in proportion more. */
  requireWithin(maxMs: number, tookMs: number, what: string): void;
  /** What has to be so; otherwise the story fails, and says this. */
  require(isSo: boolean, otherwise: string): void;
  /** How long the last settling took, from the last fault on. */
  recoveryS(): number;
  /** Says something in the table's last column. */
  note(text: string): void;
  /** Waits until nothing is pending any more, and holds what was acknowledged against record and ledger. */
  settle(load: Load | Load[], options?: SettleOptions): Promise<Findings>;
};

export type SettleOptions = {
  withinMs?: number;
  /** From when the recovery counts (Date.now()); the last fault when absent. */
  from?: number;
  maxDuplicates?: number;
  maxAttempts?: { sms: number; rcs: number };
  excludedMessageIds?: ReadonlySet<string>;
  /** What the checker is told of the receiver's record; all of it when absent. */
  tell?: (calls: readonly Call[]) => readonly Call[];
};

export type Result = {
  events: number;
  delivered: number;
  ended: number;
  lost: number;
  duplicates: number;
  faults: string[];
  recoveryS: number;
  notes: string[];
  problems: string[];
};

/** Puts the means of a story around a world. */
export function createStage(world: World, size: Size): { stage: Stage; result: Result } {
  const result: Result = {
    events: 0,
    delivered: 0,
    ended: 0,
    lost: 0,
    duplicates: 0,
    faults: [],
    recoveryS: 0,
    notes: [],
    problems: [],
  };
  let lastFaultAt = Date.now();
  const timesLonger = watchMachine();
  const stage: Stage = {
    ...world,
    size,
    bySize: (numbers) => numbers[size] ?? numbers.small,
    recordFault(fault) {
      lastFaultAt = Date.now();
      result.faults.push(fault);
    },
    require(isSo, otherwise) {
      if (!isSo) result.problems.push(otherwise);
    },
    requireWithin(maxMs, tookMs, what) {
      const slack = timesLonger();
      // Nothing in `npm test` is about speed.
      stage.require(size === 'test' || tookMs <= maxMs * slack, `${what} took ${Math.round(tookMs)} ms`);
      if (tookMs > maxMs)
        stage.note(`${what} took ${Math.round(tookMs)} ms, the machine being ${slack.toFixed(1)} times too busy`);
    },
    recoveryS: () => result.recoveryS,
    note: (text) => void result.notes.push(text),
    async settle(loads, options = {}) {
      const { from = lastFaultAt } = options;
      const acknowledged = [loads].flat().flatMap((load) => [...load.acknowledged.keys()]);
      await awaitSettled(world, acknowledged, options.withinMs ?? 60_000).catch((error: Error) =>
        result.problems.push(error.message),
      );
      result.recoveryS = Math.max(0, (Date.now() - from) / 1_000);
      const findings = await readFindings(world, acknowledged, options);
      const { maxDuplicates = 0 } = options;
      stage.require(findings.lost === 0, `${findings.lost} lost`);
      stage.require(
        findings.duplicates <= maxDuplicates,
        `${findings.duplicates} duplicates, more than ${maxDuplicates}`,
      );
      result.problems.push(...findings.problems);
      Object.assign(result, { ...findings, problems: result.problems });
      return findings;
    },
  };
  return { stage, result };
}

async function awaitSettled(world: World, acknowledged: string[], withinMs: number): Promise<void> {
  let last = '';
  const isSettled = async () => {
    const missing = await countMissing(world, acknowledged);
    const { pending } = await readCounts(world);
    last = `${missing} of ${acknowledged.length} are missing, ${pending} pending`;
    return missing === 0 && pending === 0;
  };
  await awaitState('everything acknowledged is settled', isSettled, { withinMs, everyMs: 250 }).catch(
    (error: Error) => {
      throw new Error(`${error.message} (${last})`);
    },
  );
}

async function readFindings(
  world: World,
  acknowledged: string[],
  { maxAttempts = { sms: 4, rcs: 3 }, excludedMessageIds = new Set(), tell }: SettleOptions,
) {
  const calls = tell ? tell(world.recorder.calls) : world.recorder.calls;
  const scale = Number(world.env['RETRY_TIME_SCALE']);
  const waitMs = (channel: 'sms' | 'rcs', attempts: number) =>
    (channel === 'sms' ? 1_800_000 : Math.min(10 ** attempts * 1_000, 100_000_000)) * scale;
  return check({
    acknowledged,
    calls,
    deliveries: await readDeliveries(world),
    maxAttempts,
    waitMs,
    excludedMessageIds,
  });
}

/** What holds at the end of every story: whoever was not ended still runs, ends well when asked to, and the audit is clean. */
export async function closeStory(world: World, { require }: Pick<Stage, 'require'>, { calm }: Story): Promise<void> {
  const audit = await runCommand(['audit'], world.env);
  const findings = JSON.stringify(audit.json);
  require(audit.code === 0 && /"findings":\[\]/.test(findings), `the audit has findings: ${findings.slice(0, 500)}`);
  const gone = world.programs.filter((program) => program.endedByItself());
  for (const { pid, ending, output } of gone)
    require(false, `the process ${pid} ended by itself with ${ending()}: ${output().slice(-500)}`);
  const running = world.programs.filter((program) => program.ending() === undefined);
  const endings = await Promise.all(running.map((program) => program.end('SIGTERM')));
  require(endings.every((how) => how === 0), `processes ended with ${endings.join(', ')} on SIGTERM`);
  const [trouble, ...more] = calm ? findTrouble(world.logs) : [];
  require(trouble === undefined, `a worker told of trouble of its own, ${more.length + 1} times: ${trouble}`);
}

// On a machine that is very busy a job's lock may expire while its worker waits for CPU. Another worker then finishes the job.
const isLostLock = (line: string) => /Missing (?:key|lock) for job/.test(line);

function findTrouble(logs: string): string[] {
  const files = readdirSync(logs).filter((name) => name.startsWith('worker'));
  const lines = files.flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'));
  return lines.filter(
    (line) => /"message":"(worker\.error|job\.trouble|delivery\.error)"/.test(line) && !isLostLock(line),
  );
}
