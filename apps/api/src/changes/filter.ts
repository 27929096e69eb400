import type { Request } from 'express';
import { z } from 'zod';
import { changeActions, type ChangeFilter } from '@ringback/database';
import { describeFilters, given, readFilters, text, time } from '../http/filter.js';

const fields = z.object({
  object_id: given(
    text('object_id').transform((id) => id.toLowerCase()),
    'The id of a webhook, a subscription, a delivery, a replay, a token or the account.',
  ),
  action: given(z.enum(changeActions, 'The selected action filter is invalid.'), 'What was done.'),
  since: given(time('since'), 'Made at this time or later: a day, or a time, UTC without an offset.'),
  until: given(time('until'), 'Made before this time.'),
});
const filterSchema = fields.transform(({ object_id: objectId, ...rest }): ChangeFilter => ({ ...rest, objectId }));

/** The filters of the list, as the document tells of them. */
export const changeFilterQuery = describeFilters(fields.shape);

/** Reads the filters of the list; `kept` is what page urls repeat. */
export const readChangeFilter = (request: Request) => readFilters(request, filterSchema, Object.keys(fields.shape));
