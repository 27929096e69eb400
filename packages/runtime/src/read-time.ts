// A plus in a query that is not encoded comes as a space.
const form = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+ -]\d\d:\d\d)?)?$/;

/** Reads a day, or a time such as 2026-01-31T12:00:00Z; without an offset it is UTC. Null when it is neither. */
export function readTime(written: string): Date | null {
  const found = form.exec(written);
  if (!found) return null;
  const isLocal = written.includes('T') && found[1] === undefined;
  const at = new Date(isLocal ? `${written}Z` : written.replace(' ', '+'));
  return Number.isNaN(at.getTime()) ? null : at;
}
