import { cpus, totalmem } from 'node:os';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { createProgress } from '@ringback/process/command-line';
import { findFaults, formatNumber, formatResult, type Result, type Row } from './result.js';
import { api } from './scenarios/api.js';
import { backlog, pending } from './scenarios/backlog.js';
import { claims } from './scenarios/claims.js';
import { floor } from './scenarios/floor.js';
import { growth } from './scenarios/growth.js';
import { ingest, ingestPaths } from './scenarios/ingest.js';
import { fanOut, flood, isolation } from './scenarios/isolation.js';
import { statistics } from './scenarios/statistics.js';
import { latency, retries, throughput, tls, workers } from './scenarios/throughput.js';
import { describePostgres } from './servers.js';
import type { BenchOptions } from './stack.js';

type Scenario = (options: BenchOptions) => Promise<Result | Result[]>;

const scenarios: Record<string, Scenario> = {
  throughput,
  'ingest-paths': ingestPaths,
  floor,
  ingest,
  latency,
  isolation,
  retries,
  'fan-out': fanOut,
  flood,
  pending,
  backlog,
  claims,
  api,
  growth,
  statistics,
  workers,
  tls,
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

// Long scenarios have their full size only if they are named or with --full.
const sizes: Record<string, { option: 'pending' | 'rows'; counted: string; normal: number; full: number }> = {
  pending: { option: 'pending', counted: 'waiting deliveries', normal: 30_000, full: 1_000_000 },
  backlog: { option: 'pending', counted: 'retries of a dead receiver', normal: 30_000, full: 100_000 },
  claims: { option: 'pending', counted: 'due deliveries of a dead receiver', normal: 100_000, full: 10_000_000 },
  api: { option: 'rows', counted: 'webhooks', normal: 100_000, full: 1_000_000 },
  growth: { option: 'rows', counted: 'deliveries in the ledger', normal: 100_000, full: 10_000_000 },
  statistics: { option: 'rows', counted: 'calls in statistics', normal: 1_000_000, full: 10_000_000 },
};

const program = new Command('bench')
  .description(
    'Measures Ringback with real servers and processes. Creates databases on the PostgreSQL server of DATABASE_URL and ' +
      'drops them. Without DATABASE_URL it starts the PostgreSQL installed on this machine, else the embedded one.',
  )
  .addArgument(new Argument('[scenario...]', 'by default all').choices(Object.keys(scenarios)))
  .addOption(new Option('--backend <engine>', "BullMQ's engine").choices(['redis', 'postgres']).default('redis'))
  .option('--events <n>', 'events in a burst (by default 20,000 in throughput and floor, 10,000 elsewhere)', readCount)
  .option('--workers <n>', 'worker processes', readCount, 1)
  .option('--pending <n>', 'deliveries that wait (pending, backlog, claims)', readCount)
  .option('--rows <n>', 'maximum number of deliveries (growth), webhooks (api) or calls (statistics)', readCount)
  .option('--full', 'run all scenarios at the size that they have when named')
  .option('--profile <folder>', 'write CPU profiles of the workers to this folder')
  .option('--against <folder>', 'also measure another built checkout (ingest-paths)')
  .option('--distance <ms>', 'additional round-trip time to PostgreSQL and Redis (ingest-paths)', readCount, 0)
  .option('--json', 'print one JSON document')
  .addHelpText('after', describeSizes())
  .action(run);

async function run(chosen: string[], settings: Settings): Promise<void> {
  const { json = false, profile, against, backend } = settings;
  const setup = { backend, workers: settings.workers };
  const databaseUrl = process.env.DATABASE_URL || undefined;
  const machine = describeMachine(await describePostgres(databaseUrl));
  const names = chosen.length > 0 ? chosen : Object.keys(scenarios);
  const progress = createProgress(process.stderr, names.length);
  const { setStep, setFraction } = progress;
  const common = {
    ...setup,
    databaseUrl,
    distanceMs: settings.distance,
    setStep,
    setFraction,
    shared: {},
    ...(profile ? { profile } : {}),
    ...(against ? { against } : {}),
  };
  const results: Result[] = [];
  const faults: string[] = [];
  for (const name of names) {
    progress.startPart(name);
    const measured = await measure(name, { ...common, ...sizesOf(name, chosen, settings) }).catch((error: unknown) => {
      faults.push(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      return [];
    });
    results.push(...measured);
    faults.push(...measured.flatMap(findFaults));
    progress.clear();
    if (!json) process.stdout.write(measured.map((result) => `\n${formatResult(result)}`).join(''));
  }
  progress.close();
  const date = new Date().toISOString().slice(0, 10);
  const rows = [{ ...machine, ...setup }];
  const goals = await judge(results);
  if (!json && goals.length > 0)
    process.stdout.write(`\n${formatResult({ scenario: 'goals', title: 'Goals on two cores', rows: goals })}`);
  if (json) process.stdout.write(`${JSON.stringify({ date, machine, ...setup, results, faults })}\n`);
  else process.stdout.write(`\n${formatResult({ scenario: 'run', title: 'Measured on', rows })}`);
  for (const fault of faults) process.stderr.write(`bench: ${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
}

async function measure(name: string, options: BenchOptions): Promise<Result[]> {
  const result = await scenarios[name]?.(options);
  const size = Math.max(options.pending, options.rows);
  const sizeOf = { events: options.events, ...(size > 0 ? { size } : {}) };
  return result === undefined ? [] : [result].flat().map((each) => ({ ...each, ...sizeOf }));
}

type Judge = (find: (scenario: string) => Result | undefined, format: (value: number) => string) => Row[];

/** Compares the results with the goals, which are also in docs/operate/performance.md. */
async function judge(results: Result[]): Promise<Row[]> {
  const goals: { judgeGoals: Judge } = await import(new URL('../../../scripts/bench-goals.mjs', import.meta.url).href);
  return goals.judgeGoals((scenario) => results.find((result) => result.scenario === scenario), formatNumber);
}

/**
 * The size of a scenario: as set by an option, else the full size if it is named or with --full, else the normal size.
 */
function sizesOf(name: string, chosen: string[], { full = false, ...settings }: Settings) {
  const events = settings.events ?? (['throughput', 'floor'].includes(name) ? 20_000 : 10_000);
  const defaults = { events, pending: 0, rows: 0 };
  const size = sizes[name];
  if (!size) return defaults;
  return {
    ...defaults,
    [size.option]: settings[size.option] ?? size[full || chosen.includes(name) ? 'full' : 'normal'],
  };
}

function describeSizes(): string {
  const lines = Object.entries(sizes).map(
    ([name, { counted, normal, full }]) =>
      `  ${name.padEnd(10)} ${normal.toLocaleString('en')} ${counted}; ${full.toLocaleString('en')} when named or with --full`,
  );
  return `\nSizes of long scenarios without --pending and --rows:\n${lines.join('\n')}`;
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
// Servers of a scenario that failed at its start end with this process.
process.exit();
