import { randomBytes } from 'node:crypto';
import { insertChangeSql } from '../changes.js';
import { type Actor, type Database, inTransaction } from '../connection/database.js';
import { UnreadableSecretError } from '../connection/secrets.js';
import { isUuid } from '../sql/ids.js';
import { type RowOf, text, timestamp } from '../sql/columns.js';
import { statement } from '../sql/statement.js';

/** The secret that signs a webhook's callbacks, and the time until which the previous secret also signs, if it does. */
export type SigningSecret = { secret: string; previousSignsUntil: Date | null };

const overlapSql = `interval '24 hours'`;

/** A secret in the format of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const currentColumn = 'webhooks.signing_secret';
const previousColumn = 'webhooks.previous_signing_secret';

const resultColumns = { signingSecret: text.withoutNulls, previousSignsUntil: timestamp.orNull };
const resultColumnsSql = `signing_secret AS "signingSecret",
  CASE WHEN previous_signs_until > clock_timestamp() THEN previous_signs_until END AS "previousSignsUntil"`;

// `insertChangeSql` reads the CTE `changed_rows`. COALESCE ensures that concurrent requests get the same new secret.
type GetParameters = { id: string; accountId: string; newSecret: string; actor: Actor };
const getOrCreateStatement = statement<GetParameters>(`WITH changed_rows AS (
    UPDATE webhooks SET signing_secret = COALESCE(signing_secret, $newSecret)
      WHERE id = $id AND account_id = $accountId AND deleted_at IS NULL RETURNING *
  ), log AS (${insertChangeSql('signing_secret.shown', { actor: '$actor' })})
  SELECT ${resultColumnsSql} FROM changed_rows`).returns(resultColumns);

/**
 * The signing secret of a live webhook of the account. It is created if missing. The change history records the call.
 * Null when there is no such webhook. Throws an UnreadableSecretError if no configured key decrypts the secret.
 */
export async function getOrCreateSigningSecret(
  db: Database,
  accountId: string,
  webhookId: string,
): Promise<SigningSecret | null> {
  if (!isUuid(webhookId)) return null;
  const id = webhookId.toLowerCase();
  const newSecret = db.secrets.encrypt(newSigningSecret(), { column: currentColumn, id });
  // If no key decrypts the secret, the transaction is rolled back, so that the change history has no row for it.
  return inTransaction(db, async (client) => {
    return decryptRow(db, id, await getOrCreateStatement.row(client, { id, accountId, newSecret, actor: db.actor }));
  });
}

const lockStatement = statement<{
  id: string;
  accountId: string;
}>(`SELECT signing_secret AS "signingSecret" FROM webhooks
  WHERE id = $id AND account_id = $accountId AND deleted_at IS NULL FOR UPDATE`).returns({
  signingSecret: text.orNull,
});
type RotateParameters = { id: string; newSecret: string; previous: string | null; actor: Actor };
const rotateStatement = statement<RotateParameters>(`WITH changed_rows AS (
    UPDATE webhooks SET signing_secret = $newSecret, previous_signing_secret = $previous::text,
        previous_signs_until = CASE WHEN $previous::text IS NOT NULL THEN clock_timestamp() + ${overlapSql} END
      WHERE id = $id RETURNING *
  ), log AS (${insertChangeSql('signing_secret.rotated', { actor: '$actor' })})
  SELECT ${resultColumnsSql} FROM changed_rows`).returns(resultColumns);

/**
 * Gives a live webhook of the account a new signing secret. The secret so far signs for another 24 hours, and the one
 * before it stops signing at once. Null when there is no such webhook.
 */
export async function rotateSigningSecret(
  db: Database,
  accountId: string,
  webhookId: string,
): Promise<SigningSecret | null> {
  if (!isUuid(webhookId)) return null;
  const id = webhookId.toLowerCase();
  return inTransaction(db, async (client) => {
    const row = await lockStatement.row(client, { id, accountId });
    if (!row) return null;
    // The secret so far is encrypted again, for its new column. If no key decrypts it, it cannot sign and is dropped.
    const current = row.signingSecret && decryptOrNull(db, row.signingSecret, id);
    const newSecret = db.secrets.encrypt(newSigningSecret(), { column: currentColumn, id });
    const previous = current && db.secrets.encrypt(current, { column: previousColumn, id });
    return decryptRow(db, id, await rotateStatement.row(client, { id, newSecret, previous, actor: db.actor }));
  });
}

function decryptOrNull({ secrets }: Database, stored: string, id: string): string | null {
  try {
    return secrets.decrypt(stored, { column: currentColumn, id });
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null;
    throw error;
  }
}

function decryptRow(
  { secrets }: Database,
  id: string,
  row: RowOf<typeof resultColumns> | undefined,
): SigningSecret | null {
  if (!row) return null;
  const { signingSecret, previousSignsUntil } = row;
  return { secret: secrets.decrypt(signingSecret, { column: currentColumn, id }), previousSignsUntil };
}
