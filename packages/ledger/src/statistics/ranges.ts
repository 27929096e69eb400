/** The lengths of the buckets in which statistics are kept, shortest first. Days begin at midnight UTC. */
export const resolutions = ['minute', 'hour', 'day'] as const;

export type Resolution = (typeof resolutions)[number];

const lengthsMs: Record<Resolution, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** A range of time that is divided into buckets of one length. `to` is not part of the range. */
export type BucketRange = { from: Date; to: Date; resolution: Resolution };

/** Widens a range so that it consists of whole buckets. */
export const widenToBuckets = ({ from, to, resolution }: BucketRange): BucketRange => ({
  from: floorToBucket(from, resolution),
  to: ceilToBucket(to, resolution),
  resolution,
});

/** The number of buckets in a range of whole buckets. */
export const countBuckets = ({ from, to, resolution }: BucketRange): number =>
  Math.round((to.getTime() - from.getTime()) / lengthsMs[resolution]);

/** The starts of the buckets in a range of whole buckets. */
export const listBucketStarts = (range: BucketRange): Date[] =>
  Array.from(
    { length: countBuckets(range) },
    (_, index) => new Date(range.from.getTime() + index * lengthsMs[range.resolution]),
  );

/** The next longer resolution; undefined for days. */
export const nextCoarserResolution = (resolution: Resolution): Resolution | undefined =>
  resolutions[resolutions.indexOf(resolution) + 1];

/** The start of the bucket that contains a time. */
export const floorToBucket = (time: Date, resolution: Resolution): Date => roundToBucket(time, resolution, Math.floor);

/** The first start of a bucket that is not before a time. */
export const ceilToBucket = (time: Date, resolution: Resolution): Date => roundToBucket(time, resolution, Math.ceil);

const roundToBucket = (time: Date, resolution: Resolution, round: (value: number) => number): Date =>
  new Date(round(time.getTime() / lengthsMs[resolution]) * lengthsMs[resolution]);

/**
 * Splits a range of whole buckets into parts, each with the longest possible resolution, up to `longest`. For example,
 * 25 hours that begin at midnight become a day and an hour. So a long range is read from few rows.
 */
export function splitRange(range: BucketRange, longest: Resolution): BucketRange[] {
  const { from, to, resolution } = range;
  const longer = nextCoarserResolution(resolution);
  if (resolution === longest || longer === undefined) return [range];
  const inner = { from: ceilToBucket(from, longer), to: floorToBucket(to, longer), resolution: longer };
  if (inner.from >= inner.to) return [range];
  const parts = [{ ...range, to: inner.from }, ...splitRange(inner, longest), { ...range, from: inner.to }];
  return parts.filter((part) => part.from < part.to);
}

/**
 * The number of days for which the counts of minutes are kept. Those of hours and days are kept longer than the ledger.
 */
export const minuteRetentionDays = 7;
