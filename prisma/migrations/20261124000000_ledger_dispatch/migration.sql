-- Deliveries wait in one place, this table, and workers claim them under leases (docs/adr/0012-the-ledger-dispatches.md).
-- "next_attempt_at", "parked_at" and "leased" belong to the release before. Workers of both releases may run side by side:
-- each sees only rows of its own kind, and the newer ones take over the rows of the older.
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

-- Claims: what is due of one webhook, the longest due first.
CREATE INDEX "deliveries_claim_idx" ON "deliveries" ("webhook_id", "channel", "due_at")
  WHERE "due_at" IS NOT NULL AND "lease_expires_at" IS NULL;
-- What becomes due, in the order of time.
CREATE INDEX "deliveries_due_idx" ON "deliveries" ("due_at", "id") INCLUDE ("webhook_id", "channel", "account_id")
  WHERE "due_at" IS NOT NULL AND "lease_expires_at" IS NULL;
-- Leases that have expired.
CREATE INDEX "deliveries_lease_idx" ON "deliveries" ("lease_expires_at") WHERE "lease_expires_at" IS NOT NULL;

-- The list of the release before, without the rows of this one.
DROP INDEX "deliveries_pending_idx";
CREATE INDEX "deliveries_pending_idx" ON "deliveries" ("next_attempt_at", "id")
  WHERE "state" = 'pending' AND "parked_at" IS NULL AND "next_attempt_at" IS NOT NULL;
