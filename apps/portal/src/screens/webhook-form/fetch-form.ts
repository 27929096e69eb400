import { type Api, unwrap } from '../../data/api.js';
import type { ShownWebhook } from '../../data/schemas.js';
import { indentJson, memberText } from '../../text/json.js';
import { newForm, type WebhookForm } from './form-state.js';

/** Fetches a webhook as form values. The template comes from the response text, so that numbers keep their digits. */
export async function fetchForm(api: Api, id: string, signal: AbortSignal): Promise<WebhookForm> {
  const text = await unwrap(api.GET('/developer/webhooks/{id}', { params: { path: { id } }, parseAs: 'text', signal }));
  const { data: webhook }: { data: ShownWebhook } = JSON.parse(text);
  const template = memberText(text, ['data', 'payload']);
  return {
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
}
