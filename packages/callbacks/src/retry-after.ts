// As HTTP writes dates; not the form without a zone, which nobody has sent for decades.
const httpDate = /^[A-Za-z]{3,9}, [\w :-]{10,30} GMT$/;

/**
 * The wait that a `Retry-After` asks for, in seconds from `at`: a whole number of them, or the date of an answer that
 * came then. 0 for a date that is over; null when it is neither.
 */
export function readRetryAfter(text: string, at: Date): number | null {
  const value = text.trim();
  if (/^\d+$/.test(value)) return Number(value);
  const until = httpDate.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(until) ? null : Math.max(0, (until - at.getTime()) / 1_000);
}
