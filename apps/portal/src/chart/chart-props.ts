import type { Interval } from '../api/schemas.js';

export type Series = {
  label: string;
  /** A class of styles/chart.css: `delivered`, `retried`, `failed`, `skipped` or `series-1` to `series-5`. */
  style: string;
  values: readonly number[];
};

export type ChartProps = {
  /** Names the chart, such as "Attempts by outcome". */
  label: string;
  /** The start of each bucket. */
  starts: readonly string[];
  interval: Interval;
  series: readonly Series[];
  height?: number;
};
