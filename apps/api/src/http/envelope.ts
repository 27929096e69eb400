import type { Response } from 'express';
import { z } from 'zod';
import { stringifyExactJson } from '@ringback/callbacks';

type ExtraFields = { code?: number; links?: object; meta?: object; warnings?: string[] };

/** Sends a success: `{status: "OK", code, message, data}` and the extra fields (docs/behaviour.md: management API). */
export function sendSuccess(response: Response, message: string, data: unknown, extraFields: ExtraFields = {}): void {
  const body = { status: 'OK', code: 200, message, data, ...extraFields };
  response.status(body.code).type('json').send(stringifyExactJson(body));
}

/** The schema of a time in a response. */
export const time = z.iso.datetime({ precision: 6 });

/** Formats a time in UTC with six fractional digits and `Z`. */
export function timestamp(time: Date): string;
export function timestamp(time: Date | null): string | null;
export function timestamp(time: Date | null): string | null {
  return time === null ? null : time.toISOString().replace('Z', '000Z');
}
