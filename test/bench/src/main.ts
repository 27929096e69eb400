import { cpus, totalmem } from 'node:os';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { createProgress } from '@ringback/command-line';
import type { BenchOptions } from './options.js';
import { faultsIn, formatResult, type Result, type Row, short } from './result.js';
import { api } from './scenarios/api.js';
import { backlog } from './scenarios/backlog.js';
import { doors } from './scenarios/doors.js';
import { fanOut } from './scenarios/fan-out.js';
import { flood } from './scenarios/flood.js';
import { floor } from './scenarios/floor.js';
import { growth } from './scenarios/growth.js';
import { intake } from './scenarios/intake.js';
import { isolation } from './scenarios/isolation.js';
import { latency } from './scenarios/latency.js';
import { pending } from './scenarios/pending.js';
import { retries } from './scenarios/retries.js';
import { statistics } from './scenarios/statistics.js';
import { throughput } from './scenarios/throughput.js';
import { workers } from './scenarios/workers.js';
import { describePostgres } from './servers.js';

type Scenario = (options: BenchOptions) => Promise<Result | Result[]>;

const scenarios: Record<string, Scenario> = {
  ...{ throughput, doors, floor, intake, latency, isolation, retries },
  ...{ 'fan-out': fanOut, flood, pending, backlog, api, growth, statistics, workers },
};

type Settings = {
  backend: 'redis' | 'postgres';
  events?: number;
  workers: number;
  pending?: number;
  rows?: number;
  full?: boolean;
  profile?: string;
  against?: string;
  distance: number;
  json?: boolean;
};

// Those that take long are as large as they can be only when they are asked for.
const sizes: Record<string, { option: 'pending' | 'rows'; what: string; normal: number; full: number }> = {
  pending: { option: 'pending', what: 'deliveries that wait', normal: 30_000, full: 1_000_000 },
  backlog: { option: 'pending', what: 'retries of a dead receiver', normal: 30_000, full: 100_000 },
  api: { option: 'rows', what: 'webhooks', normal: 100_000, full: 1_000_000 },
  growth: { option: 'rows', what: 'deliveries in the ledger', normal: 100_000, full: 10_000_000 },
  statistics: { option: 'rows', what: 'calls in statistics', normal: 1_000_000, full: 10_000_000 },
};

const program = new Command('bench')
  .description(
    'Measures Ringback with real servers, real processes and a receiver in a process of its own. With DATABASE_URL, ' +
      'on that PostgreSQL, where it creates databases and drops them; else on one that it starts itself, with the ' +
      'programs installed on this machine, or the embedded one where there are none.',
  )
  .addArgument(new Argument('[scenario...]', 'all when absent').choices(Object.keys(scenarios)))
  .addOption(new Option('--backend <engine>', "BullMQ's engine").choices(['redis', 'postgres']).default('redis'))
  .option('--events <n>', 'events in a burst (20,000 in throughput and floor, 10,000 elsewhere)', readCount)
  .option('--workers <n>', 'worker processes', readCount, 1)
  .option('--pending <n>', 'deliveries that wait for a retry, in pending and backlog', readCount)
  .option(
    '--rows <n>',
    'deliveries in the ledger of growth, webhooks in the table of api, at most, calls in statistics',
    readCount,
  )
  .option('--full', 'all scenarios as large as when they are named')
  .option('--profile <folder>', 'write CPU profiles of the workers there')
  .option('--against <folder>', 'measure that checkout, too, which must be built, in doors')
  .option('--distance <ms>', 'a round trip to PostgreSQL and Redis, in doors', readCount, 0)
  .option('--json', 'print one JSON document')
  .addHelpText('after', describeSizes())
  .action(run);

async function run(chosen: string[], settings: Settings): Promise<void> {
  const { json = false, profile, against, backend } = settings;
  const how = { backend, workers: settings.workers };
  const databaseUrl = process.env.DATABASE_URL || undefined;
  const machine = describeMachine(await describePostgres(databaseUrl));
  const names = chosen.length > 0 ? chosen : Object.keys(scenarios);
  const progress = createProgress(process.stderr, names.length);
  const { setStep: say, setFraction: at } = progress;
  const common = {
    ...how,
    databaseUrl,
    distanceMs: settings.distance,
    say,
    at,
    found: {},
    ...(profile ? { profile } : {}),
    ...(against ? { against } : {}),
  };
  const results: Result[] = [];
  const faults: string[] = [];
  for (const name of names) {
    progress.startPart(name);
    const found = await measure(name, { ...common, ...sizesOf(name, chosen, settings) }).catch((error: unknown) => {
      faults.push(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      return [];
    });
    results.push(...found);
    faults.push(...found.flatMap(faultsIn));
    progress.clear();
    if (!json) process.stdout.write(found.map((result) => `\n${formatResult(result)}`).join(''));
  }
  progress.close();
  const date = new Date().toISOString().slice(0, 10);
  const rows = [{ ...machine, ...how }];
  const goals = await judge(results);
  if (!json && goals.length > 0)
    process.stdout.write(`\n${formatResult({ scenario: 'goals', title: 'Goals, on two cores', rows: goals })}`);
  if (json) process.stdout.write(`${JSON.stringify({ date, machine, ...how, results, faults })}\n`);
  else process.stdout.write(`\n${formatResult({ scenario: 'run', title: 'Measured on', rows })}`);
  for (const fault of faults) process.stderr.write(`bench: ${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
}

async function measure(name: string, options: BenchOptions): Promise<Result[]> {
  const found = await scenarios[name]?.(options);
  const size = Math.max(options.pending, options.rows);
  const how = { events: options.events, ...(size > 0 ? { size } : {}) };
  return found === undefined ? [] : [found].flat().map((result) => ({ ...result, ...how }));
}

type Judge = (find: (scenario: string) => Result | undefined, format: (value: number) => string) => Row[];

/** How far what was measured is from the goals, which docs/performance.md has too. */
async function judge(results: Result[]): Promise<Row[]> {
  const goals: { judgeGoals: Judge } = await import(new URL('../../../scripts/bench-goals.mjs', import.meta.url).href);
  return goals.judgeGoals((scenario) => results.find((result) => result.scenario === scenario), short);
}

/** How large a scenario is: as told, else as large as it can be when it is named, else as large as there is time for. */
function sizesOf(name: string, chosen: string[], { full = false, ...settings }: Settings) {
  const events = settings.events ?? (['throughput', 'floor'].includes(name) ? 20_000 : 10_000);
  const none = { events, pending: 0, rows: 0 };
  const own = sizes[name];
  if (!own) return none;
  return { ...none, [own.option]: settings[own.option] ?? own[full || chosen.includes(name) ? 'full' : 'normal'] };
}

function describeSizes(): string {
  const lines = Object.entries(sizes).map(
    ([name, { what, normal, full }]) =>
      `  ${name.padEnd(10)} ${normal.toLocaleString('en')} ${what}; ${full.toLocaleString('en')} when named or with --full`,
  );
  return `\nScenarios that can be long, unless --pending or --rows says otherwise:\n${lines.join('\n')}`;
}

const describeMachine = (postgres: string) => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  'memory GB': Math.round(totalmem() / 1e9),
  node: process.version,
  postgres,
});

function readCount(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('must be a whole number above 0');
  return Number(text);
}

await program.parseAsync();
// Servers whose scenario could not even start end with this process.
process.exit();
