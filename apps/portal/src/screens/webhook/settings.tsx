import type { ShownWebhook } from '../../api/schemas.js';
import { useHasScope } from '../../session/session-context.js';
import { SigningSecret } from '../webhooks/secrets.js';
import { RateLimit } from '../webhooks/settings.js';
import { Subscriptions } from '../webhooks/subscriptions.js';
import { VerificationState } from '../webhooks/verification.js';
import { BearerSecret } from './bearer-secret.js';
import { DeleteWebhook } from './delete-webhook.js';
import { StateSwitch } from './state-switch.js';

/** The settings of the webhook. Each of them is saved on its own. */
export function Settings({ webhook }: { webhook: ShownWebhook }) {
  const canWrite = useHasScope('write');
  return (
    <div className="settings">
      <Subscriptions webhookId={webhook.id} />
      <StateSwitch webhook={webhook} />
      <RateLimit key={webhook.rate_limit ?? 0} webhook={webhook} />
      <VerificationState webhook={webhook} />
      {canWrite && <BearerSecret webhook={webhook} />}
      {canWrite && <SigningSecret webhookId={webhook.id} />}
      {canWrite && <DeleteWebhook webhook={webhook} />}
    </div>
  );
}
