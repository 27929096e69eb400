import { parse } from 'node:querystring';
import type { Request } from 'express';
import { z } from 'zod';
import { isUuid } from '@ringback/ledger';
import { parseTimestamp } from '@ringback/process';
import { hasAtMostCharacters, isStorable } from '@ringback/rules';
import { convertFormValues, isForm } from './body.js';
import { ApiError, type FieldErrors, validationError } from './response.js';

/** Parses a query string without a limit on the number of parameters. */
export const parseQuery = (text: string) => parse(text, '&', '=', { maxKeys: 0 });

/** The last value of a query parameter; undefined when it is absent. */
export function queryText(request: Request, name: string): string | undefined {
  const value: unknown = request.query[name];
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'string' ? last : undefined;
}

const filterName = /^filter\[(.*)\]$/;

/**
 * Throws a 400 that names the first unsupported `filter[…]` in the query, if there is one. A misspelt one, such as
 * `Filter[…]` or `filters[…]`, is one too: without it, the list would have more than was asked for.
 */
export function allowFilters(request: Request, ...supported: string[]): void {
  const filters = Object.keys(request.query).filter((key) => /^filter/i.test(key));
  const unsupported = filters.find((key) => !supported.includes(filterName.exec(key)?.[1] ?? ''));
  if (unsupported === undefined) return;
  throw new ApiError(
    400,
    `The filter "${unsupported}" is not supported. Supported: ${supported.join(', ') || 'none'}.`,
  );
}

/**
 * Makes a filter optional. An empty text and null count as absent. `documentedAs` is the JSON Schema of its values, by
 * default of any text.
 */
export const optionalFilter = <T extends z.ZodType>(
  schema: T,
  description: string,
  documentedAs: object = { type: 'string' },
) =>
  z
    .preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional())
    .optional()
    // `convertFormValues` reads the types.
    .meta({ type: ['string', 'integer', 'null'], description, documentedAs });

/** The JSON Schema of a filter with one of these words. */
export const oneOfWords = (words: readonly string[]) => ({ type: 'string', enum: [...words] });

/** A filter that also takes several values, separated by commas: `items` is the JSON Schema of one of them. */
export const optionalListFilter = <T extends z.ZodType>(schema: T, description: string, items: object) =>
  optionalFilter(schema, description).meta({ listOf: items });

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
    Object.entries(filters).map(([name, filter]) => {
      const { description, documentedAs, listOf } = filter.meta() ?? {};
      const type = listOf === undefined ? documentedAs : { type: 'array', items: listOf };
      return [`filter[${name}]`, z.unknown().meta({ description, documentedAs: type })];
    }),
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

/** The JSON Schemas of filters with a UUID or a time. A day is accepted for a time too. */
export const uuidText = { type: 'string', format: 'uuid' };
export const timeText = { type: 'string', format: 'date-time' };

/** Selects the deliveries, replays or subscriptions of one webhook. */
export const webhookIdFilter = optionalFilter(
  z
    .string('The webhook_id filter must be a UUID.')
    .refine(isUuid, 'The webhook_id filter must be a UUID.')
    .transform((id) => id.toLowerCase()),
  'The id of a webhook.',
  uuidText,
);

const webhookIdFields = z.object({ webhook_id: webhookIdFilter });

/** The query parameter of `readWebhookIdFilter`, for the OpenAPI document. */
export const webhookIdQuery = describeFilters(webhookIdFields.shape);

/** Reads `filter[webhook_id]` of a list; `linkQuery` holds the filter for page URLs if it is not empty. */
export function readWebhookIdFilter(request: Request): {
  webhookId: string | undefined;
  linkQuery: [string, string][];
} {
  const { filter, linkQuery } = readFilters(request, webhookIdFields, ['webhook_id']);
  return { webhookId: filter.webhook_id, linkQuery };
}

/** Required text of 1 to `maxLength` characters after trimming. `stored` may be longer. */
export const requiredText = (field: string, maxLength: number, stored?: string) =>
  z
    .string({ error: ({ input }) => requiredMessageOr(field, input, `The ${field} field must be a string.`) })
    .trim()
    .min(1, `The ${field} field is required.`)
    .refine(
      (text) => hasAtMostCharacters(text, maxLength) || text === stored?.trim(),
      `The ${field} field must not be greater than ${maxLength} characters.`,
    )
    .refine(isStorable, `The ${field} field holds a character that is not allowed.`);

/** Text of at most `maxLength` characters after trimming, or null. `""` becomes null. */
export const nullableText = (field: string, maxLength: number) =>
  z
    .string(`The ${field} field must be a string.`)
    .trim()
    .refine(
      (text) => hasAtMostCharacters(text, maxLength),
      `The ${field} field must not be greater than ${maxLength} characters.`,
    )
    .refine(isStorable, `The ${field} field holds a character that is not allowed.`)
    .nullable()
    .transform((text) => (text === '' ? null : text));

/**
 * A header value or null. A value has at most `maxLength` printable ASCII characters, without a space at either end.
 * `""` becomes null.
 */
export const nullableHeaderValue = (field: string, maxLength: number) =>
  z
    .string(`The ${field} field must be a string.`)
    .max(maxLength, `The ${field} field must not be greater than ${maxLength} characters.`)
    .regex(/^[\x20-\x7e]*$/, `The ${field} field must only contain printable ASCII characters.`)
    .refine((text) => !/^ | $/.test(text), `The ${field} field must not begin or end with a space.`)
    .nullable()
    .transform((text) => (text === '' ? null : text));

const requiredMessageOr = (field: string, input: unknown, otherwise: string) =>
  input === undefined || input === null ? `The ${field} field is required.` : otherwise;

/** A body in which a field that is not in `shape` is an error, so that a misspelt field never means its default. */
export const strictBody = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject(
    { ...shape, _method: z.unknown().optional().meta({ isUndocumented: true }) },
    {
      error: ({ code }) =>
        code === 'unrecognized_keys' ? `is not supported. Supported: ${Object.keys(shape).join(', ')}.` : undefined,
    },
  );

/** A schema that accepts any value for which `check` returns no error messages. */
export const checkedBy = <T>(check: (value: T) => string[]) =>
  z.custom<T>().check(({ value, issues }) => {
    for (const message of check(value)) issues.push({ code: 'custom', message, input: value });
  });

/**
 * Validates a request body, or filters as `{filter}`. Returns the values that the schema produces. Throws a 422 with
 * the errors of all fields. An absent body counts as `{}`.
 */
export function validate<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (!isObject && body !== undefined) throw validationError({ body: ['The request body must be a JSON object.'] });
  const fields = isObject ? body : {};
  const parsed = schema.safeParse(isForm(body) ? convertFormValues(schema, fields) : fields);
  if (parsed.success) return parsed.data;
  throw validationError(fieldErrorsOf(parsed.error));
}

/** The error messages of each field. After the error of a wrong type, no further error of the field is listed. */
function fieldErrorsOf(error: z.ZodError): FieldErrors {
  const errors: FieldErrors = {};
  const mistyped = new Set<string>();
  for (const issue of error.issues) {
    const { path, message, code } = issue;
    const field = path.join('.');
    // The fields that `strictBody` refuses. Each gets an error of its own.
    if (code === 'unrecognized_keys' && field === '') {
      for (const key of issue.keys) errors[key] = [`The ${key} field ${message}`];
      continue;
    }
    const messages = (errors[field] ??= []);
    if (!mistyped.has(field) && !messages.includes(message)) messages.push(message);
    if (code === 'invalid_type') mistyped.add(field);
  }
  return errors;
}

// Parameters of any request, which may stand in its body too.
const requestParameters = ['_method', 'access_token'];

/**
 * One warning for each field of a body that is not in `known`, so that nobody relies on a setting that does not exist.
 */
export function unknownFieldWarnings(body: unknown, known: readonly string[]): string[] {
  const unknown = Object.keys(Object(body)).filter(
    (name) => !known.includes(name) && !requestParameters.includes(name),
  );
  return unknown.map((name) => `Unknown field ${JSON.stringify(name)}: it was ignored.`);
}

/** The field of a response that has only the warnings of `unknownFieldWarnings`, for the OpenAPI document. */
export const ignoredFieldWarnings = {
  warnings: z
    .array(z.string())
    .optional()
    .describe('The unknown fields, which were ignored; present when there are any.'),
};
