import { until } from '@ringback/testing';

/** Calls `until` with the limits of a scenario: by default it checks every 50 ms and rejects after 90 s. */
export function awaitState<T>(
  expected: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 90_000, everyMs = 50 }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  return until(check, expected, withinMs, everyMs);
}
