import { insertChange } from './changes.js';
import type { Database } from './open.js';
import { settled } from './parking.js';
import { isUuid } from './uuid.js';

/** What makes a final delivery pending once more, for one attempt. Parked, it is fetched by a worker without a job. */
export const resendColumns = (parkedAt: string) => `state = 'pending', resent_from = deliveries.state, reason = NULL,
  next_attempt_at = clock_timestamp(), parked_at = ${parkedAt}, leased = false, updated_at = clock_timestamp()`;

/** As if it had been parked long enough ago to be fetched at once. */
export const parkedBefore = `clock_timestamp() - ${settled}`;

const resend = `WITH done AS (
    UPDATE deliveries SET ${resendColumns(`CASE WHEN $4 THEN ${parkedBefore} END`)}
      WHERE id = $1 AND account_id = $2 AND state <> 'pending' RETURNING id, account_id
  ) ${insertChange('delivery.resent', { actor: '$3' })}`;

// One that is due is being called, or is about to be. Its job, if it has one, finds it parked, final, or not due.
const hasten = `WITH done AS (
    UPDATE deliveries SET next_attempt_at = clock_timestamp(), parked_at = clock_timestamp(), leased = false,
        updated_at = clock_timestamp()
      WHERE id = $1 AND account_id = $2 AND state = 'pending' AND parked_at IS NULL
        AND next_attempt_at > clock_timestamp() RETURNING id, account_id
  ) ${insertChange('delivery.resent', { actor: '$3' })}`;

/**
 * Makes a final delivery of the account pending once more, for one attempt; its schedule does not begin anew. `parked`:
 * a worker fetches it within seconds; otherwise it needs a job. False when there is no final delivery of this id.
 */
export async function resendDelivery(
  db: Database,
  accountId: string,
  id: string,
  { parked }: { parked: boolean },
): Promise<boolean> {
  const { rowCount } = isUuid(id) ? await db.pool.query(resend, [id, accountId, db.actor, parked]) : { rowCount: 0 };
  return rowCount === 1;
}

/**
 * Makes the next attempt of a pending delivery of the account due now; it is still an attempt of its schedule. A worker
 * fetches it within seconds, without a job. False when it is due already, or not pending.
 */
export async function hastenDelivery(db: Database, accountId: string, id: string): Promise<boolean> {
  const { rowCount } = isUuid(id) ? await db.pool.query(hasten, [id, accountId, db.actor]) : { rowCount: 0 };
  return rowCount === 1;
}
