import type { Request } from 'express';
import { z } from 'zod';
import type { DeliveryFilter } from '@ringback/ledger';
import { type ErrorClass, errorClasses, eventNames } from '@ringback/rules';
import {
  describeFilters,
  oneOfWords,
  optionalFilter,
  optionalListFilter,
  readFilters,
  textFilter,
  timeFilter,
  timeText,
  webhookIdFilter,
} from '../http/input.js';

const meaningsOfErrors: Record<ErrorClass, string> = {
  timeout: 'no response in time',
  dns: 'the host name was not resolved',
  tls: 'the TLS handshake failed, for example because of an invalid certificate',
  connect: 'no TCP connection was made, for example because the host refused it',
  reset: 'the connection broke',
  refused: 'Ringback refused to connect, because the address is forbidden',
  protocol: 'the response is not valid HTTP',
  status: 'the status of the response is not a success',
};

/** Explains the error classes, for the OpenAPI document. */
export const errorMeanings = `${Object.entries(meaningsOfErrors)
  .map(([errorClass, meaning]) => `\`${errorClass}\`: ${meaning}`)
  .join('; ')}.`;

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

const unsupportedMessage = (field: string) => `The filter "${field}" is not supported. Supported: ${names.join(', ')}.`;
const mustBeOneOf = (field: string, words: readonly string[]) =>
  `The ${field} filter must be one of ${words.join(', ')}.`;
const statusError = `The status filter must have only ${states.join(', ')}.`;
const codeError = 'The response_code filter must be a number from 100 to 999.';
const inBackticks = (word: string) => `\`${word}\``;

const filterFields = z
  .strictObject(
    {
      webhook_id: webhookIdFilter,
      status: optionalListFilter(
        z
          .string(statusError)
          .transform((list) => list.split(',').map((state) => state.trim()))
          .pipe(z.array(z.enum(states, statusError))),
        `One or more of ${states.map(inBackticks).join(', ')}, separated by commas.`,
        oneOfWords(states),
      ),
      event: optionalFilter(
        z.enum(eventNames, mustBeOneOf('event', eventNames)),
        `${eventNames.map(inBackticks).join(', ')}.`,
        oneOfWords(eventNames),
      ),
      message_id: optionalFilter(textFilter('message_id'), 'The exact id of a message.'),
      mobile: optionalFilter(textFilter('mobile'), 'The exact mobile number.'),
      response_code: optionalFilter(
        z
          .union([z.string(), z.number()], codeError)
          .refine((code) => /^[1-9]\d\d$/.test(String(code)), codeError)
          .transform(Number),
        'The HTTP status of the newest attempt, 100 to 999.',
        { type: 'integer', minimum: 100, maximum: 999 },
      ),
      error: optionalFilter(
        z.enum(errorClasses, mustBeOneOf('error', errorClasses)),
        `How the newest attempt failed. ${errorMeanings}`,
        oneOfWords(errorClasses),
      ),
      since: optionalFilter(
        timeFilter('since'),
        'Created at this time or later: a day, or a time, in UTC unless it has an offset.',
        timeText,
      ),
      until: optionalFilter(timeFilter('until'), 'Created before this time.', timeText),
    },
    {
      error: ({ code, keys }) =>
        code === 'unrecognized_keys' ? unsupportedMessage(String(keys?.[0])) : 'The filter field must be an object.',
    },
  )
  .meta({ id: 'DeliveryFilter' });

/** The filters for deliveries: `filter: {…}` in a body, and `filter[…]` in a query. */
export const deliveryFilterSchema = filterFields.transform((values): DeliveryFilter => ({
  webhookId: values.webhook_id,
  states: values.status,
  event: values.event,
  messageId: values.message_id,
  mobile: values.mobile,
  responseCode: values.response_code,
  error: values.error,
  since: values.since,
  until: values.until,
}));

/** The query parameters of the filters, for the OpenAPI document. */
export const deliveryFilterQuery = describeFilters(filterFields.shape);

/** Reads the filters of a list; `linkQuery` holds those that are not empty, which page URLs repeat. */
export const readDeliveryFilter = (request: Request) => readFilters(request, deliveryFilterSchema, names);
