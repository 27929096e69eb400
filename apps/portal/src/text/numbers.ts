const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const formatCount = (count: number) => whole.format(count);

/** A count for a narrow space: `12.3K`. */
export const formatShortCount = (count: number) => compact.format(count);

/** A share as a percentage that never rounds up to 100 % nor down to 0 %. */
export function formatShare(part: number, total: number): string {
  if (total === 0) return '–';
  const percent = (part / total) * 100;
  if (part === total || part === 0) return `${percent} %`;
  return `${Math.min(99.99, Math.max(0.01, percent)).toFixed(percent > 99 || percent < 1 ? 2 : 1)} %`;
}

/** A duration: `0.4 ms`, `142 ms` or `2.13 s`. */
export function formatMs(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(2)} s`;
  return `${ms < 10 && !Number.isInteger(ms) ? ms.toFixed(1) : Math.round(ms)} ms`;
}
