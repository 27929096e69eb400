import type { ShownWebhook, Webhook } from '../api/schemas.js';
import { StatusBadge } from '../components/status-badge.js';

const pauseLabels = { failing: 'Paused: it kept failing', gone: 'Paused: it returned 410' };

/** The state of a webhook: deleted, inactive, paused with the reason, or active. */
export function WebhookBadge({ webhook }: { webhook: Webhook | ShownWebhook }) {
  if (webhook.deleted_at !== undefined) return <StatusBadge tone="neutral">Deleted</StatusBadge>;
  if (Number(webhook.status) === 0) return <StatusBadge tone="neutral">Inactive</StatusBadge>;
  if (webhook.paused) {
    return (
      <StatusBadge tone="warning" icon="pause">
        {pauseLabels[webhook.paused.reason]}
      </StatusBadge>
    );
  }
  return <StatusBadge tone="success">Active</StatusBadge>;
}
