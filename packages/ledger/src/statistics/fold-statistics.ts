import type { Database } from '../connection/open.js';
import { preparedStatement } from '../sql/statement.js';

const maxEntries = 20_000;

/**
 * Deletes entries from `statistic_entries`, and adds them in `statistics` to the minute, the hour and the day of their
 * webhook and their account. It is one statement, so a reader finds each entry in exactly one of the two tables.
 */
const foldStatement = preparedStatement(
  'fold_statistics',
  `WITH taken AS (
    DELETE FROM statistic_entries WHERE ctid = ANY (ARRAY (SELECT ctid FROM statistic_entries LIMIT ${maxEntries}))
      RETURNING account_id, webhook_id, event, at, codes
  ), by_minute AS (
    SELECT account_id, webhook_id, event, date_trunc('minute', at, 'UTC') AS minute, code, count(*) AS n
      FROM taken CROSS JOIN LATERAL unnest(codes) AS code GROUP BY 1, 2, 3, 4, 5
  ), by_code AS (
    SELECT subject_id, resolution, date_trunc(resolution, minute, 'UTC') AS start, event, code, sum(n)::int AS n
      FROM by_minute CROSS JOIN LATERAL (VALUES (account_id), (webhook_id)) AS s(subject_id)
        CROSS JOIN (VALUES ('minute'), ('hour'), ('day')) AS r(resolution)
      GROUP BY 1, 2, 3, 4, 5
  ), folded AS (
    INSERT INTO statistics AS s (subject_id, resolution, start, event, codes, counts)
      SELECT subject_id, resolution, start, event, array_agg(code ORDER BY code), array_agg(n ORDER BY code)
        FROM by_code GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
      ON CONFLICT (subject_id, resolution, start, event) DO UPDATE SET (codes, counts) = (
        SELECT array_agg(code ORDER BY code), array_agg(n ORDER BY code) FROM (
          SELECT code, sum(n)::int AS n FROM (
            SELECT * FROM unnest(s.codes, s.counts) UNION ALL SELECT * FROM unnest(excluded.codes, excluded.counts)
          ) AS both_counts(code, n) GROUP BY code) AS added)
  )
  SELECT count(*)::int AS count FROM taken`,
);

/** Moves at most 20,000 entries to the statistics. Returns whether there may be more. */
export async function foldStatistics(db: Database): Promise<boolean> {
  const { rows } = await db.pool.query<{ count: number }>(foldStatement({}));
  return (rows[0]?.count ?? 0) >= maxEntries;
}
