import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goals, judgeGoals } from './goals.mjs';
import { drawPlots, markdown, mergeRuns, readRun, writeBlocks, writePerformance } from './performance.mjs';
import { drawBars, formatNumber, ticksFor } from './plot.mjs';
import { root } from './prepare.mjs';

const fixture = join(root, 'scripts/performance.fixture.json');
const text = JSON.stringify(JSON.parse(fs.readFileSync(fixture, 'utf8')));
const run = readRun(text);
const entries = mergeRuns([], [run]);
const page = (name) => `before\n\n<!-- ${name} -->\n\n_Not measured yet._\n\n<!-- end -->\n\nafter\n`;

test('a smaller measurement does not replace a larger one', () => {
  const [api] = run.results.filter(({ scenario }) => scenario === 'api');
  const large = mergeRuns([], [{ ...run, results: [{ ...api, size: 1_000 }] }]);
  const sizes = (size) => mergeRuns(large, [{ ...run, results: [{ ...api, ...size }] }]).map((one) => one.size);
  expect([sizes({}), sizes({ size: 999 }), sizes({ size: 2_000 })]).toEqual([[1_000], [1_000], [2_000]]);
});

describe('the published results', () => {
  const published = JSON.parse(fs.readFileSync(join(root, 'docs/performance/results.json'), 'utf8'));
  const of = (scenario) => published.find((one) => one.scenario === scenario && one.backend === 'redis');

  test('have a figure for every goal', () => {
    expect(judgeGoals(of, formatNumber).map(({ Goal }) => Goal)).toEqual(goals.map(({ goal }) => goal));
  });

  test('are what the page shows', () => {
    const page = fs.readFileSync(join(root, 'docs/performance.md'), 'utf8');
    // Prettier pads the cells of tables.
    const bare = (text) => text.replace(/ {2,}/g, ' ').replace(/-{3,}/g, '---').replace(/-+:/g, '--:');
    expect(bare(writeBlocks(page, published))).toBe(bare(page));
  });
});

describe('a run', () => {
  test('is found after the lines of npm', () => {
    expect(readRun(`\n> ringback@0.1.0 bench\n> node x\n\n${text}\n`)).toEqual(run);
  });

  test.each([
    ['without a result', 'nothing', /no result/],
    ['with faults', JSON.stringify({ ...run, faults: ['throughput, row 1: missing 2'] }), /missing 2/],
  ])('%s is refused', (_what, given, message) => expect(() => readRun(given)).toThrow(message));

  test('replaces an older measurement of the same scenario and engine, and nothing else', () => {
    const [throughput] = run.results;
    const newer = { ...run, date: '2026-02-03', results: [throughput] };
    const onPostgres = { ...newer, backend: 'postgres' };
    const merged = mergeRuns(entries, [newer, onPostgres]);
    expect(merged.map(({ scenario, backend, date }) => [scenario, backend, date])).toEqual([
      ['throughput', 'redis', '2026-02-03'],
      ['latency', 'redis', '2026-01-02'],
      ['workers', 'redis', '2026-01-02'],
      ['api', 'redis', '2026-01-02'],
      ['throughput', 'postgres', '2026-02-03'],
    ]);
  });
});

describe('tables', () => {
  test('are written between their marks, and nothing else changes', () => {
    const written = writeBlocks(page('table throughput'), entries);
    expect(written).toBe(
      'before\n\n<!-- table throughput -->\n\nThroughput:\n\n| events/s | transactions each |\n| --: | --: |\n| 1,235 | 0.25 |\n\n<!-- end -->\n\nafter\n',
    );
    expect(writeBlocks(written, entries)).toBe(written);
  });

  test.each(['table throughput postgres', 'table floor', 'plot floor'])(
    '%s is unchanged when it was not measured',
    (name) => {
      expect(writeBlocks(page(name), entries)).toBe(page(name));
    },
  );

  test('have the ratios after the label', () => {
    const rows = [
      { load: 'a', 'events/s': 1, 'p99 ratio': 2 },
      { load: 'b', missing: 0 },
    ];
    expect(markdown(rows)).toBe(
      '| load | p99 ratio | events/s | missing |\n| --- | --: | --: | --: |\n| a | 2 | 1 |  |\n| b |  |  | 0 |',
    );
  });

  test('name the machine of every scenario', () => {
    const written = writeBlocks(page('table machine'), entries);
    expect(written.match(/Example & Co/g)).toHaveLength(4);
  });
});

test('measured goals are met, or missed by a percentage', () => {
  const judged = judgeGoals((scenario) => entries.find((entry) => entry.scenario === scenario), formatNumber);
  expect(judged.map(({ Wanted, Measured, Verdict }) => [Wanted, Measured, Verdict])).toEqual([
    ['at most 1', '0.25', 'met'],
    ['at most 5 ms', '4 ms', 'met'],
    ['at most 25 ms', '50 ms', 'missed by 100 %'],
    ['at most 2', '3', 'missed by 50 %'],
    ['at least 1.7', '1.90', 'met'],
  ]);
});

describe('plots', () => {
  test.each([
    [0, [0, 1]],
    [0.9, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [50, [0, 10, 20, 30, 40, 50]],
    [1234, [0, 500, 1000, 1500]],
  ])('an axis up to %s has round numbers', (highest, ticks) => expect(ticksFor(highest)).toEqual(ticks));

  test('have a bar and a figure for each value, in proportion, and none for a missing value', () => {
    const groups = [
      { label: 'one & only', values: [100, 50] },
      { label: 'two', values: [25, undefined] },
    ];
    const svg = drawBars({ title: 'T', unit: 'ms', series: ['a', 'b'], groups });
    const bars = [...svg.matchAll(/<rect x="210"[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width));
    expect(bars).toEqual([460, 230, 115]);
    expect(svg).toContain('one &amp; only');
    expect(svg).toMatch(/>ms<\/text>/);
    expect(svg).toContain('prefers-color-scheme:dark');
  });

  test('are drawn for the measured scenarios', () => {
    expect(drawPlots(entries).map(([name]) => name)).toEqual(['latency', 'workers', 'api']);
  });
});

describe('the document', () => {
  let folder;
  beforeEach(() => (folder = fs.mkdtempSync(join(tmpdir(), 'ringback-performance-'))));
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  test('is generated from the files of runs, and again from the saved results', async () => {
    fs.copyFileSync(join(root, 'docs/performance.md'), join(folder, 'performance.md'));
    // Plots of scenarios that the run does not have are unchanged.
    fs.cpSync(join(root, 'docs/performance'), join(folder, 'performance'), { recursive: true });
    fs.rmSync(join(folder, 'performance/results.json'));
    fs.writeFileSync(join(folder, 'run.json'), text);
    await writePerformance(folder, [join(folder, 'run.json')]);
    const written = fs.readFileSync(join(folder, 'performance.md'), 'utf8');
    expect(written).toContain('missed by 100 %');
    for (const [, link] of written.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g))
      expect(fs.existsSync(join(folder, link))).toBe(true);
    await writePerformance(folder, []);
    expect(fs.readFileSync(join(folder, 'performance.md'), 'utf8')).toBe(written);
  });

  test('names only scenarios that exist', () => {
    const document = fs.readFileSync(join(root, 'docs/performance.md'), 'utf8');
    const named = [...document.matchAll(/<!-- table ([\w-]+)/g)].map(([, name]) => name);
    const files = fs
      .readdirSync(join(root, 'test/bench/src/scenarios'))
      .map((name) => fs.readFileSync(join(root, 'test/bench/src/scenarios', name), 'utf8'));
    const unknown = named.filter(
      (name) => !['goals', 'machine'].includes(name) && !files.some((file) => file.includes(`scenario: '${name}'`)),
    );
    expect(unknown).toEqual([]);
  });
});
