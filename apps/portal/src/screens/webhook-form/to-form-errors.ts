import type { ApiFailure } from '../../api/failure.js';
import type { FormErrors } from '../webhooks/form-values.js';

/** The errors of a failure, by the API's field name. If no field has an error, `form` has the message. */
export function toFormErrors(failure: ApiFailure): FormErrors {
  // The dialog over the page shows that the session has ended.
  if (failure.kind === 'session') return {};
  const fields = Object.entries(failure.errors);
  if (fields.length === 0) return { form: [failure.message] };
  const errors: FormErrors = {};
  for (const [path, messages] of fields) {
    const field = path.split('.')[0] ?? path;
    errors[field] = [...(errors[field] ?? []), ...messages];
  }
  return errors;
}
