import { resultCodes } from './codes.js';

const columnsSql = 'account_id, webhook_id, event, at, codes';

/** An INSERT that adds an entry for each recorded attempt. It expects the CTEs `input` and `updated`. */
export const addAttemptEntriesSql = `INSERT INTO statistic_entries (${columnsSql})
    SELECT account_id, webhook_id, event, started_at, codes FROM input JOIN updated USING (delivery_id)`;

/**
 * An INSERT that adds the entry of a delivery that ended without an attempt. It expects the CTE `ended`, and as `$3`
 * the state that was requested: `skipped` or `failed`.
 */
export const addEndEntrySql = `INSERT INTO statistic_entries (${columnsSql})
    SELECT d.account_id, d.webhook_id, COALESCE(e.name, 'unknown'), d.updated_at,
        ARRAY[CASE WHEN $3 = 'skipped' THEN ${resultCodes.skipped} ELSE ${resultCodes.failedUnattempted} END]
      FROM ended d LEFT JOIN events e ON e.id = d.event_id`;
