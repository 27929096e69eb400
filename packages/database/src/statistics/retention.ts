import { setMarkSql } from '../audit/audit-marks.js';
import { deleteInBatches, maxDeletedAtOnce } from '../sql/delete-in-batches.js';
import type { Database } from '../connection/open.js';
import { floorToBucket, minuteRetentionDays, type Resolution } from './ranges.js';

const dayMs = 86_400_000;
/** Hours and days are kept for this number of days beyond the log's retention. */
const keptLongerDays = 30;

/**
 * Deletes minutes that are older than a week, and hours and days that are 30 days older than the log's retention; a
 * retention of 0 keeps all hours and days. It deletes whole days (UTC), in statements of 10,000 rows. Returns the
 * number of rows.
 */
export async function deleteOldStatistics(
  db: Database,
  { retentionDays, now = Date.now() }: { retentionDays: number; now?: number },
): Promise<number> {
  const before = (days: number) => floorToBucket(new Date(now - days * dayMs), 'day');
  const minutes = await deleteBefore(db, 'minute', before(minuteRetentionDays));
  if (retentionDays === 0) return minutes;
  const oldest = before(retentionDays + keptLongerDays);
  // The mark is set first, so that `ringback audit` does not report the rows that are being deleted as missing.
  await db.pool.query(setMarkSql('statistics_dropped', '$1'), [oldest]);
  return minutes + (await deleteBefore(db, 'hour', oldest)) + (await deleteBefore(db, 'day', oldest));
}

/** Uses the index `statistics_resolution_start_idx`. */
async function deleteBefore(db: Database, resolution: Resolution, before: Date): Promise<number> {
  const deleteSql = `DELETE FROM statistics WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM statistics WHERE resolution = $1 AND start < $2 LIMIT ${maxDeletedAtOnce}))`;
  return deleteInBatches(db, deleteSql, [resolution, before]);
}
