/** Whether a text has the form of a UUID. PostgreSQL refuses other text in a uuid column. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/** The ids between which all ids lie. No row has one of them. */
export const lowestId = '00000000-0000-0000-0000-000000000000';
export const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * A lower bound of the version 7 UUIDs that are made at this time or later. Such an id contains the time at which it
 * was made. Events, deliveries and changes have such ids.
 */
export function idAt(time: Date): string {
  const ms = Math.min(Math.max(0, time.getTime()), 0xffff_ffff_ffff);
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
