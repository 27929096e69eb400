import type { Request } from 'express';
import { z } from 'zod';
import { isStorable } from '@ringback/rules';
import { parseTimestamp } from '@ringback/process';
import { allowFilters, queryText } from './query.js';
import { validate } from './validate.js';

/** Makes a filter optional. An empty text and null count as absent. */
export const optionalFilter = <T extends z.ZodType>(schema: T, description: string) =>
  z
    .preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional())
    .optional()
    .meta({ type: ['string', 'integer', 'null'], description });

/** A filter with text of at most 255 characters. */
export const textFilter = (field: string) =>
  z
    .string(`The ${field} filter must be a string.`)
    .max(255, `The ${field} filter must not be greater than 255 characters.`)
    .refine(isStorable, `The ${field} filter holds a character that is not allowed.`);

/** A filter with a day or a time, in UTC unless it has an offset. */
export const timeFilter = (field: string) => {
  const message = `The ${field} filter must be a time such as 2026-01-31T12:00:00Z.`;
  return z.string(message).transform((text, { issues }) => {
    const time = parseTimestamp(text);
    if (time === null) issues.push({ code: 'custom', message, input: text });
    return time ?? new Date(0);
  });
};

/** The query parameters `filter[…]` of these filters, for the OpenAPI document. */
export const describeFilters = (filters: Record<string, z.ZodType>) =>
  Object.fromEntries(
    Object.entries(filters).map(([name, { description = '' }]) => [
      `filter[${name}]`,
      z.string().optional().describe(description),
    ]),
  );

/**
 * Reads the filters of a list. Throws a 400 for a filter that is not in `names`, and a 422 for an invalid value.
 * `linkQuery` holds the filters that are not empty, which page URLs repeat.
 */
export function readFilters<T>(
  request: Request,
  schema: z.ZodType<T>,
  names: readonly string[],
): { filter: T; linkQuery: [string, string][] } {
  allowFilters(request, ...names);
  const texts = names.map((name) => [name, queryText(request, `filter[${name}]`) ?? ''] as const);
  const { filter } = validate(z.object({ filter: schema }), { filter: Object.fromEntries(texts) });
  const linkQuery = texts.filter(([, value]) => value !== '');
  return { filter, linkQuery: linkQuery.map(([name, value]) => [`filter[${name}]`, value]) };
}
