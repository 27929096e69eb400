import { type Api, unwrap } from '../../api/client.js';
import type { ShownWebhook } from '../../api/schemas.js';
import { indentJson, memberText } from '../../text/json.js';
import { newForm, type WebhookForm } from '../webhooks/form-values.js';

/** A webhook as form values, and the `ETag` of this state. */
export type LoadedForm = { form: WebhookForm; etag: string | null };

// A proxy that compresses responses makes the tag weak, or adds to it. The API knows the tag that it sent.
const sentTag = (etag: string | null): string | null => etag?.replace(/^(?:W\/)?"([^"]*?)(?:-gzip)?"$/, '"$1"') ?? null;

/** Fetches a webhook as form values. The template comes from the response text, so that numbers keep their digits. */
export async function fetchForm(api: Api, id: string, signal?: AbortSignal): Promise<LoadedForm> {
  const params = { path: { id } };
  const call = api.GET('/developer/webhooks/{id}', { params, parseAs: 'text', ...(signal ? { signal } : {}) });
  const text = await unwrap(call);
  const { response } = await call;
  const { data: webhook }: { data: ShownWebhook } = JSON.parse(text);
  const template = memberText(text, ['data', 'payload']);
  const form: WebhookForm = {
    name: webhook.name,
    uri: webhook.uri,
    isActive: webhook.status === 1,
    hasTemplate: template !== undefined,
    template: template === undefined ? newForm.template : indentJson(template),
    secret: webhook.secret ?? '',
    isSigned: webhook.signing !== false,
    rateLimit: webhook.rate_limit === undefined ? '' : String(webhook.rate_limit),
    token: '',
    events: [],
  };
  return { form, etag: sentTag(response.headers.get('ETag')) };
}
