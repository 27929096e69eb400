// HTTP's date formats, except the obsolete asctime format, which has no time zone.
const httpDate = /^[A-Za-z]{3,9}, [\w :-]{10,30} GMT$/;

/**
 * Parses a response's `Retry-After` header, which is a number of seconds or a date. Returns the seconds to wait after
 * `receivedAt`, 0 for a past date, or null for any other text.
 */
export function readRetryAfter(text: string, receivedAt: Date): number | null {
  const value = text.trim();
  if (/^\d+$/.test(value)) return Number(value);
  const until = httpDate.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(until) ? null : Math.max(0, (until - receivedAt.getTime()) / 1_000);
}
