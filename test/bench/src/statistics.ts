export type Latency = { count: number; p50: number; p95: number; p99: number; max: number };

/** The count, percentiles by nearest rank, and maximum of durations in ms. */
export function describeLatency(durations: number[]): Latency {
  const sorted = Float64Array.from(durations).sort();
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}
