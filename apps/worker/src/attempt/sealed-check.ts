import { SecretError } from '@ringback/database';
import { errorFields, type Logger, setBounded } from '@ringback/runtime';

/** How long a call waits for a key that opens its webhook's secrets before it is tried again. */
export const sealedWaitMs = 60_000;

const maxLoggedWebhooks = 10_000;

type Sealed = { webhookId: string; readonly bearer: string; readonly signingSecrets: string[] };

/**
 * Whether a secret that a call needs is encrypted with a key that this process does not have. Logs the webhook and the
 * field, once a minute for each webhook.
 */
export type IsSealed = (task: Sealed & { readonly token?: string | null }) => boolean;

export function createSealedCheck(log: Pick<Logger, 'error'>, now = () => performance.now()): IsSealed {
  const loggedAt = new Map<string, number>();
  const logOnce = (webhookId: string, error: SecretError) => {
    if (now() - (loggedAt.get(webhookId) ?? -Infinity) < sealedWaitMs) return;
    setBounded(loggedAt, webhookId, now(), maxLoggedWebhooks);
    log.error('webhook.sealed', { webhook_id: webhookId, ...errorFields(error) });
  };
  return (task) => {
    try {
      // Reading a secret decrypts it.
      void [task.bearer, task.signingSecrets, task.token];
      return false;
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      logOnce(task.webhookId, error);
      return true;
    }
  };
}
