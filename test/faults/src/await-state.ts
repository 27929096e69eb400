import { until } from '@ringback/testing';

/** Calls `until` with the timeout of a scenario, by default 90 s. No scenario measures a time with it. */
export function awaitState<T>(
  expected: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 90_000, everyMs = 50 }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  return until(check, expected, withinMs, everyMs);
}
