import type { Response } from 'express';
import { z } from 'zod';
import { exactJsonText } from '@ringback/callbacks';

type More = { code?: number; links?: object; meta?: object; warnings?: string[] };

/** Answers a success: `{status: "OK", code, message, data}` and what more there is (behaviour: envelope). */
export function answer(response: Response, message: string, data: unknown, more: More = {}): void {
  const body = { status: 'OK', code: 200, message, data, ...more };
  response.status(body.code).type('json').send(exactJsonText(body));
}

/** A time in an answer. */
export const time = z.iso.datetime({ precision: 6 });

/** UTC with six fractional digits and `Z`. */
export function timestamp(time: Date): string;
export function timestamp(time: Date | null): string | null;
export function timestamp(time: Date | null): string | null {
  return time === null ? null : time.toISOString().replace('Z', '000Z');
}
