-- Deliveries wait in one place, this table, and workers claim them under leases (docs/adr/0012-the-ledger-dispatches.md).
-- "next_attempt_at", "parked_at" and "leased" belong to the release before. Workers of both releases may run side by side:
-- each sees only rows of its own kind, and the newer ones take over the rows of the older. This locks the table for a moment;
-- its indexes come in a migration of their own, since building them takes long.
ALTER TABLE "deliveries"
  -- From when a pending delivery may be claimed. Null when it is final, and in rows of the release before.
  ADD COLUMN "due_at" TIMESTAMPTZ(6),
  -- Until when a worker has it. A lease that expires means that its worker died.
  ADD COLUMN "lease_expires_at" TIMESTAMPTZ(6),
  -- How many leases have expired since the last recorded attempt.
  ADD COLUMN "crash_count" INTEGER NOT NULL DEFAULT 0,
  ADD CONSTRAINT "deliveries_lease_is_due" CHECK ("lease_expires_at" IS NULL OR "due_at" IS NOT NULL) NOT VALID,
  DROP CONSTRAINT "deliveries_pending_has_time",
  ADD CONSTRAINT "deliveries_pending_has_time"
    CHECK (("state" = 'pending') = (COALESCE("due_at", "next_attempt_at") IS NOT NULL)) NOT VALID;
