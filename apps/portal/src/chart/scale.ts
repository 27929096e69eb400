/** The smallest round number, such as 1, 1.5, 2 or 300, that is at least the value. Below 1, it is 1. */
export function roundUp(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return (
    [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((factor) => factor * power).find((candidate) => candidate >= value) ??
    value
  );
}

/** At most `maxTicks` evenly spaced indexes of a list of `count` items, starting with 0. */
export function tickIndexes(count: number, maxTicks: number): number[] {
  const step = Math.max(1, Math.ceil(count / maxTicks));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);
}
