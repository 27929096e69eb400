-- While they are built, the table can be read but not written. Nothing here locks out readers for longer than a moment.
-- Claims: what is due of one webhook, the longest due first.
CREATE INDEX "deliveries_claim_idx" ON "deliveries" ("webhook_id", "channel", "due_at")
  WHERE "due_at" IS NOT NULL AND "lease_expires_at" IS NULL;
-- What becomes due, in the order of time.
CREATE INDEX "deliveries_due_idx" ON "deliveries" ("due_at", "id") INCLUDE ("webhook_id", "channel", "account_id")
  WHERE "due_at" IS NOT NULL AND "lease_expires_at" IS NULL;
-- Leases that have expired.
CREATE INDEX "deliveries_lease_idx" ON "deliveries" ("lease_expires_at") WHERE "lease_expires_at" IS NOT NULL;

-- The list of the release before, without the rows of this one.
CREATE INDEX "deliveries_pending_new_idx" ON "deliveries" ("next_attempt_at", "id")
  WHERE "state" = 'pending' AND "parked_at" IS NULL AND "next_attempt_at" IS NOT NULL;
DROP INDEX "deliveries_pending_idx";
ALTER INDEX "deliveries_pending_new_idx" RENAME TO "deliveries_pending_idx";
