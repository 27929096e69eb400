import type { Response } from 'express';
import { stringifyExactJson } from '@ringback/rules';

/** `code` is also the HTTP status, 200 by default. */
type ExtraFields = { code?: number; links?: object; meta?: object; warnings?: string[] };

/** Sends a success: `{status: "OK", code, message, data}` and the extra fields (docs/reference/api.md#responses). */
export function sendSuccess(response: Response, message: string, data: unknown, extraFields: ExtraFields = {}): void {
  const body = { status: 'OK', code: 200, message, data, ...extraFields };
  response.status(body.code).type('json').send(stringifyExactJson(body));
}
