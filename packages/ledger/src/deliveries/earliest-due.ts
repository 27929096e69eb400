import { waitingSql } from './waiting.js';

/**
 * The CTE `first_deliveries` for `WITH RECURSIVE`: for each webhook and channel with waiting deliveries, the one that
 * is due first. It takes one probe of `deliveries_claim_idx` for each webhook and channel, however many deliveries
 * wait. `startCondition` selects the webhooks and channels from which the CTE starts. `withAccountId` adds the
 * account's id, which is not in the index.
 */
export function earliestDueCte({ startCondition = 'true', withAccountId = false } = {}): string {
  const columnsSql = `webhook_id, channel, due_at${withAccountId ? ', account_id' : ''}`;
  const firstSql = (condition: string) => `SELECT ${columnsSql} FROM deliveries
      WHERE ${waitingSql} AND ${condition} ORDER BY webhook_id, channel, due_at LIMIT 1`;
  return `first_deliveries AS (
    (${firstSql(startCondition)})
    UNION ALL
    SELECT n.* FROM first_deliveries p
      CROSS JOIN LATERAL (${firstSql('(webhook_id, channel) > (p.webhook_id, p.channel)')}) n
  )`;
}
