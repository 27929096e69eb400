import type { Interval } from '../api/schemas.js';

export type HourFormat = '12' | '24';

export type TimeFormat = {
  /** `23 Nov 2026, 01:54:03` */
  full: (time: string) => string;
  /** `01:54:03.123`, for phases of a request. */
  precise: (time: string) => string;
  /** The start of a bucket of statistics: `01:54`, `23 Nov, 01:00` or `23 Nov`. */
  bucket: (time: string, interval: Interval) => string;
  zone: string;
};

/** Creates the formats of times in a time zone. They return an invalid time as it is. */
export function createTimeFormat(zone: string, hours: HourFormat): TimeFormat {
  const create = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: hours === '12' ? 'h12' : 'h23',
      ...options,
    });
    return (time: string) => {
      const date = new Date(time);
      return Number.isNaN(date.getTime()) ? time : format.format(date);
    };
  };
  const day = { day: 'numeric', month: 'short' } as const;
  const minute = { hour: hours === '12' ? 'numeric' : '2-digit', minute: '2-digit' } as const;
  const buckets = { minute: create(minute), hour: create({ ...day, ...minute }), day: create(day) };
  return {
    full: create({ ...day, year: 'numeric', ...minute, second: '2-digit' }),
    precise: create({ ...minute, second: '2-digit', fractionalSecondDigits: 3 }),
    bucket: (time, interval) => buckets[interval](time),
    zone,
  };
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** A time relative to now: `3 minutes ago`, `in 2 hours`. */
export function relativeTime(time: string, now: number): string {
  const seconds = Math.round((new Date(time).getTime() - now) / 1_000);
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
}
