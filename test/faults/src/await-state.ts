import { until } from '@ringback/testing';

/** Calls `until` with the timeout of a scenario, by default 30 s. */
export function awaitState<T>(
  expected: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 30_000, everyMs = 50 }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  return until(check, expected, withinMs, everyMs);
}
