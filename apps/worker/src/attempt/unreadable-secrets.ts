import { UnreadableSecretError } from '@ringback/ledger';
import { errorFields, type Logger, setBounded } from '@ringback/process';

/** How long an attempt is postponed when no configured key decrypts a secret that it needs. */
export const unreadableSecretWaitMs = 60_000;

const maxLoggedWebhooks = 10_000;

type TaskWithSecrets = {
  webhookId: string;
  readonly bearer: string;
  readonly signingSecrets: string[];
  readonly verificationCode?: string | null;
};

/**
 * Returns whether a secret that a request needs is encrypted with a key that this process does not have. If so, also
 * logs the webhook and the field, at most once a minute for each webhook.
 */
export type HasUnreadableSecret = (task: TaskWithSecrets) => boolean;

export function createUnreadableSecretCheck(
  log: Pick<Logger, 'error'>,
  now = () => performance.now(),
): HasUnreadableSecret {
  const loggedAtMonotonicMs = new Map<string, number>();
  const logAtMostOncePerMinute = (webhookId: string, error: UnreadableSecretError) => {
    if (now() - (loggedAtMonotonicMs.get(webhookId) ?? -Infinity) < unreadableSecretWaitMs) return;
    setBounded(loggedAtMonotonicMs, webhookId, now(), maxLoggedWebhooks);
    log.error('webhook.secret_unreadable', { webhook_id: webhookId, ...errorFields(error) });
  };
  return (task) => {
    try {
      // Reading these properties decrypts the secrets.
      void [task.bearer, task.signingSecrets, task.verificationCode];
      return false;
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error;
      logAtMostOncePerMinute(task.webhookId, error);
      return true;
    }
  };
}
