import type { Finding } from './ledger-check.js';
import { markTimeSql } from './audit-marks.js';
import type { Database } from '../connection/open.js';
import { codesSql, resultCodes } from '../statistics/codes.js';
import { ceilToBucket, minuteRetentionDays } from '../statistics/ranges.js';
import { unpreparedStatement } from '../sql/statement.js';

const { failedUnattempted, skipped } = resultCodes;
const isEndCodeSql = `code IN (${failedUnattempted}, ${skipped})`;
const isResultCodeSql = 'code < 10';
const hourSql = (time: string) => `date_trunc('hour', ${time}, 'UTC')`;
const hourNameSql = (time: string) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"')`;
const droppedSql = markTimeSql('statistics_dropped');

/**
 * The counts of each webhook and hour, from folded rows and from entries that are not folded yet. It expects the CTE
 * `bounds`.
 */
const countedSql = `SELECT webhook_id, hour, code, sum(n)::int AS n FROM (
      SELECT subject_id AS webhook_id, start AS hour, unnest(codes) AS code, unnest(counts) AS n
        FROM statistics JOIN webhooks w ON w.id = subject_id WHERE resolution = 'hour'
      UNION ALL
      SELECT webhook_id, ${hourSql('at')}, code, 1 FROM statistic_entries CROSS JOIN LATERAL unnest(codes) AS code
    ) s WHERE hour >= (SELECT oldest FROM bounds) GROUP BY 1, 2, 3`;

type CheckParameters = { since: Date; limit: number };

/**
 * Compares the attempts that the statistics count in each hour with the attempts of the ledger. It leaves out attempts
 * without a verdict, which the previous version recorded. The statistics still count the attempts of dropped
 * partitions, so for the time before the last drop they may count more.
 */
const attemptsStatement = unpreparedStatement<CheckParameters>(`
  WITH bounds AS (
    SELECT GREATEST($since::timestamptz, ${droppedSql}) AS oldest,
      ${markTimeSql('ledger_dropped')} + interval '1 minute' AS exact_since
  ), grouped AS (
    SELECT d.webhook_id, ${hourSql('a.started_at')} AS hour, ARRAY[${codesSql}] AS codes, count(*) AS n
      FROM attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE a.verdict IS NOT NULL GROUP BY 1, 2, 3
  ), recorded AS (
    SELECT webhook_id, hour, code, sum(n)::int AS n FROM grouped CROSS JOIN LATERAL unnest(codes) AS code
      WHERE hour >= (SELECT oldest FROM bounds) GROUP BY 1, 2, 3
  ), counted AS (
    ${countedSql}
  ), compared AS (
    SELECT webhook_id, hour, code, COALESCE(c.n, 0) AS counted, COALESCE(r.n, 0) AS recorded
      FROM counted c FULL JOIN recorded r USING (webhook_id, hour, code) WHERE NOT (${isEndCodeSql})
  ), differing AS (
    SELECT webhook_id, hour, COALESCE(sum(counted) FILTER (WHERE ${isResultCodeSql}), 0) AS counted,
        COALESCE(sum(recorded) FILTER (WHERE ${isResultCodeSql}), 0) AS recorded
      FROM compared CROSS JOIN bounds GROUP BY 1, 2
      HAVING bool_or(counted < recorded OR (counted > recorded AND hour > exact_since))
  )
  SELECT 'statistics' AS kind, webhook_id AS id, 'of the hour from ' || ${hourNameSql('hour')} || CASE WHEN counted = recorded
      THEN ', results, responses or durations differ from those of the attempts'
      ELSE ', ' || counted || ' attempts are counted and ' || recorded || ' recorded' END AS problem
    FROM differing LIMIT $limit`);

/**
 * Compares the deliveries that ended without an attempt. A delivery may end several times, and the ledger has only the
 * last end, so the statistics may count more. Skipped and failed ends are compared together, because a failed delivery
 * whose resend is skipped counts as skipped and stays failed. It compares only the time since `statistics_began`, and
 * after the last attempt that the previous version recorded. This time may start within an hour, but the statistics
 * have only whole hours, so all of that hour's counts are included.
 */
const endsStatement = unpreparedStatement<CheckParameters>(`
  WITH bounds AS (
    SELECT GREATEST($since::timestamptz, ${droppedSql}, ${markTimeSql('statistics_began')},
      (SELECT max(started_at) FROM attempts WHERE verdict IS NULL)) AS oldest
  ), recorded AS (
    SELECT webhook_id, ${hourSql('updated_at')} AS hour, count(*)::int AS n
      FROM deliveries WHERE state IN ('skipped', 'failed') AND reason IS NOT NULL
        AND updated_at >= (SELECT oldest FROM bounds) GROUP BY 1, 2
  ), counted AS (
    ${countedSql.replace('(SELECT oldest FROM bounds)', `${hourSql('(SELECT oldest FROM bounds)')}`)}
  ), ends AS (
    SELECT webhook_id, hour, sum(n)::int AS n FROM counted WHERE ${isEndCodeSql} GROUP BY 1, 2
  )
  SELECT 'statistics' AS kind, webhook_id AS id, 'of the hour from ' || ${hourNameSql('hour')} || ', ' || COALESCE(c.n, 0)
      || ' deliveries are counted that ended without an attempt, and ' || r.n || ' recorded' AS problem
    FROM recorded r LEFT JOIN ends c USING (webhook_id, hour) WHERE r.n > COALESCE(c.n, 0) LIMIT $limit`);

/**
 * Compares the rows of `statistics` with each other, for each account and day: the account's rows must have the same
 * sum as those of its webhooks, and minutes, hours and days must have the same sum.
 */
const sumsStatement = unpreparedStatement<CheckParameters>(`
  WITH codes AS (
    SELECT COALESCE(w.account_id, subject_id) AS account_id, date_trunc('day', start, 'UTC') AS day, resolution,
        w.id IS NULL AS is_account, unnest(codes) AS code, unnest(counts) AS n
      FROM statistics LEFT JOIN webhooks w ON w.id = subject_id
      WHERE start >= GREATEST($since::timestamptz, ${droppedSql})
        AND (resolution <> 'minute' OR start >= date_trunc('day', now() - interval '${minuteRetentionDays - 1} days', 'UTC'))
  ), sums AS (
    SELECT account_id, day, resolution, is_account, sum(n) AS n, sum(n * code::bigint) AS weight FROM codes GROUP BY 1, 2, 3, 4
  )
  SELECT 'statistics' AS kind, account_id AS id, 'of the day ' || to_char(day AT TIME ZONE 'UTC', 'YYYY-MM-DD')
      || ', its rows differ from those of its webhooks, or minutes, hours and days from each other' AS problem
    FROM sums GROUP BY account_id, day HAVING count(DISTINCT (n, weight)) > 1 OR count(*) <> CASE
      WHEN day >= date_trunc('day', now() - interval '${minuteRetentionDays - 1} days', 'UTC') THEN 6 ELSE 4 END
    LIMIT $limit`);

/**
 * Finds hours and days since a time in which the statistics differ from the ledger or from each other. Makes three
 * comparisons, with at most `limit` findings each.
 */
export async function checkStatistics(db: Database, { since, limit }: CheckParameters): Promise<Finding[]> {
  const hours = { since: ceilToBucket(since, 'hour'), limit };
  const findings: Finding[] = [];
  for (const query of [
    attemptsStatement(hours),
    endsStatement({ since, limit }),
    sumsStatement({ since: ceilToBucket(since, 'day'), limit }),
  ]) {
    findings.push(...(await db.pool.query<Finding>(query)).rows);
  }
  return findings;
}
