import type { ShownWebhook } from '../../api/schemas.js';
import { Button } from '../../components/button.js';
import { WebhookBadge } from '../../labels/webhook-badge.js';
import { useHasScope } from '../../session/session-context.js';
import { useWebhookChange } from './webhook-query.js';

/** Shows the state of the webhook, and activates or deactivates it. */
export function StateSwitch({ webhook }: { webhook: ShownWebhook }) {
  const canWrite = useHasScope('write');
  const isActive = webhook.status === 1;
  const change = useWebhookChange(webhook.id, isActive ? 'The webhook is inactive now.' : 'The webhook is active now.');
  return (
    <section aria-labelledby="state">
      <h2 id="state">State</h2>
      <p>
        <WebhookBadge webhook={webhook} />
      </p>
      <p className="hint">While a webhook is inactive, its deliveries are skipped. A replay can send them later.</p>
      {change.error && <p role="alert">{change.error.message}</p>}
      {canWrite && (
        <Button isBusy={change.isPending} onClick={() => change.mutate({ status: isActive ? 0 : 1 })}>
          {isActive ? 'Deactivate' : 'Activate'}
        </Button>
      )}
    </section>
  );
}
