import { setTimeout as sleep } from 'node:timers/promises';
import { dayMs } from '@ringback/process';
import { runExclusively } from '../connection/lock.js';
import type { Database } from '../connection/database.js';
import { inTransaction } from '../connection/database.js';
import { attemptCodesSql, resultCodes } from './codes.js';
import { ceilToBucket, floorToBucket, minuteRetentionDays, type Resolution } from './ranges.js';
import { integer, timestamp } from '../sql/columns.js';
import { deleteInBatches, maxDeletedAtOnce, preparedStatement, statement } from '../sql/statement.js';

// Statistics are counted in two steps. The statement that records an attempt adds an entry to `statistic_entries`,
// which has no index, so it costs little. A worker then rolls the entries up into the counts of `statistics`.

const entryColumnsSql = 'account_id, webhook_id, event, at, codes';

/** An INSERT that adds an entry for each recorded attempt. It expects the CTEs `input` and `updated`. */
export const addAttemptEntriesSql = `INSERT INTO statistic_entries (${entryColumnsSql})
    SELECT account_id, webhook_id, event, started_at, ARRAY[${attemptCodesSql('input')}] FROM input JOIN updated USING (delivery_id)`;

/**
 * An INSERT that adds the entry of each delivery that ended without an attempt. It expects the CTE `ended`, in which
 * `requested` is the state that was asked for: `skipped` or `failed`.
 */
export const addEndEntrySql = `INSERT INTO statistic_entries (${entryColumnsSql})
    SELECT d.account_id, d.webhook_id, COALESCE(e.name, 'unknown'), d.updated_at,
        ARRAY[CASE WHEN d.requested = 'skipped' THEN ${resultCodes.skipped} ELSE ${resultCodes.failedUnattempted} END]
      FROM ended d LEFT JOIN events e ON e.id = d.event_id`;

const oldestMinuteSql = `date_trunc('day', now() - interval '${minuteRetentionDays} days', 'UTC')`;

/**
 * CTEs that add entries to the minute, the hour and the day of their webhook and their account. They expect the entries
 * as the CTE `entries`.
 */
const rollUpCtes = `by_minute AS (
    SELECT account_id, webhook_id, event, date_trunc('minute', at, 'UTC') AS minute, code, count(*) AS n
      FROM entries CROSS JOIN LATERAL unnest(codes) AS code GROUP BY 1, 2, 3, 4, 5
  ), by_code AS (
    SELECT subject_id, resolution, date_trunc(resolution, minute, 'UTC') AS start, event, code, sum(n)::int AS n
      FROM by_minute CROSS JOIN LATERAL (VALUES (account_id), (webhook_id)) AS s(subject_id)
        CROSS JOIN (VALUES ('minute'), ('hour'), ('day')) AS r(resolution)
      WHERE resolution <> 'minute' OR minute >= ${oldestMinuteSql}
      GROUP BY 1, 2, 3, 4, 5
  ), rolled_up AS (
    INSERT INTO statistics AS s (subject_id, resolution, start, event, codes, counts)
      SELECT subject_id, resolution, start, event, array_agg(code ORDER BY code), array_agg(n ORDER BY code)
        FROM by_code GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
      ON CONFLICT (subject_id, resolution, start, event) DO UPDATE SET (codes, counts) = (
        SELECT array_agg(code ORDER BY code), array_agg(n ORDER BY code) FROM (
          SELECT code, sum(n)::int AS n FROM (
            SELECT * FROM unnest(s.codes, s.counts) UNION ALL SELECT * FROM unnest(excluded.codes, excluded.counts)
          ) AS both_counts(code, n) GROUP BY code) AS added)
  )
  SELECT count(*)::int AS count FROM entries`;

const maxEntries = 20_000;

// It is one statement, so a reader finds each entry in exactly one of the two tables.
const rollUpStatement = preparedStatement(
  'roll_up_statistics',
  `WITH entries AS (
    DELETE FROM statistic_entries WHERE ctid = ANY (ARRAY (SELECT ctid FROM statistic_entries LIMIT ${maxEntries}))
      RETURNING ${entryColumnsSql}
  ), ${rollUpCtes}`,
).returns({ count: integer });

/** Moves at most 20,000 entries to the statistics. Returns whether there may be more. */
export async function rollUpStatistics(db: Database): Promise<boolean> {
  const moved = await rollUpStatement.row(db.pool, {});
  return (moved?.count ?? 0) >= maxEntries;
}

type Range = { from: Date; to: Date };

const deleteEntriesStatement = statement<Range>('DELETE FROM statistic_entries WHERE at >= $from AND at < $to');
const deleteCountsStatement = statement<Range>(
  `DELETE FROM statistics WHERE resolution IN ('minute', 'hour') AND start >= $from AND start < $to`,
);
const deleteDaysStatement = statement<Range>(
  `DELETE FROM statistics WHERE resolution = 'day' AND start >= $from AND start < $to`,
);
const addDaysFromHoursStatement = statement<Range>(`
  INSERT INTO statistics (subject_id, resolution, start, event, codes, counts)
    SELECT subject_id, 'day', day, event, array_agg(code ORDER BY code), array_agg(n ORDER BY code) FROM (
        SELECT subject_id, date_trunc('day', start, 'UTC') AS day, event, code, sum(n)::int AS n
          FROM statistics CROSS JOIN LATERAL unnest(codes, counts) AS c(code, n)
          WHERE resolution = 'hour' AND start >= $from AND start < $to GROUP BY 1, 2, 3, 4
      ) by_code GROUP BY 1, 2, 3, 4`);

/** Counts what the ledger has: each attempt at its start, and each delivery that ended without one at its end. */
const countLedgerStatement = statement<Range>(`WITH entries AS (
    SELECT d.account_id, d.webhook_id, COALESCE(e.name, 'unknown') AS event, a.started_at AS at,
        ARRAY[${attemptCodesSql('a')}]::smallint[] AS codes
      FROM attempts a JOIN deliveries d ON d.id = a.delivery_id LEFT JOIN events e ON e.id = d.event_id
      WHERE a.started_at >= $from AND a.started_at < $to
    UNION ALL
    SELECT d.account_id, d.webhook_id, COALESCE(e.name, 'unknown'), d.updated_at,
        ARRAY[CASE d.state WHEN 'skipped' THEN ${resultCodes.skipped} ELSE ${resultCodes.failedUnattempted} END]::smallint[]
      FROM deliveries d LEFT JOIN events e ON e.id = d.event_id
      WHERE d.state IN ('skipped', 'failed') AND d.reason IS NOT NULL AND d.updated_at >= $from AND d.updated_at < $to
  ), ${rollUpCtes}`).returns({ count: integer });

const lastDropStatement = statement('SELECT max(dropped_at) AS at FROM partition_drops').returns({
  at: timestamp.orNull,
});

// An attempt is dated by its worker's clock, and the drop of a partition by PostgreSQL's.
const maxClockDifferenceMs = 60_000;

/** What a rebuild counted: the range of whole hours, and the attempts and ends of deliveries in it. */
export type RebuiltStatistics = Range & { counted: number };

/**
 * Counts a range, widened to whole hours, again from the ledger and replaces its statistics, in one transaction. Hours
 * whose attempts may be in dropped partitions keep their statistics: the range begins after the last drop. A delivery
 * that ended several times without an attempt counts once, because the ledger has only its last end.
 */
export async function rebuildStatistics(db: Database, range: Range): Promise<RebuiltStatistics> {
  const dropped = (await lastDropStatement.row(db.pool, {}))?.at;
  const exactSince = dropped ? ceilToBucket(new Date(dropped.getTime() + maxClockDifferenceMs), 'hour') : new Date(0);
  const hours = {
    from: new Date(Math.max(floorToBucket(range.from, 'hour').getTime(), exactSince.getTime())),
    to: ceilToBucket(range.to, 'hour'),
  };
  if (hours.from >= hours.to) return { ...hours, counted: 0 };
  let counted = 0;
  const rebuild = async () => {
    counted = await replaceCounts(db, hours);
  };
  // Workers roll up no entries while they can't get this lock.
  while (!(await runExclusively(db, 'statistics', rebuild))) await sleep(100);
  return { ...hours, counted };
}

async function replaceCounts(db: Database, hours: Range): Promise<number> {
  const days = { from: floorToBucket(hours.from, 'day'), to: ceilToBucket(hours.to, 'day') };
  return inTransaction(db, async (client) => {
    // With one snapshot for all statements, an attempt and its entry are both there or both not.
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await deleteEntriesStatement.run(client, hours);
    await deleteCountsStatement.run(client, hours);
    await deleteDaysStatement.run(client, days);
    await addDaysFromHoursStatement.run(client, days);
    return (await countLedgerStatement.row(client, hours))?.count ?? 0;
  });
}

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
  const deleteBefore = (resolution: Resolution, days: number) =>
    deleteInBatches(db, deleteStatement, { resolution, before: floorToBucket(new Date(now - days * dayMs), 'day') });
  const deletedMinutes = await deleteBefore('minute', minuteRetentionDays);
  if (retentionDays === 0) return deletedMinutes;
  const days = retentionDays + keptLongerDays;
  return deletedMinutes + (await deleteBefore('hour', days)) + (await deleteBefore('day', days));
}

// Uses the index `statistics_resolution_start_idx`.
const deleteStatement = statement<{ resolution: Resolution; before: Date }>(
  `DELETE FROM statistics WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM statistics WHERE resolution = $resolution AND start < $before LIMIT ${maxDeletedAtOnce}))`,
);
