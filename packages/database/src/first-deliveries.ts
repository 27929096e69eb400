import { isClaimable } from './claims.js';

/**
 * A common table expression of `WITH RECURSIVE`: of each webhook and channel, the delivery that is due first. It takes one
 * step in `deliveries_claim_idx` for each webhook, however many deliveries wait. `account` adds the account's id, which is
 * not in the index.
 */
export function firstDeliveries({ startCondition = 'true', account = false } = {}): string {
  const columns = `webhook_id, channel, due_at${account ? ', account_id' : ''}`;
  const first = (condition: string) => `SELECT ${columns} FROM deliveries
      WHERE ${isClaimable} AND ${condition} ORDER BY webhook_id, channel, due_at LIMIT 1`;
  return `first_deliveries AS (
    (${first(startCondition)})
    UNION ALL
    SELECT n.* FROM first_deliveries p
      CROSS JOIN LATERAL (${first('(webhook_id, channel) > (p.webhook_id, p.channel)')}) n
  )`;
}
