import { insertChangeSql } from '../changes.js';
import { type Actor, type Database, inTransaction } from '../connection/database.js';
import { lockAccountStatement } from '../connection/lock.js';
import { waitingSql } from '../deliveries/due.js';
import { endDeliveriesOfAccount } from '../deliveries/leases.js';
import { boolean } from '../sql/columns.js';
import { isUuid } from '../sql/ids.js';
import { statement } from '../sql/statement.js';
import { notPausedSql } from '../webhooks/pauses.js';

/** The account has deliveries that are pending, and the deletion was not forced. Nothing was changed. */
export class PendingDeliveriesError extends Error {
  override readonly name = 'PendingDeliveriesError';
}

// Pending deliveries wait or have a lease. The two have an index each.
const pendingStatement = statement<{ accountId: string }>(`SELECT EXISTS (SELECT FROM webhooks w
      CROSS JOIN LATERAL (SELECT FROM deliveries WHERE webhook_id = w.id AND ${waitingSql} LIMIT 1) d
      WHERE w.account_id = $accountId)
    OR EXISTS (SELECT FROM deliveries WHERE account_id = $accountId AND lease_expires_at IS NOT NULL) AS "isPending"`).returns(
  { isPending: boolean },
);

const deleteStatement = statement<{ accountId: string; actor: Actor }>(
  `WITH changed_rows AS (
    UPDATE accounts SET deleted_at = clock_timestamp(), updated_at = clock_timestamp(), suspended_at = NULL, external_id = NULL
      WHERE id = $accountId RETURNING id AS account_id, id
  ) ${insertChangeSql('account.deleted', { actor: '$actor' })}`,
);

/**
 * What ends with an account. Its tokens get the time of its deletion, by which an import that creates the account again
 * knows them. Webhooks are locked in the order of their ids, as by the statement that records attempts.
 */
const endStatements = [
  `UPDATE access_tokens t SET revoked_at = a.deleted_at FROM accounts a
    WHERE a.id = $accountId AND t.account_id = a.id AND t.revoked_at IS NULL`,
  `UPDATE portal_sessions SET ended_at = clock_timestamp() WHERE account_id = $accountId AND ended_at IS NULL`,
  `DELETE FROM subscriptions WHERE account_id = $accountId`,
  `UPDATE webhooks SET active = false, deleted_at = clock_timestamp(), updated_at = clock_timestamp(), ${notPausedSql}
    WHERE id = ANY (ARRAY (SELECT id FROM webhooks
      WHERE account_id = $accountId AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE))`,
].map((text) => statement<{ accountId: string }>(text));

/**
 * Deletes an account: its access tokens, portal sessions, webhooks and subscriptions end at once. Events and deliveries
 * stay until their retention ends, and therefore the row of the account does. Throws a PendingDeliveriesError unless
 * `force`, which ends the waiting deliveries as skipped; an attempt that is under way is the last one of its delivery.
 * False when there is no such account.
 */
export async function deleteAccount(db: Database, accountId: string, { force = false } = {}): Promise<boolean> {
  if (!isUuid(accountId)) return false;
  const isDeleted = await inTransaction(db, async (client) => {
    if ((await lockAccountStatement.run(client, { accountId })) === 0) return false;
    if (!force && (await pendingStatement.row(client, { accountId }))?.isPending)
      throw new PendingDeliveriesError('the account has pending deliveries');
    await deleteStatement.run(client, { accountId, actor: db.actor });
    for (const end of endStatements) await end.run(client, { accountId });
    return true;
  });
  // If this stops halfway, a worker skips the remaining ones when they are due, because their webhooks are deleted.
  if (isDeleted && force) await endDeliveriesOfAccount(db, accountId, 'account deleted');
  return isDeleted;
}
