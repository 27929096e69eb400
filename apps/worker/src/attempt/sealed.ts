import { SecretError } from '@ringback/database';
import { errorFields, type Logger, setBounded } from '@ringback/runtime';

/** For how long a call waits before it is tried again whether a key opens its webhook's secrets. */
export const sealedWaitMs = 60_000;

const maxRemembered = 10_000;

type Sealed = { webhookId: string; readonly bearer: string; readonly signingSecrets: string[] };

/**
 * Whether a secret that a call needs is sealed with a key that this process does not have. The log names the webhook and
 * the field, once a minute for each webhook.
 */
export type IsSealed = (task: Sealed & { readonly token?: string | null }) => boolean;

export function openSealedCheck(log: Pick<Logger, 'error'>, now = () => performance.now()): IsSealed {
  const toldAt = new Map<string, number>();
  const tell = (webhookId: string, error: SecretError) => {
    if (now() - (toldAt.get(webhookId) ?? -Infinity) < sealedWaitMs) return;
    setBounded(toldAt, webhookId, now(), maxRemembered);
    log.error('webhook.sealed', { webhook_id: webhookId, ...errorFields(error) });
  };
  return (task) => {
    try {
      // Reading opens them.
      void [task.bearer, task.signingSecrets, task.token];
      return false;
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      tell(task.webhookId, error);
      return true;
    }
  };
}
