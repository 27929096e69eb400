import type { Database } from './database.js';
import { float, json } from '../sql/columns.js';
import { statement } from '../sql/statement.js';

/**
 * What keeps VACUUM from removing old rows, by the seconds since it began; 0 if there is none: a transaction of a
 * session (`backend`), the snapshot of a replication slot (`slot`), a prepared transaction (`prepared`).
 */
export type OldestTransactions = { backend: number; slot: number; prepared: number };

/** A slot's snapshot: it needs the rows that this transaction and later ones have removed. */
export type SlotSnapshot = { name: string; xmin: string };

/**
 * A transaction counts from its first snapshot or its first change. VACUUM itself keeps nothing. Without
 * `pg_read_all_stats`, PostgreSQL shows only the sessions of the same role. What belongs to another database is no
 * concern of this one, except a standby's feedback, which has no database.
 */
const oldestStatement = statement(`SELECT
  (SELECT EXTRACT(EPOCH FROM clock_timestamp() - min(xact_start)) FROM pg_stat_activity
    WHERE COALESCE(datname, current_database()) = current_database() AND pid <> pg_backend_pid()
      AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) AND backend_type <> 'autovacuum worker')::float8 AS backend,
  (SELECT EXTRACT(EPOCH FROM clock_timestamp() - min(prepared)) FROM pg_prepared_xacts
    WHERE database = current_database())::float8 AS prepared,
  (SELECT COALESCE(json_agg(json_build_object('name', slot_name, 'xmin', xmin::text)), '[]') FROM pg_replication_slots
    WHERE xmin IS NOT NULL) AS slots`).returns({
  backend: float.orNull,
  prepared: float.orNull,
  slots: json<SlotSnapshot[]>(),
});

/** Measures how old the oldest transaction is that keeps VACUUM from removing old rows of this database. */
export class SnapshotWatch {
  // PostgreSQL does not tell since when a slot has kept its snapshot.
  #slots = new Map<string, { xmin: string; sinceMonotonicMs: number }>();

  async measure(db: Database): Promise<OldestTransactions> {
    const row = await oldestStatement.row(db.pool, {});
    const slot = this.ageOfSlots(row?.slots ?? [], performance.now());
    return { backend: Math.max(0, row?.backend ?? 0), slot, prepared: Math.max(0, row?.prepared ?? 0) };
  }

  /** The seconds for which the slot that has moved least recently has been seen with the same snapshot. */
  ageOfSlots(slots: readonly SlotSnapshot[], nowMonotonicMs: number): number {
    const known = this.#slots;
    this.#slots = new Map(
      slots.map(({ name, xmin }) => {
        const before = known.get(name);
        return [name, before?.xmin === xmin ? before : { xmin, sinceMonotonicMs: nowMonotonicMs }];
      }),
    );
    const ages = [...this.#slots.values()].map(({ sinceMonotonicMs }) => nowMonotonicMs - sinceMonotonicMs);
    return Math.max(0, ...ages) / 1_000;
  }
}
