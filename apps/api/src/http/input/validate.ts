import { z } from 'zod';
import { hasAtMostCharacters, isStorable } from '@ringback/rules';
import { isForm } from './body.js';
import { convertFormValues } from './form.js';
import { type FieldErrors, validationError } from '../output/api-error.js';

/** Required text of 1 to `maxLength` characters after trimming. */
export const requiredText = (field: string, maxLength: number) =>
  z
    .string({ error: ({ input }) => requiredMessageOr(field, input, `The ${field} field must be a string.`) })
    .trim()
    .min(1, `The ${field} field is required.`)
    .refine(
      (text) => hasAtMostCharacters(text, maxLength),
      `The ${field} field must not be greater than ${maxLength} characters.`,
    )
    .refine(isStorable, `The ${field} field holds a character that is not allowed.`);

/**
 * A header value or null. A value has at most `maxLength` printable ASCII characters, without a space at either end.
 * `""` becomes null.
 */
export const nullableHeaderValue = (field: string, maxLength: number) =>
  z
    .string(`The ${field} field must be a string.`)
    .max(maxLength, `The ${field} field must not be greater than ${maxLength} characters.`)
    .regex(/^[\x20-\x7e]*$/, `The ${field} field must only contain printable ASCII characters.`)
    .regex(/^(?! )[^]*(?<! )$/, `The ${field} field must not begin or end with a space.`)
    .nullable()
    .transform((text) => (text === '' ? null : text));

const requiredMessageOr = (field: string, input: unknown, otherwise: string) =>
  input === undefined || input === null ? `The ${field} field is required.` : otherwise;

/** A body in which a field that is not in `shape` is an error, so that a misspelt field never means its default. */
export const strictBody = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject(
    { ...shape, _method: z.unknown().optional() },
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

/** One warning for each field of a body that is not in `known`, so that nobody believes in a setting that is none. */
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
