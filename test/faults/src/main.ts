import { EventEmitter } from 'node:events';
import { parseArgs } from 'node:util';
import { describeTestPostgres } from '@ringback/testing';
import { controls } from './controls.js';
import { formatTable, runScenarios, type ScenarioResult } from './run.js';
import { longScenarios, scenarios } from './scenarios.js';
import type { BackendName } from './testbed.js';

// ioredis adds a listener for each command that a read-only server refuses, which Node reports as a leak.
EventEmitter.defaultMaxListeners = 100;

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Ends the process with the usage if an option is unknown. */
function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        backend: { type: 'string' },
        small: { type: 'boolean' },
        full: { type: 'boolean' },
        controls: { type: 'boolean' },
      },
    });
  } catch {
    say('usage: npm run test:faults -- [SCENARIO...] [--backend redis|postgres] [--small|--full] [--controls]');
    return process.exit(1);
  }
}

const { values, positionals } = readArguments();
const [byDefault, onlyNamed] = values.controls ? [controls, []] : [scenarios, longScenarios];
const all = [...byDefault, ...onlyNamed];
const names = all.map(({ name }) => name);
const unknownNames = positionals.filter((word) => !names.includes(word));
const backends = (['redis', 'postgres'] as const).filter((name) => (values.backend ?? name) === name);
if (unknownNames.length > 0 || backends.length === 0) {
  say(`The scenarios are ${names.join(', ')}; the backends are redis and postgres.`);
  process.exit(1);
}
const chosen = positionals.length === 0 ? byDefault : all.filter(({ name }) => positionals.includes(name));
const size = values.small ? 'small' : values.full ? 'full' : 'normal';

say(`The scenarios use ${describeTestPostgres()}.`);

const results: ScenarioResult[] = [];
const run = async (backend: BackendName) => void results.push(...(await runScenarios(chosen, { backend, size, say })));
// A scenario spends most of its time waiting, so the backends run concurrently unless a scenario measures times.
if (chosen.some(({ runsAlone }) => runsAlone)) for (const backend of backends) await run(backend);
else await Promise.all(backends.map(run));
say(formatTable(results.toSorted((one, other) => names.indexOf(one.scenario) - names.indexOf(other.scenario))));
process.exitCode = results.length > 0 && results.every(({ passed }) => passed) ? 0 : 1;
