export type TimeScale = {
  /** The position of a moment, 0 to 1. */
  at: (ms: number) => number;
  /** Moments at least `minTickDistance` apart, for labels. */
  ticks: number[];
};

const shortMs = 100;

/**
 * Creates a scale for moments that are milliseconds or hours apart. Gaps are logarithmic, so that an attempt after 40
 * ms and one after 30 minutes are both visible.
 */
export function createTimeScale(moments: readonly number[], minTickDistance: number): TimeScale {
  const times = [...new Set(moments)].sort((a, b) => a - b);
  const weights = times.map((ms, index) =>
    index === 0 ? 0 : 1 + Math.log10(1 + (ms - (times[index - 1] ?? ms)) / shortMs),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  const positions = new Map(times.map((ms, index) => [ms, (sum += weights[index] ?? 0) / (total || 1)]));
  const at = (ms: number) => positions.get(ms) ?? 0;
  const ticks: number[] = [];
  for (const ms of times) {
    const last = ticks.at(-1);
    if (last === undefined || at(ms) - at(last) >= minTickDistance) ticks.push(ms);
  }
  return { at, ticks };
}

const units: [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** The time since the first moment: `+40 ms`, `+3.2 s`, `+30 min`. */
export function formatElapsed(ms: number): string {
  const [unit, length] = units.find(([, size]) => ms >= size) ?? ['ms', 1];
  const value = ms / length;
  return `+${unit === 'ms' || value >= 10 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${unit}`;
}
