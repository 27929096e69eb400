import type { EventName } from '../../data/schemas.js';
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

/**
 * The body of the request that creates or edits the webhook. The template is inserted as text, because parsing would
 * change numbers such as 2.0000.
 */
export function requestBody(form: WebhookForm, { isNew }: { isNew: boolean }): string {
  const fields = {
    name: form.name,
    uri: form.uri.trim(),
    status: form.isActive ? 1 : 0,
    secret: form.secret,
    signing: form.isSigned,
    rate_limit: rateLimitOf(form),
    ...(isNew && form.token !== '' ? { token: form.token } : {}),
  };
  return withMember(fields, 'payload', form.hasTemplate ? form.template : 'null');
}

/** The JSON text of an object, with one more member whose value is JSON text. */
export function withMember(fields: object, name: string, json: string): string {
  const start = JSON.stringify(fields).slice(0, -1);
  return `${start}${start === '{' ? '' : ','}${JSON.stringify(name)}:${json}}`;
}
