import type { Request } from 'express';
import { z } from 'zod';
import { errorClasses, eventNames } from '@ringback/callbacks';
import { type DeliveryFilter, isUuid } from '@ringback/database';
import { readTime } from '@ringback/runtime';
import { allowFilters, queryText } from '../http/query.js';
import { isStorable, validate } from '../http/validate.js';

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
/** A filter that may be absent; empty and null are absent, too. */
export const given = <T extends z.ZodType>(schema: T, description: string) =>
  z
    .preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional())
    .optional()
    .meta({ type: ['string', 'integer', 'null'], description });

export const text = (field: string) =>
  z
    .string(`The ${field} filter must be a string.`)
    .max(255, `The ${field} filter must not be greater than 255 characters.`)
    .refine(isStorable, `The ${field} filter holds a character that is not allowed.`);

export const time = (field: string) => {
  const wrong = `The ${field} filter must be a time such as 2026-01-31T12:00:00Z.`;
  return z.string(wrong).transform((written, { issues }) => {
    const at = readTime(written);
    if (at === null) issues.push({ code: 'custom', message: wrong, input: written });
    return at ?? new Date(0);
  });
};

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

const queryOf = (name: (typeof names)[number]) =>
  z
    .string()
    .optional()
    .describe(fields.shape[name].description ?? '');

/** The filters of a list, as the document tells of them. */
export const deliveryFilterQuery = Object.fromEntries(names.map((name) => [`filter[${name}]`, queryOf(name)]));
export const webhookIdQuery = { 'filter[webhook_id]': queryOf('webhook_id') };

const querySchema = z.object({ filter: filterSchema });

/**
 * Reads the filters of a list: an empty one is none, a wrong value is a 422, an unknown filter a 400. `kept` is what page
 * urls repeat.
 */
export function readDeliveryFilter(request: Request): { filter: DeliveryFilter; kept: [string, string][] } {
  allowFilters(request, ...names);
  const texts = names.map((name) => [name, queryText(request, `filter[${name}]`) ?? ''] as const);
  const { filter } = validate(querySchema, { filter: Object.fromEntries(texts) });
  const kept = texts.filter(([, value]) => value !== '');
  return { filter, kept: kept.map(([name, value]) => [`filter[${name}]`, value]) };
}
