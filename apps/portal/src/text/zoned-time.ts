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
