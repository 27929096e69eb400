import { setMarkSql } from '../audit/audit-marks.js';
import { deleteInBatches, maxDeletedAtOnce } from '../sql/delete-in-batches.js';
import type { Database } from '../connection/open.js';
import { floorToBucket, minuteRetentionDays, type Resolution } from './ranges.js';

const dayMs = 86_400_000;
/** The counts of hours and days are kept for this number of days beyond the ledger's retention. */
const keptLongerDays = 30;

/**
 * Deletes the counts of minutes older than a week. Deletes the counts of hours and days older than the ledger's
 * retention plus 30 days; a retention of 0 keeps them all. It deletes whole days (UTC), in statements of 10,000 rows.
 * Returns the number of deleted rows.
 */
export async function deleteOldStatistics(
  db: Database,
  { retentionDays, now = Date.now() }: { retentionDays: number; now?: number },
): Promise<number> {
  const before = (days: number) => floorToBucket(new Date(now - days * dayMs), 'day');
  const deletedMinutes = await deleteBefore(db, 'minute', before(minuteRetentionDays));
  if (retentionDays === 0) return deletedMinutes;
  const oldest = before(retentionDays + keptLongerDays);
  // The mark is set first, so that `ringback audit` does not report the rows that are being deleted as missing.
  await db.pool.query(setMarkSql('statistics_dropped', '$1'), [oldest]);
  return deletedMinutes + (await deleteBefore(db, 'hour', oldest)) + (await deleteBefore(db, 'day', oldest));
}

/** Returns the number of deleted rows. Uses the index `statistics_resolution_start_idx`. */
async function deleteBefore(db: Database, resolution: Resolution, before: Date): Promise<number> {
  const deleteSql = `DELETE FROM statistics WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM statistics WHERE resolution = $1 AND start < $2 LIMIT ${maxDeletedAtOnce}))`;
  return deleteInBatches(db, deleteSql, [resolution, before]);
}
