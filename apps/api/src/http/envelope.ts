import type { Response } from 'express';

/** Answers a success: `{status: "OK", code, message, data}` and what more there is (behaviour: envelope). */
export function answer(response: Response, message: string, data: unknown, more: object = {}, code = 200): void {
  response.status(code).json({ status: 'OK', code, message, data, ...more });
}

/** UTC with six fractional digits and `Z`. */
export function timestamp(time: Date): string;
export function timestamp(time: Date | null): string | null;
export function timestamp(time: Date | null): string | null {
  return time === null ? null : time.toISOString().replace('Z', '000Z');
}
