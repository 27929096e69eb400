import type { Request } from 'express';

/** The first value of a query parameter, which may be repeated; undefined when it is absent. */
export function queryText(request: Request, name: string): string | undefined {
  const value: unknown = request.query[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}
