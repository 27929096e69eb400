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

export type HourFormat = '12' | '24';

/** The length of a bucket of statistics. */
export type Interval = 'minute' | 'hour' | 'day';

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

const hasOffset = /(z|[+-]\d\d:?\d\d)$/i;

/**
 * The wall-clock time in a zone as the value of a datetime-local input: `2026-01-31T17:30`. Empty if `time` is invalid.
 */
export function toZonedInput(time: string, zone: string): string {
  // The API reads a time without an offset as UTC.
  const isLocal = time.includes('T') && !hasOffset.test(time);
  const ms = Date.parse(isLocal ? `${time}Z` : time);
  return Number.isNaN(ms) ? '' : new Date(ms + offsetMs(ms, zone)).toISOString().slice(0, 16);
}

/** The UTC time of a wall-clock time in a zone: `2026-01-31T16:30:00Z`. Empty if `text` is invalid. */
export function fromZonedInput(text: string, zone: string): string {
  const wall = Date.parse(`${text}Z`);
  if (Number.isNaN(wall)) return '';
  // The second step corrects times near a change of the offset.
  const near = wall - offsetMs(wall, zone);
  return toUtc(wall - offsetMs(near, zone));
}

/** A time in the format of the API, to the second. */
export const toUtc = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

function offsetMs(ms: number, zone: string): number {
  const fields = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, ...fields, second: '2-digit' });
  const wall = Date.parse(`${format.format(ms).replace(' ', 'T')}Z`);
  return wall - Math.floor(ms / 1_000) * 1_000;
}
