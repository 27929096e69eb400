// What the benchmark is to show, and where in its results that stands.

const row = (find, fits) => (results) => results(find)?.rows.find(fits);
const figure = (find, fits, name) => (results) => row(find, fits)(results)?.[name];
const first = () => true;
const isTwo = ({ workers }) => workers === 2;
const loadIs = (load) => (one) => one.load === load;
// The levels are in the order of scenarios/api.ts: 10 of one's own beside more and more of others, then more of one's own.
const listOf =
  (whose, call = 'list') =>
  (results) => {
    const of = (name) => results('api')?.rows.filter((one) => one.call === name) ?? [];
    const isOfFew = ({ webhooks }) => webhooks.startsWith('10 + ');
    const most = of(call)
      .filter((one) => isOfFew(one) === (whose === 'others'))
      .at(-1);
    return most?.['p95 ms'] / of('list')[0]?.['p95 ms'];
  };

const ringback = ({ part }) => part === 'Ringback, a worker';

export const goals = [
  {
    goal: "worker's CPU for a delivery, times the floor of got and two jobs",
    most: 2,
    read: figure('floor', ringback, 'CPU, times got + jobs'),
  },
  {
    goal: 'PostgreSQL transactions for a delivery, in a burst',
    most: 1,
    read: figure('throughput', first, 'transactions each'),
  },
  { goal: 'the same at half load', most: 1, read: figure('latency', loadIs('50 %'), 'transactions each') },
  { goal: 'p50 at half load', most: 5, unit: 'ms', read: figure('latency', loadIs('50 %'), 'p50 ms') },
  { goal: 'p99 at half load', most: 25, unit: 'ms', read: figure('latency', loadIs('50 %'), 'p99 ms') },
  {
    goal: "healthy receivers' p99 while 10 of 100 hang, times that without",
    most: 1.2,
    read: figure('isolation', loadIs('10 of 100 hang'), 'p99 ratio'),
  },
  {
    goal: "healthy receivers' throughput while 10 of 100 hang, times what is pushed",
    least: 0.95,
    read: figure('isolation', loadIs('10 of 100 hang'), 'throughput ratio'),
  },
  {
    goal: 'fresh throughput beside deliveries that wait, times that without',
    least: 0.9,
    read: figure('pending', loadIs('they wait'), 'ratio'),
  },
  { goal: 'list p95 beside all webhooks of others, times that of 10 alone', most: 1.2, read: listOf('others') },
  { goal: "list p95 of as many webhooks of one's own, times that of 10 alone", most: 2, read: listOf('own') },
  { goal: 'the same of the page in their middle', most: 2, read: listOf('own', 'list, middle page') },
  {
    goal: 'events taken in a second, times those delivered a second, a worker each',
    least: 1,
    read: figure('intake', ({ work }) => work === 'taking in', 'ratio'),
  },
  {
    goal: 'throughput of two workers, times that of one, where calls are the limit',
    least: 1.7,
    read: figure('workers-calls', isTwo, 'ratio'),
  },
  {
    goal: 'the same where they share the cores with everything else',
    least: 1.7,
    read: figure('workers', isTwo, 'ratio'),
  },
];

/** A line for each goal whose figure was measured. `results` finds the result of a scenario. */
export function judgeGoals(results, short) {
  return goals.flatMap(({ goal, most, least, unit, read }) => {
    const value = read(results);
    if (!Number.isFinite(value)) return [];
    const isMet = most === undefined ? value >= least : value <= most;
    const missedBy = most === undefined ? 1 - value / least : value / most - 1;
    const wanted = most === undefined ? `at least ${least}` : `at most ${most}`;
    const units = unit === undefined ? '' : ` ${unit}`;
    const verdict = isMet ? 'met' : `missed by ${Math.ceil(missedBy * 100)} %`;
    return [{ Goal: goal, Wanted: `${wanted}${units}`, Measured: `${short(value)}${units}`, Verdict: verdict }];
  });
}
