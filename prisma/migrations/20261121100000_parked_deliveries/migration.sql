-- A delivery whose webhook has as many calls in flight as it may have is parked: it waits here, without a job.
ALTER TABLE "deliveries" ADD COLUMN "parked_at" TIMESTAMPTZ(6);
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_parked_is_pending" CHECK ("parked_at" IS NULL OR "state" = 'pending');

-- By webhook, in the order in which they are due. The reconciler leaves them alone.
CREATE INDEX "deliveries_parked_idx" ON "deliveries" ("webhook_id", "next_attempt_at") WHERE "parked_at" IS NOT NULL;
DROP INDEX "deliveries_pending_idx";
CREATE INDEX "deliveries_pending_idx" ON "deliveries" ("next_attempt_at", "id") WHERE "state" = 'pending' AND "parked_at" IS NULL;

CREATE INDEX "verifications_pending_idx" ON "verifications" ("next_attempt_at", "id") WHERE "state" = 'pending';
