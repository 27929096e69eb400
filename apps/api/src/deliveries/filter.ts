import type { Request } from 'express';
import { z } from 'zod';
import { errorClasses, eventNames } from '@ringback/callbacks';
import { type DeliveryFilter, isUuid } from '@ringback/database';
import { describeFilters, given, readFilters, text, time } from '../http/filter.js';

const names = [
  'webhook_id',
  'status',
  'event',
  'message_id',
  'mobile',
  'response_code',
  'error',
  'since',
  'until',
] as const;
const states = ['pending', 'delivered', 'failed', 'skipped'] as const;

const unsupported = (field: string) => `The filter "${field}" is not supported. Supported: ${names.join(', ')}.`;
const invalid = (field: string) => `The selected ${field} filter is invalid.`;
const code = (word: string) => `\`${word}\``;

/** The webhook that a list is limited to; an empty text is none. */
export const webhookIdFilter = given(
  z
    .string('The webhook_id filter must be a UUID.')
    .refine(isUuid, 'The webhook_id filter must be a UUID.')
    .transform((id) => id.toLowerCase()),
  'The id of a webhook.',
);

const fields = z.strictObject(
  {
    webhook_id: webhookIdFilter,
    status: given(
      z
        .string(invalid('status'))
        .transform((list) => list.split(',').map((state) => state.trim()))
        .pipe(z.array(z.enum(states, invalid('status')))),
      `One or more of ${states.map(code).join(', ')}, with commas.`,
    ),
    event: given(z.enum(eventNames, invalid('event')), `${eventNames.map(code).join(', ')}.`),
    message_id: given(text('message_id'), 'The whole id of a message.'),
    mobile: given(text('mobile'), 'The whole number.'),
    response_code: given(
      z
        .union([z.string(), z.number()], invalid('response_code'))
        .refine((code) => /^[1-9]\d\d$/.test(String(code)), invalid('response_code'))
        .transform(Number),
      'The status that the newest attempt was answered with, 100 to 999.',
    ),
    error: given(
      z.enum(errorClasses, invalid('error')),
      `How the newest attempt failed: ${errorClasses.map(code).join(', ')}.`,
    ),
    since: given(time('since'), 'Made at this time or later: a day, or a time, UTC without an offset.'),
    until: given(time('until'), 'Made before this time.'),
  },
  {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys' ? unsupported(String(keys?.[0])) : 'The filter field must be an object.',
  },
);

/** What deliveries are looked for by: `filter: {…}` in a body, `filter[…]` in a query. */
export const filterSchema = fields.transform((read): DeliveryFilter => ({
  webhookId: read.webhook_id,
  states: read.status,
  event: read.event,
  messageId: read.message_id,
  mobile: read.mobile,
  responseCode: read.response_code,
  error: read.error,
  since: read.since,
  until: read.until,
}));

/** The filters of a list, as the document tells of them. */
export const deliveryFilterQuery = describeFilters(fields.shape);
export const webhookIdQuery = describeFilters({ webhook_id: webhookIdFilter });

/** Reads the filters of a list; `kept` is what page urls repeat. */
export const readDeliveryFilter = (request: Request) => readFilters(request, filterSchema, names);
