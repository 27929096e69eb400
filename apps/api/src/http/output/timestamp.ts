import { z } from 'zod';

/** The schema of a time in a response. */
export const timestampSchema = z.iso.datetime({ precision: 6 });

/** Formats a time in UTC with six fractional digits and `Z`. */
export function formatTimestamp(time: Date): string;
export function formatTimestamp(time: Date | null): string | null;
export function formatTimestamp(time: Date | null): string | null {
  return time === null ? null : time.toISOString().replace('Z', '000Z');
}
