/** Whether a text has the shape of a UUID, so that PostgreSQL takes it as one. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/** The least UUID of version 7 of a moment. Ids of the ledger's rows hold the time at which they were made. */
export function idAt(time: Date): string {
  const ms = Math.min(Math.max(0, time.getTime()), 0xffff_ffff_ffff);
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
