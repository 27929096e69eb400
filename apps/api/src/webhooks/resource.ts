import type { Webhook } from '@ringback/database';
import { timestamp } from '../http/envelope.js';

/**
 * A webhook on the wire. `status` is text in create, edit, list and restore, and a number in show (behaviour: quirks
 * of the specification). `payload` is shown when set, `signing` when false.
 */
export function webhookResource(webhook: Webhook, statusAs: 'text' | 'number' = 'text') {
  const status = webhook.active ? 1 : 0;
  return {
    id: webhook.id,
    name: webhook.name,
    uri: webhook.uri,
    secret: webhook.secret,
    verification_code: webhook.verificationCode,
    status: statusAs === 'text' ? String(status) : status,
    created_at: timestamp(webhook.createdAt),
    updated_at: timestamp(webhook.updatedAt),
    ...(webhook.payload === null ? {} : { payload: webhook.payload }),
    ...(webhook.signing ? {} : { signing: false }),
  };
}
