import type { Database } from './open.js';

/** When a webhook that fails is paused; `failingAfterDays` 0: never for failing. */
export type Pausing = { failingAfterDays: number; gone: boolean };

/**
 * Of the statement that records attempts: pauses their webhooks, or notes since when they fail. Only a webhook whose
 * state changes is touched, and in the order of ids, so that two batches never wait for each other in a circle. $22 and
 * $23 are those of `Pausing`.
 */
export const watchWebhooks = `told AS (
    SELECT c.webhook_id AS id, bool_or(i.state = 'delivered') AS succeeded,
        COALESCE(bool_or(i.status_code = 410), false) AND $23::boolean AS gone
      FROM input i JOIN counted c USING (id) GROUP BY c.webhook_id
  ), turned AS (
    SELECT w.id, t.succeeded, CASE WHEN t.gone THEN 'gone'
        WHEN NOT t.succeeded AND w.failing_since <= clock_timestamp() - $22::float8 * interval '1 day' THEN 'failing'
      END AS reason
    FROM told t JOIN webhooks w ON w.id = t.id
    WHERE w.paused_at IS NULL AND (t.gone OR CASE WHEN t.succeeded THEN w.failing_since IS NOT NULL
      ELSE $22::float8 > 0 AND (w.failing_since IS NULL
        OR w.failing_since <= clock_timestamp() - $22::float8 * interval '1 day') END)
    ORDER BY w.id FOR NO KEY UPDATE OF w
  ), watched AS (
    UPDATE webhooks w SET pause_reason = t.reason,
      paused_at = CASE WHEN t.reason IS NOT NULL THEN clock_timestamp() END,
      failing_since = CASE WHEN t.reason IS NOT NULL OR NOT t.succeeded
        THEN COALESCE(w.failing_since, clock_timestamp()) END
    FROM turned t WHERE w.id = t.id
  )`;

/** Forgets since when webhooks have failed, where nobody keeps watch any more: it would be out of date one day. */
export async function forgetFailing(db: Database): Promise<void> {
  await db.pool.query(`UPDATE webhooks SET failing_since = NULL WHERE failing_since IS NOT NULL AND paused_at IS NULL`);
}

/** A pause that the account does not know of yet. */
export type UntoldPause = {
  webhookId: string;
  accountId: string;
  name: string;
  reason: 'failing' | 'gone';
  failingSince: Date;
  pausedAt: Date;
};

/** The pauses that the account does not know of yet, at most `limit`. */
export async function listUntoldPauses(db: Database, { limit }: { limit: number }): Promise<UntoldPause[]> {
  const { rows } = await db.pool.query<UntoldPause>(
    `SELECT id AS "webhookId", account_id AS "accountId", name, pause_reason AS reason, paused_at AS "pausedAt",
        failing_since AS "failingSince"
      FROM webhooks WHERE paused_at IS NOT NULL AND NOT pause_told ORDER BY id LIMIT $1`,
    [limit],
  );
  return rows;
}

/** Notes that the account knows of the pause of a webhook. False when somebody else did, or it is over. */
export async function markPauseTold(db: Database, webhookId: string): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `UPDATE webhooks SET pause_told = true WHERE id = $1 AND paused_at IS NOT NULL AND NOT pause_told`,
    [webhookId],
  );
  return rowCount === 1;
}
