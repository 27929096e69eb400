// The offset may start with a space: that is how a query decodes a plus sign that was not percent-encoded.
const pattern = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+ -]\d\d:\d\d)?)?$/;

/**
 * Parses a date, or a time such as 2026-01-31T12:00:00Z. A time without an offset is UTC. Returns null for other text.
 */
export function parseTimestamp(text: string): Date | null {
  const match = pattern.exec(text);
  if (!match) return null;
  const hasNoOffset = text.includes('T') && match[1] === undefined;
  const date = new Date(hasNoOffset ? `${text}Z` : text.replace(' ', '+'));
  if (Number.isNaN(date.getTime())) return null;
  // JavaScript reads 30 February as a day in March.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return day.toISOString().startsWith(text.slice(0, 10)) ? date : null;
}
