import type { Tally } from '@ringback/database';

type Latencies = Tally['latencies'];

/** Percentiles of durations, in milliseconds rounded to a tenth. Null if there are no attempts. */
export function percentilesOf<Name extends string>(
  latencies: Latencies,
  percents: Record<Name, number>,
): Record<Name, number> | null {
  const total = latencies.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  const found = Object.entries<number>(percents).map(([name, percent]) => [
    name,
    Math.round(valueAt(latencies, Math.ceil((percent / 100) * total)) * 10) / 10,
  ]);
  return Object.fromEntries(found) as Record<Name, number>;
}

/** The duration of the attempt with this rank; the shortest one has rank 1. */
function valueAt(latencies: Latencies, rank: number): number {
  let seen = 0;
  for (const [ms, count] of latencies) {
    seen += count;
    if (seen >= rank) return ms;
  }
  return latencies.at(-1)?.[0] ?? 0;
}
