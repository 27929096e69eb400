import type { Request } from 'express';
import { z } from 'zod';
import { changeActions, type ChangeFilter } from '@ringback/database';
import { given, text, time } from '../deliveries/filter.js';
import { allowFilters, queryText } from '../http/query.js';
import { validate } from '../http/validate.js';

const names = ['object_id', 'action', 'since', 'until'] as const;

const fields = z.object({
  object_id: given(
    text('object_id').transform((id) => id.toLowerCase()),
    'The id of a webhook, a subscription, a delivery, a replay, a token or the account.',
  ),
  action: given(z.enum(changeActions, 'The selected action filter is invalid.'), 'What was done.'),
  since: given(time('since'), 'Made at this time or later: a day, or a time, UTC without an offset.'),
  until: given(time('until'), 'Made before this time.'),
});

/** The filters of the list, as the document tells of them. */
export const changeFilterQuery = Object.fromEntries(
  names.map((name) => [
    `filter[${name}]`,
    z
      .string()
      .optional()
      .describe(fields.shape[name].description ?? ''),
  ]),
);

const querySchema = z.object({ filter: fields });

/**
 * Reads the filters: an empty one is none, a wrong value is a 422, an unknown filter a 400. `kept` is what page urls
 * repeat.
 */
export function readChangeFilter(request: Request): { filter: ChangeFilter; kept: [string, string][] } {
  allowFilters(request, ...names);
  const texts = names.map((name) => [name, queryText(request, `filter[${name}]`) ?? ''] as const);
  const { filter } = validate(querySchema, { filter: Object.fromEntries(texts) });
  const { object_id: objectId, ...rest } = filter;
  const kept = texts.filter(([, value]) => value !== '');
  return { filter: { ...rest, objectId }, kept: kept.map(([name, value]) => [`filter[${name}]`, value]) };
}
