import type { Database } from '../connection/open.js';

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
