import type { Database } from '../connection/database.js';

/** The columns from which the bearer token of callbacks is read. */
export type BearerRow = { webhookId: string; accountId: string; secret: string | null; callbackToken: string };

/** The secrets of a `BearerRow`, read from a webhook `w` and its account `a`. */
export const bearerColumnsSql = `w.secret, a.callback_token AS "callbackToken"`;

/**
 * The bearer token of callbacks: the webhook's secret, or the account's callback token if the webhook has no secret.
 * Throws an UnreadableSecretError if no configured key decrypts the token.
 */
export function decryptBearer(
  { secrets }: Database,
  { webhookId, accountId, secret, callbackToken }: BearerRow,
): string {
  return secret === null
    ? secrets.decrypt(callbackToken, { column: 'accounts.callback_token', id: accountId })
    : secrets.decrypt(secret, { column: 'webhooks.secret', id: webhookId });
}

/** The columns from which the keys of a webhook's Standard Webhooks signature are read. */
export type SigningRow = {
  webhookId: string;
  signing: boolean;
  signingSecret: string | null;
  /** Null when it no longer signs. */
  previousSigningSecret: string | null;
};

/** The columns of a `SigningRow`, read from a webhook `w`. */
export const signingColumnsSql = `w.signing_secret AS "signingSecret",
    CASE WHEN w.previous_signs_until > clock_timestamp() THEN w.previous_signing_secret END AS "previousSigningSecret"`;

/**
 * The keys that sign now, the current one first; none if the webhook does not sign or has no signing secret yet. Throws
 * an UnreadableSecretError if no configured key decrypts one of them.
 */
export function decryptSigningSecrets({ secrets }: Database, row: SigningRow): string[] {
  const { webhookId: id, signing, signingSecret, previousSigningSecret } = row;
  if (!signing || signingSecret === null) return [];
  const current = secrets.decrypt(signingSecret, { column: 'webhooks.signing_secret', id });
  if (previousSigningSecret === null) return [current];
  return [current, secrets.decrypt(previousSigningSecret, { column: 'webhooks.previous_signing_secret', id })];
}
