import { useState } from 'react';
import type { ApiFailure } from '../../data/api-failure.js';
import { toFormErrors } from './to-form-errors.js';
import { type FormErrors, templateProblem, type WebhookForm } from './form-state.js';
import { useUnsavedWarning } from './use-unsaved-warning.js';

/** The fields of the API that controls change, where their names differ. */
const apiNames: Partial<Record<keyof WebhookForm, string>> = {
  template: 'payload',
  hasTemplate: 'payload',
  rateLimit: 'rate_limit',
};

/** The state of a form that started with `saved`. */
export function useWebhookForm(saved: WebhookForm) {
  const [form, setForm] = useState(saved);
  const [errors, setErrors] = useState<FormErrors>({});
  const [failures, setFailures] = useState(0);
  useUnsavedWarning(form !== saved);
  const change = (changes: Partial<WebhookForm>) => {
    setForm((current) => ({ ...current, ...changes }));
    const changed = Object.keys(changes).map((key) => apiNames[key as keyof WebhookForm] ?? key);
    // What the API said of a field does not hold for its new value.
    setErrors((current) => Object.fromEntries(Object.entries(current).filter(([name]) => !changed.includes(name))));
  };
  const fail = (found: FormErrors) => {
    setErrors(found);
    setFailures((count) => count + 1);
  };
  /** Calls `send` unless the form shows a problem that the API need not see. */
  const save = (send: () => void) => {
    const problem = templateProblem(form);
    if (problem !== undefined) return fail({ payload: [problem] });
    setErrors({});
    send();
  };
  return { form, errors, failures, change, save, onError: (failure: ApiFailure) => fail(toFormErrors(failure)) };
}
