import type { Database } from '../connection/open.js';
import { unpreparedStatement } from '../sql/statement.js';
import { waitingSql } from './waiting.js';

/**
 * The number of waiting deliveries. `isCapped`: there are more than `count`. `retries`: how many of the counted ones
 * have had an attempt.
 */
export type WaitingCount = { count: number; isCapped: boolean; retries: number };

const maxWaiting = 10_000;

// Uses the index `deliveries_claim_idx` for each webhook.
const countStatement = unpreparedStatement<{ accountId: string; webhookIds: readonly string[] | null }>(`
  SELECT count(*)::int AS count, (count(*) FILTER (WHERE attempt_count > 0))::int AS retries FROM (
    SELECT d.attempt_count FROM webhooks w CROSS JOIN LATERAL (
        SELECT attempt_count FROM deliveries WHERE webhook_id = w.id AND ${waitingSql}
          LIMIT ${maxWaiting + 1}) d
      WHERE w.account_id = $accountId AND ($webhookIds::uuid[] IS NULL OR w.id = ANY($webhookIds))
      LIMIT ${maxWaiting + 1}) found`);

/**
 * Counts the deliveries of the account's webhooks, or of these `webhookIds`, that wait without a lease, up to 10,000.
 */
export async function countWaiting(
  db: Database,
  accountId: string,
  { webhookIds = null }: { webhookIds?: readonly string[] | null | undefined },
): Promise<WaitingCount> {
  const { rows } = await db.pool.query<Omit<WaitingCount, 'isCapped'>>(countStatement({ accountId, webhookIds }));
  const { count, retries } = rows[0] ?? { count: 0, retries: 0 };
  return { count: Math.min(count, maxWaiting), isCapped: count > maxWaiting, retries: Math.min(retries, maxWaiting) };
}
