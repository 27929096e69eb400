import type pg from 'pg';
import type { Database } from '../connection/database.js';
import { lockKeys } from '../connection/lock.js';
import { boolean, float, integer, text } from '../sql/columns.js';
import { statement } from '../sql/statement.js';

// Positions are ids of transactions, so two things outside of Ringback matter for them: transactions that stay open,
// and databases that are restored into another cluster, where the ids begin anew.

/** A transaction that has written something and is still open. */
export type OpenTransaction = {
  /** The process id of its session; null for a prepared transaction. */
  pid: number | null;
  database: string | null;
  application: string | null;
  /** How long it has been open. */
  seconds: number;
};

const openStatement = statement(`SELECT * FROM (
    SELECT pid, datname::text AS database, application_name AS application,
        EXTRACT(EPOCH FROM clock_timestamp() - xact_start)::float8 AS seconds
      FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND xact_start IS NOT NULL
    UNION ALL
    SELECT NULL, database::text, 'prepared transaction ' || gid, EXTRACT(EPOCH FROM clock_timestamp() - prepared)::float8
      FROM pg_prepared_xacts
  ) t ORDER BY seconds DESC LIMIT 1`).returns({
  pid: integer.orNull,
  database: text.orNull,
  application: text.orNull,
  seconds: float,
});

/**
 * The transaction of the whole cluster that has been open the longest of those that have written: outcomes which were
 * recorded since it began wait for it. Reading transactions, such as a backup's, delay nothing. Without
 * `pg_read_all_stats`, PostgreSQL may not show those of other roles.
 */
export async function findOldestWriter(db: Database): Promise<OpenTransaction | null> {
  return (await openStatement.row(db.pool, {})) ?? null;
}

const lastPositionSql = `GREATEST((SELECT position FROM attempts ORDER BY position DESC LIMIT 1),
      (SELECT position FROM delivery_ends ORDER BY position DESC LIMIT 1),
      (SELECT last_position FROM partition_drops WHERE last_position IS NOT NULL ORDER BY last_position DESC LIMIT 1))`;

/** SQL: the position that the next transaction will have. The horizon tells what the two functions add to the ids. */
const nextPositionSql = `(ringback_outcome_horizon()::text::bigint - pg_snapshot_xmin(pg_current_snapshot())::text::bigint
      + pg_snapshot_xmax(pg_current_snapshot())::text::bigint)`;

const behindStatement = statement(
  `SELECT COALESCE(${lastPositionSql}::text::bigint >= ${nextPositionSql}, false) AS "isBehind"`,
).returns({ isBehind: boolean });

// More transactions than a cluster runs between a backup and its restoration: readers may know positions that the
// backup lacks.
const gap = 1_000_000_000_000;

/**
 * Makes the positions continue after the highest one if the database was restored from a dump into a cluster whose
 * transaction ids are lower. Otherwise readers would see none of its outcomes. Each process that records calls it
 * before it records. Returns whether it changed something.
 */
export async function continueOutcomePositions(client: Pick<pg.Pool | pg.Client, 'query'>): Promise<boolean> {
  if (!(await behindStatement.row(client, {}))?.isBehind) return false;
  await client.query(`DO $$
    DECLARE
      shifted TEXT;
    BEGIN
      -- Several processes may start at once. The first one does it.
      PERFORM pg_advisory_xact_lock(${lockKeys.outcomePositions});
      IF ${lastPositionSql}::text::bigint < ${nextPositionSql} THEN RETURN; END IF;
      shifted := format('SELECT (%%s::text::bigint + %s)::text::xid8',
        ${lastPositionSql}::text::bigint + ${gap} - pg_snapshot_xmax(pg_current_snapshot())::text::bigint);
      EXECUTE format('CREATE OR REPLACE FUNCTION "ringback_outcome_position"() RETURNS xid8 LANGUAGE sql STABLE AS %L',
        format(shifted, 'pg_current_xact_id()'));
      EXECUTE format('CREATE OR REPLACE FUNCTION "ringback_outcome_horizon"() RETURNS xid8 LANGUAGE sql STABLE AS %L',
        format(shifted, 'pg_snapshot_xmin(pg_current_snapshot())'));
    END
    $$`);
  return true;
}
