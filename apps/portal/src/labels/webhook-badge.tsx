import { StatusBadge } from '../components/status-badge.js';
import type { ShownWebhook, Webhook } from '../data/schemas.js';

const pauses = { failing: 'Paused: it kept failing', gone: 'Paused: it answered 410' };

/** Whether a webhook gets callbacks, and why not. */
export function WebhookBadge({ webhook }: { webhook: Webhook | ShownWebhook }) {
  if (webhook.deleted_at !== undefined) return <StatusBadge tone="neutral">Deleted</StatusBadge>;
  if (Number(webhook.status) === 0) return <StatusBadge tone="neutral">Inactive</StatusBadge>;
  if (webhook.paused) {
    return (
      <StatusBadge tone="warning" icon="pause">
        {pauses[webhook.paused.reason]}
      </StatusBadge>
    );
  }
  return <StatusBadge tone="success">Active</StatusBadge>;
}
