import { errorFields, type Logger, setBounded } from '@ringback/process';
import type { Database } from '../connection/database.js';
import { UnreadableSecretError } from '../connection/secrets.js';
import { type RowOf, select, text } from '../sql/columns.js';

/** The secrets of a webhook `w` and its account `a`. */
export const encryptedSecrets = select({
  /** The webhook's own bearer token; null if it uses the callback token of its account. */
  secret: ['w.secret', text.orNull],
  callbackToken: ['a.callback_token', text],
  /** `user:password` of the uri. */
  userinfo: ['w.userinfo', text.orNull],
  /** The keys of the Standard Webhooks signature. The previous one is null when it no longer signs. */
  signingSecret: ['w.signing_secret', text.orNull],
  previousSigningSecret: [
    'CASE WHEN w.previous_signs_until > clock_timestamp() THEN w.previous_signing_secret END',
    text.orNull,
  ],
  verificationCode: ['w.verification_code', text.orNull],
});

/** The secrets that requests to a webhook need, as they are stored. `SecretDecrypter` decrypts them. */
export type EncryptedSecrets = RowOf<(typeof encryptedSecrets)['columns']>;

/** The columns of `EncryptedSecrets` of a row. */
export function encryptedSecretsOf(row: EncryptedSecrets): EncryptedSecrets {
  const { secret, callbackToken, userinfo, signingSecret, previousSigningSecret, verificationCode } = row;
  return { secret, callbackToken, userinfo, signingSecret, previousSigningSecret, verificationCode };
}

/** What requests to a webhook carry as secrets. */
export type CallbackSecrets = {
  /** The bearer token: the webhook's secret, or the account's callback token. */
  bearer: string;
  /** `user:password` of the uri, which is sent instead of the bearer token; null without one. */
  userinfo: string | null;
  /**
   * The keys that sign now: one, or two in the 24 hours after a rotation, the current one first; none if the webhook
   * does not sign or has no signing secret yet.
   */
  signingSecrets: string[];
  verificationCode: string | null;
};

type WebhookWithSecrets = {
  webhookId: string;
  accountId: string;
  signing: boolean;
  encrypted: EncryptedSecrets;
};

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
   * once a minute for each webhook. Callbacks do not carry the verification code, so it is null if no key decrypts it,
   * unless the request needs it (`needsCode`).
   */
  decrypt(webhook: WebhookWithSecrets, { needsCode = false } = {}): CallbackSecrets | null {
    try {
      return decryptSecrets(this.#db, webhook, needsCode);
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

/** Throws an UnreadableSecretError if no configured key decrypts a secret that the request needs. */
function decryptSecrets(
  { secrets }: Pick<Database, 'secrets'>,
  { webhookId: id, accountId, signing, encrypted }: WebhookWithSecrets,
  needsCode: boolean,
): CallbackSecrets {
  const { secret, callbackToken, signingSecret, previousSigningSecret, verificationCode } = encrypted;
  const userinfo = encrypted.userinfo && secrets.decrypt(encrypted.userinfo, { column: 'webhooks.userinfo', id });
  const signingSecrets: string[] = [];
  const bearer =
    secret === null
      ? secrets.decrypt(callbackToken, { column: 'accounts.callback_token', id: accountId })
      : secrets.decrypt(secret, { column: 'webhooks.secret', id });
  if (signing && signingSecret !== null) {
    signingSecrets.push(secrets.decrypt(signingSecret, { column: 'webhooks.signing_secret', id }));
    if (previousSigningSecret !== null)
      signingSecrets.push(secrets.decrypt(previousSigningSecret, { column: 'webhooks.previous_signing_secret', id }));
  }
  const decryptCode = () =>
    verificationCode && secrets.decrypt(verificationCode, { column: 'webhooks.verification_code', id });
  const code = needsCode ? decryptCode() : nullIfUnreadable(decryptCode);
  return { bearer, userinfo, signingSecrets, verificationCode: code };
}

function nullIfUnreadable<T>(decrypt: () => T): T | null {
  try {
    return decrypt();
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null;
    throw error;
  }
}
