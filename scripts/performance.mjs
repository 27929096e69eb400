// `node scripts/performance.mjs FILE...`: merges the output of `npm run bench -- --json` into docs/performance/results.json
// (a newer measurement of a scenario replaces an older one), and generates the tables of docs/performance.md and its plots
// from it. Without a file it only generates them.
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import prettier from 'prettier';
import { judgeGoals } from './goals.mjs';
import { drawBars, formatNumber } from './plot.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isRatio = (name) => /ratio|, of |, times |^of the /.test(name);

/** Parses the JSON in the output of a run, which may start with lines of npm. Throws for a run with faults. */
export function readRun(text) {
  const line = text.split('\n').find((one) => one.startsWith('{'));
  if (line === undefined) throw new Error('the file has no result of `npm run bench -- --json`');
  const run = JSON.parse(line);
  if (run.faults.length > 0) throw new Error(`the run had faults: ${run.faults.join('; ')}`);
  return run;
}

/** Merges runs into the entries: one for each scenario and engine. A smaller measurement does not replace a larger one. */
export function mergeRuns(entries, runs) {
  const merged = new Map(entries.map((entry) => [keyOf(entry), entry]));
  for (const { results, faults: _faults, ...conditions } of runs)
    for (const result of results) {
      const entry = { ...result, ...conditions };
      const { size = 0 } = merged.get(keyOf(entry)) ?? {};
      if ((entry.size ?? 0) >= size) merged.set(keyOf(entry), entry);
    }
  return [...merged.values()];
}

const keyOf = ({ scenario, backend }) => `${scenario} ${backend}`;

/** Replaces the tables and plots of the document. Those of scenarios that were not measured stay unchanged. */
export function writeBlocks(document, entries) {
  const of = (scenario, backend = 'redis') => entries.find((entry) => keyOf(entry) === `${scenario} ${backend}`);
  const block = /<!-- (table|plot) ([\w -]+?) -->\n[\s\S]*?<!-- end -->/g;
  return document.replace(block, (whole, kind, name) => {
    const [scenario, backend] = name.split(' ');
    const content = kind === 'plot' ? plotLink(scenario, of) : tableOf(scenario, backend, entries, of);
    return content === undefined ? whole : `<!-- ${kind} ${name} -->\n\n${content}\n\n<!-- end -->`;
  });
}

const plotLink = (name, of) =>
  of(plots[name]?.scenario) && `![${plots[name].title}, ${plots[name].unit}](performance/${name}.svg)`;

function tableOf(scenario, backend, entries, of) {
  if (scenario === 'goals') return markdown(judgeGoals(of, formatNumber));
  if (scenario === 'machine') return markdown(entries.map(describeRun));
  const entry = of(scenario, backend);
  return entry && `${entry.title}:\n\n${markdown(entry.rows)}`;
}

function describeRun({ scenario, backend, date, machine, events, workers }) {
  const { cpu, cores, node } = machine;
  return {
    Scenario: scenario,
    Engine: backend,
    Date: date,
    CPU: cpu,
    Cores: cores,
    'Memory GB': machine['memory GB'],
    Node: node,
    // Old measurements do not name it: they used the embedded one.
    PostgreSQL: machine.postgres ?? 'the embedded PostgreSQL',
    Events: events,
    Workers: workers,
  };
}

/** Formats rows as a Markdown table: the label, the ratios, then the other figures. Undefined without rows. */
export function markdown(rows) {
  if (rows.length === 0) return undefined;
  const all = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const [label, ...rest] = all;
  const names = [label, ...rest.filter(isRatio), ...rest.filter((name) => !isRatio(name))];
  const isNumber = (name) => rows.every((row) => typeof (row[name] ?? 0) === 'number');
  const cell = (value) => (typeof value === 'number' ? formatNumber(value) : (value ?? ''));
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rule = names.map((name) => (isNumber(name) ? '--:' : '---'));
  return [names, rule, ...rows.map((row) => names.map((name) => cell(row[name])))].map(line).join('\n');
}

const column = (label, name) => (rows) => rows.map((row) => ({ label: named(row[label]), values: [row[name]] }));
const percentiles = (rows) =>
  rows.map((row) => ({ label: row.load, values: [row['p50 ms'], row['p95 ms'], row['p99 ms']] }));
const named = (label) => (typeof label === 'number' ? label.toLocaleString('en') : label);

function byCall(rows) {
  const labels = [...new Set(rows.map(({ webhooks }) => webhooks))];
  const of = (label, call) => rows.find((row) => row.webhooks === label && row.call === call)?.['requests/s'];
  return labels.map((label) => ({ label, values: apiCalls.map((call) => of(label, call)) }));
}
const apiCalls = ['show', 'list', 'create'];

/** The plots: each names its scenario and converts the scenario's rows to bars. */
export const plots = {
  floor: {
    scenario: 'floor',
    title: 'CPU for a delivery and for its parts alone',
    unit: 'microseconds',
    series: ['CPU'],
    groups: column('part', 'CPU µs'),
  },
  latency: {
    ...{ scenario: 'latency', title: "From push to the receiver's first byte", unit: 'milliseconds' },
    series: ['p50', 'p95', 'p99'],
    groups: percentiles,
  },
  isolation: {
    scenario: 'isolation',
    title: "Healthy receivers' p99",
    unit: 'milliseconds',
    series: ['p99'],
    groups: column('load', 'p99 ms'),
  },
  flood: {
    ...{ scenario: 'flood', title: "Another account's events", unit: 'milliseconds' },
    series: ['p50', 'p95', 'p99'],
    groups: percentiles,
  },
  backlog: {
    scenario: 'backlog',
    title: "Other receivers' p99",
    unit: 'milliseconds',
    series: ['p99'],
    groups: column('load', 'p99 ms'),
  },
  pending: {
    scenario: 'pending',
    title: 'Fresh events',
    unit: 'events a second',
    series: ['fresh'],
    groups: column('load', 'events/s'),
  },
  growth: {
    scenario: 'growth',
    title: 'Throughput by deliveries in the ledger',
    unit: 'events a second',
    series: ['events'],
    groups: column('deliveries', 'events/s'),
  },
  workers: {
    scenario: 'workers',
    title: 'Throughput by worker processes',
    unit: 'events a second',
    series: ['events'],
    groups: column('workers', 'events/s'),
  },
  api: {
    scenario: 'api',
    title: 'Management API, by webhooks in the table',
    unit: 'requests a second',
    series: apiCalls,
    groups: byCall,
  },
};

/** Draws the plots whose scenarios were measured, as pairs of a name and an SVG. */
export function drawPlots(entries) {
  return Object.entries(plots).flatMap(([name, { scenario, title, unit, series, groups }]) => {
    const entry = entries.find((one) => keyOf(one) === `${scenario} redis`);
    return entry ? [[name, drawBars({ title, unit, series, groups: groups(entry.rows) })]] : [];
  });
}

export async function writePerformance(folder, files) {
  const [page, results] = [join(folder, 'performance.md'), join(folder, 'performance/results.json')];
  const before = fs.existsSync(results) ? JSON.parse(fs.readFileSync(results, 'utf8')) : [];
  const entries = mergeRuns(
    before,
    files.map((file) => readRun(fs.readFileSync(file, 'utf8'))),
  );
  fs.mkdirSync(dirname(results), { recursive: true });
  await writeFormatted(results, JSON.stringify(entries));
  for (const [name, svg] of drawPlots(entries)) fs.writeFileSync(join(folder, `performance/${name}.svg`), svg);
  await writeFormatted(page, writeBlocks(fs.readFileSync(page, 'utf8'), entries));
}

async function writeFormatted(filepath, text) {
  const options = await prettier.resolveConfig(join(root, 'package.json'));
  fs.writeFileSync(filepath, await prettier.format(text, Object.assign({}, options, { filepath })));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await writePerformance(join(root, 'docs'), process.argv.slice(2)).catch((error) => {
    process.stderr.write(`performance: ${error.message}\n`);
    process.exitCode = 1;
  });
}
