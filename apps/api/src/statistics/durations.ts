import { type CodeCounts, countsByDuration, decodeDurationMs } from '@ringback/ledger';

/** Percentiles of the durations of attempts, in milliseconds rounded to a tenth. Null if there are no attempts. */
export function percentilesOf<Name extends string>(
  counts: CodeCounts,
  percents: Record<Name, number>,
): Record<Name, number> | null {
  const durations = countsByDuration(counts);
  const total = durations.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  const percentiles = Object.entries<number>(percents).map(([name, percent]) => [
    name,
    Math.round(decodeDurationMs(codeAt(durations, Math.ceil((percent / 100) * total))) * 10) / 10,
  ]);
  return Object.fromEntries(percentiles) as Record<Name, number>;
}

/** The code of the duration of the attempt with this rank. The shortest attempt has rank 1. */
function codeAt(durations: [code: number, count: number][], rank: number): number {
  let seenCount = 0;
  for (const [code, count] of durations) {
    seenCount += count;
    if (seenCount >= rank) return code;
  }
  throw new Error(`${seenCount} attempts have no rank ${rank}`);
}
