import { useState } from 'react';
import type { ApiFailure } from '../../api/failure.js';
import { useUnsavedWarning } from '../../layout/unsaved-changes.js';
import { type FormErrors, templateProblem, type WebhookForm } from '../webhooks/form-values.js';
import { toFormErrors } from './to-form-errors.js';

/** API field names of the controls that are named differently. */
const apiNames: Partial<Record<keyof WebhookForm, string>> = {
  template: 'payload',
  hasTemplate: 'payload',
  rateLimit: 'rate_limit',
};

/** The state of the form of a new or an existing webhook. */
export function useWebhookForm(initial: WebhookForm) {
  const [form, setForm] = useState(initial);
  const [errors, setErrors] = useState<FormErrors>({});
  const [failedSaves, setFailedSaves] = useState(0);
  useUnsavedWarning(form !== initial);
  const change = (changes: Partial<WebhookForm>) => {
    setForm((current) => ({ ...current, ...changes }));
    const changed = Object.keys(changes).map((key) => apiNames[key as keyof WebhookForm] ?? key);
    // An API error is out of date once its field changes.
    setErrors((current) => Object.fromEntries(Object.entries(current).filter(([name]) => !changed.includes(name))));
  };
  const fail = (newErrors: FormErrors) => {
    setErrors(newErrors);
    setFailedSaves((count) => count + 1);
  };
  /** Calls `send` if the template is valid JSON or not used. Otherwise shows the error. */
  const save = (send: () => void) => {
    const problem = templateProblem(form);
    if (problem !== undefined) return fail({ payload: [problem] });
    setErrors({});
    send();
  };
  /** Replaces the values of the form, such as with those of a webhook that was changed meanwhile. */
  const replace = (values: WebhookForm) => {
    setForm(values);
    setErrors({});
  };
  return {
    form,
    errors,
    failedSaves,
    change,
    replace,
    save,
    onError: (failure: ApiFailure) => fail(toFormErrors(failure)),
  };
}
