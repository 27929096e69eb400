import type { Counts } from '../api/schemas.js';
import type { Series } from './chart-props.js';

const outcomes = [
  { key: 'delivered', label: 'Delivered' },
  { key: 'retried', label: 'Failed, retried' },
  { key: 'failed', label: 'Failed for good' },
  { key: 'skipped', label: 'Skipped' },
] as const;

/** One series for each outcome. Skipped deliveries get one only if there are any. */
export const outcomeSeries = (buckets: readonly Counts[]): Series[] =>
  outcomes
    .filter(({ key }) => key !== 'skipped' || buckets.some((bucket) => bucket.skipped > 0))
    .map(({ key, label }) => ({ label, style: key, values: buckets.map((bucket) => bucket[key]) }));
