import { until } from '@ringback/testing';

/** `until`, with the patience of a story. */
export function awaitState<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 30_000, everyMs = 50 }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  return until(ask, what, withinMs, everyMs);
}
