import type { Database } from '../connection/database.js';
import { text, timestamp, uuid } from '../sql/columns.js';
import { statement } from '../sql/statement.js';

/**
 * SQL: whether a pause of the webhook `w` holds its deliveries back. The pause of an inactive webhook does not: its
 * deliveries are skipped.
 */
export const pausedSql = `w.paused_at IS NOT NULL AND w.active AND w.deleted_at IS NULL`;

/** SQL: whether the deliveries of the webhook `w` wait without attempts: it is paused, or its account `a` suspended. */
export const onHoldWithAccountSql = `(${pausedSql} OR a.suspended_at IS NOT NULL)`;

/**
 * SQL: the same, where its account is not joined. It compares a scalar subquery, because for an EXISTS the planner may
 * read all accounts.
 */
export const onHoldSql = `(${pausedSql}
    OR (SELECT held.suspended_at FROM accounts held WHERE held.id = w.account_id) IS NOT NULL)`;

/** The fields of a webhook that is not paused. */
export const notPaused = { pausedAt: null, pauseReason: null, pauseNotifiedAt: null, failingSince: null };

/** SQL: the assignments that make it so. */
export const notPausedSql = `paused_at = NULL, pause_reason = NULL, pause_notified_at = NULL, failing_since = NULL`;

/**
 * SQL: the assignments of an import for the webhook `w`. What belongs to a pause that stays does not change. Another
 * pause was announced where it comes from, and nothing remains of one that ends.
 */
export const importedPauseSql = `paused_at = EXCLUDED.paused_at, pause_reason = EXCLUDED.pause_reason,
      pause_notified_at = CASE WHEN w.paused_at IS NOT DISTINCT FROM EXCLUDED.paused_at THEN w.pause_notified_at
        ELSE EXCLUDED.pause_notified_at END,
      failing_since = CASE WHEN w.paused_at IS NOT DISTINCT FROM EXCLUDED.paused_at THEN w.failing_since END`;

/**
 * When a webhook is paused: after all its attempts have failed for `failingAfterDays` days (0: never), or with
 * `pauseOnGone` when its receiver responds with 410.
 */
export type AutoPauseRules = { failingAfterDays: number; pauseOnGone: boolean };

const failedTooLongSql = `w.failing_since <= clock_timestamp() - $failingAfterDays::float8 * interval '1 day'`;

/**
 * CTEs of the statement that records attempts. They pause webhooks that fail for too long or are gone, and keep
 * `failing_since`. They expect the CTEs `input` and `updated` and the parameters `$failingAfterDays` and
 * `$pauseOnGone`.
 */
export const pauseFailingWebhooksCtes = `results AS (
    -- What this batch says of each webhook.
    SELECT u.webhook_id AS id, bool_or(i.state = 'delivered') AS has_succeeded,
        COALESCE(bool_or(i.status_code = 410), false) AND $pauseOnGone::boolean AS is_gone
      FROM input i JOIN updated u USING (delivery_id) GROUP BY u.webhook_id
  ), transitions AS (
    -- Only webhooks that change, locked in the order of ids: two batches never deadlock.
    SELECT w.id, r.has_succeeded, CASE WHEN r.is_gone THEN 'gone'
        WHEN NOT r.has_succeeded AND ${failedTooLongSql} THEN 'failing' END AS reason
    FROM results r JOIN webhooks w ON w.id = r.id
    WHERE w.paused_at IS NULL AND (r.is_gone
      OR r.has_succeeded AND w.failing_since IS NOT NULL
      OR NOT r.has_succeeded AND $failingAfterDays::float8 > 0 AND (w.failing_since IS NULL OR ${failedTooLongSql}))
    ORDER BY w.id FOR NO KEY UPDATE OF w
  ), changed_webhooks AS (
    -- A success ends failing_since; a failure or a pause keeps its first time.
    UPDATE webhooks w SET pause_reason = t.reason, pause_notified_at = NULL,
      paused_at = CASE WHEN t.reason IS NOT NULL THEN clock_timestamp() END,
      failing_since = CASE WHEN t.reason IS NOT NULL OR NOT t.has_succeeded
        THEN COALESCE(w.failing_since, clock_timestamp()) END
    FROM transitions t WHERE w.id = t.id
  )`;

const clearStatement = statement(
  `UPDATE webhooks SET failing_since = NULL WHERE failing_since IS NOT NULL AND paused_at IS NULL`,
);

/**
 * Clears `failing_since` of all webhooks that are not paused. Call it while `failingAfterDays` is 0: the column is not
 * maintained then, and would be stale if the rule were turned on again.
 */
export async function clearFailingSince(db: Database): Promise<void> {
  await clearStatement.run(db.pool, {});
}

// A pause that an operator made with SQL may have no `failing_since`.
const unnotifiedStatement = statement<{ limit: number }>(`SELECT id AS "webhookId", account_id AS "accountId", name,
      pause_reason AS reason, paused_at AS "pausedAt", COALESCE(failing_since, paused_at) AS "failingSince"
    FROM webhooks WHERE paused_at IS NOT NULL AND pause_notified_at IS NULL ORDER BY id LIMIT $limit`).returns({
  webhookId: uuid,
  accountId: uuid,
  name: text,
  reason: text.as<'failing' | 'gone'>().withoutNulls,
  pausedAt: timestamp.withoutNulls,
  failingSince: timestamp.withoutNulls,
});

/** A pause of which the account has not been notified. */
export type UnnotifiedPause = Awaited<ReturnType<typeof unnotifiedStatement.rows>>[number];

/** At most `limit` pauses of which the accounts have not been notified. */
export async function listUnnotifiedPauses(db: Database, { limit }: { limit: number }): Promise<UnnotifiedPause[]> {
  return unnotifiedStatement.rows(db.pool, { limit });
}

const markStatement = statement<{ webhookId: string; pausedAt: Date }>(
  `UPDATE webhooks SET pause_notified_at = clock_timestamp()
    WHERE id = $webhookId AND date_trunc('milliseconds', paused_at) = $pausedAt AND pause_notified_at IS NULL`,
);

/**
 * Records when the account was notified of a pause. False if it had been notified before, or this pause is over. A Date
 * has milliseconds, so the times are compared to the millisecond.
 */
export async function markPauseNotified(
  db: Database,
  { webhookId, pausedAt }: Pick<UnnotifiedPause, 'webhookId' | 'pausedAt'>,
): Promise<boolean> {
  return (await markStatement.run(db.pool, { webhookId, pausedAt })) === 1;
}
