import type { Request } from 'express';
import { z } from 'zod';
import { changeActions, type ChangeFilter } from '@ringback/ledger';
import { describeFilters, optionalFilter, readFilters, textFilter, timeFilter } from '../http/input/filter.js';

const filterFields = z.object({
  object_id: optionalFilter(
    textFilter('object_id').transform((id) => id.toLowerCase()),
    'The id of a webhook, a subscription, a delivery, a replay, a token, a portal session or the account.',
  ),
  action: optionalFilter(
    z.enum(changeActions, `The action filter must be one of ${changeActions.join(', ')}.`),
    'The kind of change.',
  ),
  since: optionalFilter(
    timeFilter('since'),
    'Made at this time or later: a day, or a time, in UTC unless it has an offset.',
  ),
  until: optionalFilter(timeFilter('until'), 'Made before this time.'),
});
const filterSchema = filterFields.transform(({ object_id: objectId, ...rest }): ChangeFilter => ({
  ...rest,
  objectId,
}));

/** The query parameters of the filters, for the OpenAPI document. */
export const changeFilterQuery = describeFilters(filterFields.shape);

/** Reads the filters of the list; `linkQuery` holds those that are not empty, which page URLs repeat. */
export const readChangeFilter = (request: Request) =>
  readFilters(request, filterSchema, Object.keys(filterFields.shape));
