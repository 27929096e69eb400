/** The lengths of the buckets in which statistics are kept, shortest first. Days begin at midnight UTC. */
export const resolutions = ['minute', 'hour', 'day'] as const;

/** The length of a bucket. */
export type Resolution = (typeof resolutions)[number];

const lengths: Record<Resolution, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** A range of whole buckets. `to` is not part of it. */
export type BucketRange = { from: Date; to: Date; resolution: Resolution };

/** The smallest range of whole buckets that contains the given range. */
export const widenToBuckets = ({ from, to, resolution }: BucketRange): BucketRange => ({
  from: floorToBucket(from, resolution),
  to: ceilToBucket(to, resolution),
  resolution,
});

/** The number of buckets in a range. */
export const countBuckets = ({ from, to, resolution }: BucketRange): number =>
  Math.round((to.getTime() - from.getTime()) / lengths[resolution]);

/** The starts of the buckets of a range. */
export const listBucketStarts = (range: BucketRange): Date[] =>
  Array.from(
    { length: countBuckets(range) },
    (_, index) => new Date(range.from.getTime() + index * lengths[range.resolution]),
  );

/** The next longer resolution; undefined for days. */
export const nextCoarserResolution = (resolution: Resolution): Resolution | undefined =>
  resolutions[resolutions.indexOf(resolution) + 1];

/** The start of the bucket that contains a time. */
export const floorToBucket = (time: Date, resolution: Resolution): Date => round(time, resolution, Math.floor);

/** The first start of a bucket that is not before a time. */
export const ceilToBucket = (time: Date, resolution: Resolution): Date => round(time, resolution, Math.ceil);

const round = (time: Date, resolution: Resolution, by: (value: number) => number): Date =>
  new Date(by(time.getTime() / lengths[resolution]) * lengths[resolution]);

/**
 * Splits a range into parts of whole buckets with the longest possible resolution, up to `longest`. For example, 25
 * hours that begin at midnight become a day and an hour. So a long range is read from few rows.
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

/** The number of days for which minutes are kept. Hours and days are kept longer than the log. */
export const minuteRetentionDays = 7;
