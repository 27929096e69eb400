import type { Database } from './open.js';
import { statement } from './statement.js';

const postpone = statement(
  'postpone',
  `UPDATE deliveries SET parked_at = NULL, leased = false, updated_at = clock_timestamp(),
      next_attempt_at = clock_timestamp() + $2::float8 * interval '1 millisecond'
    WHERE id = $1 AND state = 'pending'`,
);

/** Has a delivery be due again after a while. That spends no attempt; the caller gives it the job. */
export async function postponeDelivery(db: Database, id: string, waitMs: number): Promise<void> {
  await db.pool.query(postpone([id, waitMs]));
}
