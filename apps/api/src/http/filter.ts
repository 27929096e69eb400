import type { Request } from 'express';
import { z } from 'zod';
import { parseTimestamp } from '@ringback/runtime';
import { allowFilters, queryText } from './query.js';
import { isStorable, validate } from './validate.js';

/** A filter that may be absent; empty and null are absent, too. */
export const given = <T extends z.ZodType>(schema: T, description: string) =>
  z
    .preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional())
    .optional()
    .meta({ type: ['string', 'integer', 'null'], description });

/** Any text. */
export const text = (field: string) =>
  z
    .string(`The ${field} filter must be a string.`)
    .max(255, `The ${field} filter must not be greater than 255 characters.`)
    .refine(isStorable, `The ${field} filter holds a character that is not allowed.`);

/** A day, or a time; UTC without an offset. */
export const time = (field: string) => {
  const wrong = `The ${field} filter must be a time such as 2026-01-31T12:00:00Z.`;
  return z.string(wrong).transform((written, { issues }) => {
    const at = parseTimestamp(written);
    if (at === null) issues.push({ code: 'custom', message: wrong, input: written });
    return at ?? new Date(0);
  });
};

/** Filters as parameters of the query, as the document tells of them. */
export const describeFilters = (shape: Record<string, z.ZodType>) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, { description = '' }]) => [
      `filter[${name}]`,
      z.string().optional().describe(description),
    ]),
  );

/**
 * Reads the filters of a list: an empty one is none, a wrong value is a 422, an unknown filter a 400. `kept` is what page
 * urls repeat.
 */
export function readFilters<T>(
  request: Request,
  schema: z.ZodType<T>,
  names: readonly string[],
): { filter: T; kept: [string, string][] } {
  allowFilters(request, ...names);
  const texts = names.map((name) => [name, queryText(request, `filter[${name}]`) ?? ''] as const);
  const { filter } = validate(z.object({ filter: schema }), { filter: Object.fromEntries(texts) });
  const kept = texts.filter(([, value]) => value !== '');
  return { filter, kept: kept.map(([name, value]) => [`filter[${name}]`, value]) };
}
