import type { Database } from './open.js';

/** When a webhook is paused: after it has failed for some days (0: never), and, with `gone`, when it answers 410. */
export type Pausing = { failingAfterDays: number; gone: boolean };

/**
 * A part of the statement that records attempts: pauses their webhooks, or notes since when they fail. It changes only
 * webhooks whose state changes, and locks them in the order of their ids, so that two batches never deadlock. The
 * parameters are `$failingAfterDays` and `$pauseIfGone`; `webhooks_pkey` serves it.
 */
export const watchWebhooks = `results AS (
    SELECT u.webhook_id AS id, bool_or(i.state = 'delivered') AS has_succeeded,
        COALESCE(bool_or(i.status_code = 410), false) AND $pauseIfGone::boolean AS is_gone
      FROM input i JOIN updated u USING (delivery_id) GROUP BY u.webhook_id
  ), transitions AS (
    SELECT w.id, r.has_succeeded, CASE WHEN r.is_gone THEN 'gone'
        WHEN NOT r.has_succeeded AND w.failing_since <= clock_timestamp() - $failingAfterDays::float8 * interval '1 day'
          THEN 'failing'
      END AS reason
    FROM results r JOIN webhooks w ON w.id = r.id
    WHERE w.paused_at IS NULL AND (r.is_gone OR CASE WHEN r.has_succeeded THEN w.failing_since IS NOT NULL
      ELSE $failingAfterDays::float8 > 0 AND (w.failing_since IS NULL
        OR w.failing_since <= clock_timestamp() - $failingAfterDays::float8 * interval '1 day') END)
    ORDER BY w.id FOR NO KEY UPDATE OF w
  ), changed_webhooks AS (
    UPDATE webhooks w SET pause_reason = t.reason,
      paused_at = CASE WHEN t.reason IS NOT NULL THEN clock_timestamp() END,
      failing_since = CASE WHEN t.reason IS NOT NULL OR NOT t.has_succeeded
        THEN COALESCE(w.failing_since, clock_timestamp()) END
    FROM transitions t WHERE w.id = t.id
  )`;

/** Clears since when webhooks fail. For services that no longer pause failing webhooks, where the time would become stale. */
export async function forgetFailing(db: Database): Promise<void> {
  await db.pool.query(`UPDATE webhooks SET failing_since = NULL WHERE failing_since IS NOT NULL AND paused_at IS NULL`);
}

/** A pause of which the account has not been notified. */
export type UnnotifiedPause = {
  webhookId: string;
  accountId: string;
  name: string;
  reason: 'failing' | 'gone';
  failingSince: Date;
  pausedAt: Date;
};

/** The pauses of which the accounts have not been notified, at most `limit`. The column `pause_told` keeps its old name. */
export async function listUnnotifiedPauses(db: Database, { limit }: { limit: number }): Promise<UnnotifiedPause[]> {
  const { rows } = await db.pool.query<UnnotifiedPause>(
    `SELECT id AS "webhookId", account_id AS "accountId", name, pause_reason AS reason, paused_at AS "pausedAt",
        failing_since AS "failingSince"
      FROM webhooks WHERE paused_at IS NOT NULL AND NOT pause_told ORDER BY id LIMIT $1`,
    [limit],
  );
  return rows;
}

/** Notes that the account was notified of the pause of a webhook. False when it was notified before, or the pause is over. */
export async function markPauseNotified(db: Database, webhookId: string): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `UPDATE webhooks SET pause_told = true WHERE id = $1 AND paused_at IS NOT NULL AND NOT pause_told`,
    [webhookId],
  );
  return rowCount === 1;
}
