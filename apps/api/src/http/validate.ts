import { z } from 'zod';
import { isForm } from './body.js';
import { readFormValues } from './form.js';
import { type FieldErrors, validationError } from './api-error.js';

/** Whether PostgreSQL can hold it as text. */
export const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');

/** Required text, trimmed, of 1 to `most` characters. */
export const requiredText = (field: string, most: number) =>
  z
    .string({ error: ({ input }) => requiredOr(field, input, `The ${field} field must be a string.`) })
    .trim()
    .min(1, `The ${field} field is required.`)
    .refine((text) => [...text].length <= most, `The ${field} field must not be greater than ${most} characters.`)
    .refine(isStorable, `The ${field} field holds a character that is not allowed.`);

/** A header value: at most `most` printable ASCII characters, no space at either end. `""` and null are null. */
export const optionalToken = (field: string, most: number) =>
  z
    .string(`The ${field} field must be a string.`)
    .max(most, `The ${field} field must not be greater than ${most} characters.`)
    .regex(/^[\x20-\x7e]*$/, `The ${field} field must only contain printable ASCII characters.`)
    .regex(/^(?! )[^]*(?<! )$/, `The ${field} field must not begin or end with a space.`)
    .nullable()
    .transform((text) => (text === '' ? null : text));

const requiredOr = (field: string, input: unknown, otherwise: string) =>
  input === undefined || input === null ? `The ${field} field is required.` : otherwise;

/** An array of texts about a value becomes errors of its field. */
export const checkedBy = <T>(check: (value: T) => string[]) =>
  z.custom<T>().check(({ value, issues }) => {
    for (const message of check(value)) issues.push({ code: 'custom', message, input: value });
  });

/** Reads a request's body. Throws the 422 that names every wrong field; a request without a body has no fields. */
export function validate<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (!isObject && body !== undefined) throw validationError({ body: ['The request body must be a JSON object.'] });
  const given = isObject ? body : {};
  const parsed = schema.safeParse(isForm(body) ? readFormValues(schema, given) : given);
  if (parsed.success) return parsed.data;
  throw validationError(collect(parsed.error));
}

/** What is wrong with each field; of a value of the wrong type only that. */
function collect(error: z.ZodError): FieldErrors {
  const errors: FieldErrors = {};
  const mistyped = new Set<string>();
  for (const { path, message, code } of error.issues) {
    const field = path.join('.');
    const messages = (errors[field] ??= []);
    if (!mistyped.has(field) && !messages.includes(message)) messages.push(message);
    if (code === 'invalid_type') mistyped.add(field);
  }
  return errors;
}
