import { cpus, totalmem } from 'node:os';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { BenchOptions } from './options.js';
import { formatResult, type Result } from './result.js';
import { floor } from './scenarios/floor.js';
import { isolation } from './scenarios/isolation.js';
import { latency } from './scenarios/latency.js';
import { throughput } from './scenarios/throughput.js';

const scenarios: Record<string, (options: BenchOptions) => Promise<Result>> = { floor, throughput, latency, isolation };

type Options = { backend: 'redis' | 'postgres'; events: number; workers: number; profile?: string; json?: boolean };

const program = new Command('bench')
  .description('Measures Ringback with real servers, real processes and a receiver in a process of its own.')
  .addArgument(new Argument('[scenario...]', 'all when absent').choices(Object.keys(scenarios)))
  .addOption(new Option('--backend <engine>', "BullMQ's engine").choices(['redis', 'postgres']).default('redis'))
  .option('--events <n>', 'events in the throughput scenario', readCount, 20_000)
  .option('--workers <n>', 'worker processes', readCount, 1)
  .option('--profile <folder>', 'write CPU profiles of the workers there')
  .option('--json', 'print one JSON document')
  .action(run);

async function run(chosen: string[], { json = false, ...rest }: Options): Promise<void> {
  const say = (what: string) => process.stderr.write(`  … ${what}\n`);
  const options: BenchOptions = { ...rest, say, found: {} };
  const results: Result[] = [];
  for (const name of chosen.length > 0 ? chosen : Object.keys(scenarios)) {
    const result = await scenarios[name]?.(options);
    if (!result) continue;
    results.push(result);
    if (!json) process.stdout.write(`\n${formatResult(result)}`);
  }
  const machine = {
    node: process.version,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / 1e9),
  };
  if (json) process.stdout.write(`${JSON.stringify({ machine, ...rest, results })}\n`);
  else
    process.stdout.write(
      `\n${Object.entries({ ...machine, ...rest })
        .map(([name, value]) => `${name} ${String(value)}`)
        .join(', ')}\n`,
    );
}

function readCount(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('must be a whole number above 0');
  return Number(text);
}

await program.parseAsync();
