import type { ApiFailure } from '../../api/failure.js';
import type { EventName } from '../../api/schemas.js';
import { isJson } from '../../text/json.js';

/** The values of the form. */
export type WebhookForm = {
  name: string;
  uri: string;
  isActive: boolean;
  hasTemplate: boolean;
  /** The text of the body template. It stays while `hasTemplate` is false. */
  template: string;
  secret: string;
  isSigned: boolean;
  /** Empty means no limit. */
  rateLimit: string;
  /** CA certificates in PEM. Empty means none. */
  tlsCa: string;
  /** For a new webhook only: the token of the verification. */
  token: string;
  /** For a new webhook only: the events to subscribe to. */
  events: EventName[];
};

export const newForm: WebhookForm = {
  name: '',
  uri: '',
  isActive: true,
  hasTemplate: false,
  template: '{\n  "number": "{{mobile}}",\n  "status": "{{status}}"\n}',
  secret: '',
  isSigned: true,
  rateLimit: '',
  tlsCa: '',
  token: '',
  events: ['sms:message:status'],
};

/** The errors of the form, by the API's field name. Errors of no field have the key `form`. */
export type FormErrors = Partial<Record<string, string[]>>;

/** The props of the form's parts. */
export type FormControls = {
  form: WebhookForm;
  change: (changes: Partial<WebhookForm>) => void;
  errors: FormErrors;
};

/** The problem of the template, found before a request is sent. Undefined if there is none. */
export const templateProblem = ({ hasTemplate, template }: WebhookForm): string | undefined =>
  hasTemplate && !isJson(template) ? 'The body template must be valid JSON.' : undefined;

/** The limit in the format of the API. Other text than a whole number is sent as it is, and the API refuses it. */
const rateLimitOf = ({ rateLimit }: WebhookForm): number | string | null => {
  const text = rateLimit.trim();
  if (text === '') return null;
  return /^\d+$/.test(text) ? Number(text) : text;
};

/** The fields of the API that an edit may change, and the controls that hold each. */
const controls = {
  name: ['name'],
  uri: ['uri'],
  payload: ['hasTemplate', 'template'],
  secret: ['secret'],
  rate_limit: ['rateLimit'],
  tls: ['tlsCa'],
  signing: ['isSigned'],
  status: ['isActive'],
} as const satisfies Record<string, (keyof WebhookForm)[]>;

export type EditField = keyof typeof controls;
const editFields = Object.keys(controls) as EditField[];

/**
 * The JSON text of each field that an edit may change. The template is not parsed, because that would change numbers
 * such as 2.0000.
 */
const fieldTexts = (form: WebhookForm): Record<EditField, string> => ({
  name: JSON.stringify(form.name),
  uri: JSON.stringify(form.uri.trim()),
  payload: form.hasTemplate ? form.template : 'null',
  secret: JSON.stringify(form.secret),
  rate_limit: JSON.stringify(rateLimitOf(form)),
  tls: JSON.stringify(form.tlsCa.trim() === '' ? null : { ca: form.tlsCa }),
  signing: String(form.isSigned),
  status: form.isActive ? '1' : '0',
});

/** The fields that differ between two states of a form. */
export function changedFields(before: WebhookForm, after: WebhookForm): EditField[] {
  const [old, current] = [fieldTexts(before), fieldTexts(after)];
  return editFields.filter((field) => old[field] !== current[field]);
}

/** The body of the request that creates the webhook. */
export function creationBody(form: WebhookForm): string {
  const texts = fieldTexts(form);
  return objectText(form.token === '' ? texts : { ...texts, token: JSON.stringify(form.token) });
}

/** The body of the request that edits the webhook: only what the user changed, so that nothing else is undone. */
export function editBody(loaded: WebhookForm, form: WebhookForm): string {
  const texts = fieldTexts(form);
  return objectText(Object.fromEntries(changedFields(loaded, form).map((field) => [field, texts[field]])));
}

/** The newest state of the webhook with the user's changes of the loaded one. */
export function keepEdits(loaded: WebhookForm, form: WebhookForm, newest: WebhookForm): WebhookForm {
  const edited: (keyof WebhookForm)[] = changedFields(loaded, form).flatMap((field) => [...controls[field]]);
  return { ...newest, ...Object.fromEntries(edited.map((control) => [control, form[control]])) };
}

/** The JSON text of an object whose values are JSON texts. */
const objectText = (texts: Record<string, string>): string =>
  `{${Object.entries(texts)
    .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
    .join(',')}}`;

/** The JSON text of an object, with one more member whose value is JSON text. */
export function withMember(fields: object, name: string, json: string): string {
  const start = JSON.stringify(fields).slice(0, -1);
  return `${start}${start === '{' ? '' : ','}${JSON.stringify(name)}:${json}}`;
}

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
