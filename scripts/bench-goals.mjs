// The benchmark's goals. `read` reads the figure of a goal with `findResult`, which returns the result of a scenario,
// or undefined if the scenario was not measured.

const figure = (scenario, matches, name) => (findResult) => findResult(scenario)?.rows.find(matches)?.[name];
const isAnyRow = () => true;
const hasTwoWorkers = ({ workers }) => workers === 2;
const enteredBy = (entryPath, load) => (row) => row.entryPath === entryPath && row.load === load;
const queue = 'queue';
const single = 'HTTP, one by one';
const hundreds = 'HTTP, in hundreds';
const hasLoad = (load) => (row) => row.load === load;
// The rows are in the order of test/bench/src/scenarios/api.ts: first 10 webhooks of the account beside a growing
// number of other accounts' webhooks, then a growing number of the account's own.
const listRatio =
  (whose, call = 'list') =>
  (findResult) => {
    const rowsOf = (name) => findResult('api')?.rows.filter((row) => row.call === name) ?? [];
    const hasFewOwn = ({ webhooks }) => webhooks.startsWith('10 + ');
    const largest = rowsOf(call)
      .filter((row) => hasFewOwn(row) === (whose === 'others'))
      .at(-1);
    return largest?.['p95 ms'] / rowsOf('list')[0]?.['p95 ms'];
  };

// The claim of the dead receiver's own deliveries has another baseline.
const hasSameBaseline = ({ statement }) => statement !== 'claimDue of the dead receiver';

const isRingback = ({ part }) => part === 'Ringback, a worker';

export const goals = [
  {
    goal: 'events/s of a burst from the queue, divided by those of the other checkout',
    min: 1.5,
    read: figure('ingest-paths-ratios', enteredBy(queue, 'burst'), 'events/s'),
  },
  {
    goal: 'events/s of a burst over HTTP, one by one, divided by those of the other checkout',
    min: 2.5,
    read: figure('ingest-paths-ratios', enteredBy(single, 'burst'), 'events/s'),
  },
  {
    goal: 'CPU for a delivery at 300 events/s from the queue, divided by that of the other checkout',
    max: 0.5,
    read: figure('ingest-paths-ratios', enteredBy(queue, '300/s'), 'CPU µs'),
  },
  {
    goal: 'events/s of a burst over HTTP, in hundreds, divided by those from the queue',
    min: 1,
    read: (findResult) =>
      figure('ingest-paths', enteredBy(hundreds, 'burst'), 'events/s')(findResult) /
      figure('ingest-paths', enteredBy(queue, 'burst'), 'events/s')(findResult),
  },
  ...[
    [queue, '300/s', 'p50', 2],
    [queue, '300/s', 'p99', 8],
    [queue, '20/s', 'p50', 3],
    [single, '300/s', 'p50', 3],
    [single, '300/s', 'p99', 12],
  ].map(([entryPath, load, percentile, max]) => ({
    goal: `${percentile} latency at ${load}: ${entryPath}`,
    max,
    unit: 'ms',
    read: figure('ingest-paths', enteredBy(entryPath, load), `${percentile} ms`),
  })),
  {
    goal: 'CPU of all processes of an idle stack',
    max: 2,
    unit: '% of a core',
    read: figure('ingest-paths', enteredBy('none', 'idle'), '% of a core'),
  },
  {
    goal: "worker's CPU for a delivery, divided by the floor of got and two jobs",
    max: 2,
    read: figure('floor', isRingback, 'CPU / (got + jobs)'),
  },
  {
    goal: 'PostgreSQL transactions for a delivery in a burst',
    max: 1,
    read: figure('throughput', isAnyRow, 'transactions each'),
  },
  {
    goal: 'PostgreSQL transactions for a delivery at half load',
    max: 1,
    read: figure('latency', hasLoad('50 %'), 'transactions each'),
  },
  { goal: 'p50 latency at half load', max: 5, unit: 'ms', read: figure('latency', hasLoad('50 %'), 'p50 ms') },
  { goal: 'p99 latency at half load', max: 25, unit: 'ms', read: figure('latency', hasLoad('50 %'), 'p99 ms') },
  {
    goal: "healthy receivers' p99 while 10 of 100 hang, divided by that without",
    max: 1.2,
    read: figure('isolation', hasLoad('10 of 100 hang'), 'p99 ratio'),
  },
  {
    goal: "healthy receivers' throughput while 10 of 100 hang, divided by the rate of pushed events",
    min: 0.95,
    read: figure('isolation', hasLoad('10 of 100 hang'), 'throughput ratio'),
  },
  {
    goal: 'throughput of new deliveries beside waiting ones, divided by that without',
    min: 0.9,
    read: figure('pending', hasLoad('waiting deliveries'), 'ratio'),
  },
  {
    goal: 'p50 of claims, and of the searches for due webhooks, beside due deliveries of a dead receiver, divided by that without',
    max: 1.2,
    read: (findResult) =>
      Math.max(...(findResult('claims')?.rows ?? []).filter(hasSameBaseline).map(({ ratio }) => ratio)),
  },
  {
    goal: "worker's CPU for a delivery over HTTPS without keep-alive, minus that over HTTP without keep-alive",
    max: 1_000,
    unit: 'µs',
    read: figure('tls', ({ calls }) => calls === 'https, closed', 'µs more than http, closed'),
  },
  { goal: 'list p95 beside all webhooks of others, divided by that of 10 alone', max: 1.2, read: listRatio('others') },
  { goal: "list p95 of as many webhooks of one's own, divided by that of 10 alone", max: 2, read: listRatio('own') },
  {
    goal: "list p95 of the middle page of as many webhooks of one's own, divided by that of 10 alone",
    max: 2,
    read: listRatio('own', 'list, middle page'),
  },
  {
    goal: 'events ingested per second, divided by those delivered per second, each by one worker',
    min: 1,
    read: figure('ingest', ({ work }) => work === 'ingest', 'ratio'),
  },
  {
    goal: 'throughput of two workers, divided by that of one, where calls are the limit',
    min: 1.7,
    read: figure('workers-calls', hasTwoWorkers, 'ratio'),
  },
  {
    goal: 'throughput of two workers, divided by that of one, where they share the cores with everything else',
    min: 1.7,
    read: figure('workers', hasTwoWorkers, 'ratio'),
  },
];

/**
 * Judges each goal whose figure was measured, and returns the rows of a table. `formatNumber` formats a figure.
 */
export function judgeGoals(findResult, formatNumber) {
  return goals.flatMap(({ goal, max, min, unit, read }) => {
    const measured = read(findResult);
    if (!Number.isFinite(measured)) return [];
    const isMet = max === undefined ? measured >= min : measured <= max;
    const missedBy = max === undefined ? 1 - measured / min : measured / max - 1;
    const wanted = max === undefined ? `at least ${min}` : `at most ${max}`;
    const units = unit === undefined ? '' : ` ${unit}`;
    const verdict = isMet ? 'met' : `missed by ${Math.ceil(missedBy * 100)} %`;
    return [
      { Goal: goal, Wanted: `${wanted}${units}`, Measured: `${formatNumber(measured)}${units}`, Verdict: verdict },
    ];
  });
}
