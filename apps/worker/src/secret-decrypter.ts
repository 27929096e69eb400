import {
  type CallbackSecrets,
  type Database,
  decryptSecrets,
  UnreadableSecretError,
  type WebhookWithSecrets,
} from '@ringback/ledger';
import { errorFields, type Logger, setBounded } from '@ringback/process';

/** How long an attempt is postponed when no configured key decrypts a secret that it needs. */
export const unreadableSecretWaitMs = 60_000;

const maxLoggedWebhooks = 10_000;

/** Decrypts the secrets of webhooks, and logs those that are encrypted with a key that this process does not have. */
export class SecretDecrypter {
  readonly #db: Pick<Database, 'secrets'>;
  readonly #log: Pick<Logger, 'error'>;
  readonly #loggedAtMonotonicMs = new Map<string, number>();

  constructor(db: Pick<Database, 'secrets'>, log: Pick<Logger, 'error'>) {
    this.#db = db;
    this.#log = log;
  }

  /**
   * The secrets that a request needs. Null if no key decrypts one of them; this logs the webhook and the field, at most
   * once a minute for each webhook.
   */
  decrypt(webhook: WebhookWithSecrets, options: { needsCode?: boolean } = {}): CallbackSecrets | null {
    try {
      return decryptSecrets(this.#db, webhook, options);
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error;
      this.#logAtMostOncePerMinute(webhook.webhookId, error);
      return null;
    }
  }

  #logAtMostOncePerMinute(webhookId: string, error: UnreadableSecretError): void {
    const now = performance.now();
    if (now - (this.#loggedAtMonotonicMs.get(webhookId) ?? -Infinity) < unreadableSecretWaitMs) return;
    setBounded(this.#loggedAtMonotonicMs, webhookId, now, maxLoggedWebhooks);
    this.#log.error('webhook.secret_unreadable', { webhook_id: webhookId, ...errorFields(error) });
  }
}
