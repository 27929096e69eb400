import { EventEmitter } from 'node:events';
import { parseArgs } from 'node:util';
import { describeTestPostgres } from '@ringback/testing';
import { controls } from './controls.js';
import { longStories, stories } from './stories.js';
import { printTable } from './table.js';
import { runStories, type StoryResult } from './run-stories.js';
import type { BackendName } from './world.js';

// ioredis leaves a read-only server once for each command that it refused, which Node takes for a leak.
EventEmitter.defaultMaxListeners = 100;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    backend: { type: 'string' },
    small: { type: 'boolean' },
    full: { type: 'boolean' },
    controls: { type: 'boolean' },
  },
});
const say = (text: string) => process.stdout.write(`${text}\n`);
const [usual, onlyNamed] = values.controls ? [controls, []] : [stories, longStories];
const all = [...usual, ...onlyNamed];
const names = all.map(({ name }) => name);
const unknown = positionals.filter((word) => !names.includes(word));
const backends = (['redis', 'postgres'] as const).filter((name) => (values.backend ?? name) === name);
if (unknown.length > 0 || backends.length === 0) {
  say(`There are the stories ${names.join(', ')}, and --backend redis or postgres.`);
  process.exit(1);
}
const chosen = positionals.length === 0 ? usual : all.filter(({ name }) => positionals.includes(name));
const size = values.small ? 'small' : values.full ? 'full' : 'normal';

say(`Every story runs on ${describeTestPostgres()}.`);

const results: StoryResult[] = [];
const run = async (backend: BackendName) => void results.push(...(await runStories(chosen, { backend, size, say })));
// The backends side by side, because most of the time of a story is waiting; in turn when a story measures.
if (chosen.some(({ measures }) => measures)) for (const backend of backends) await run(backend);
else await Promise.all(backends.map(run));
say(printTable(results.toSorted((one, other) => names.indexOf(one.story) - names.indexOf(other.story))));
process.exitCode = results.length > 0 && results.every(({ passed }) => passed) ? 0 : 1;
