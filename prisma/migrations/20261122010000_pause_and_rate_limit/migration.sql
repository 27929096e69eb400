-- A webhook that fails for long, or says that it is gone, is paused: what is for it waits until its owner releases it.
ALTER TABLE "webhooks"
  -- Since when every attempt has failed; kept only while somebody wants webhooks to be paused for that.
  ADD COLUMN "failing_since" TIMESTAMPTZ(6),
  ADD COLUMN "paused_at" TIMESTAMPTZ(6),
  ADD COLUMN "pause_reason" TEXT,
  -- The account has its event of the pause.
  ADD COLUMN "pause_told" BOOLEAN NOT NULL DEFAULT false,
  -- Callbacks a second at most; null is no limit.
  ADD COLUMN "rate_limit" INTEGER,
  ADD CONSTRAINT "webhooks_pause_has_reason" CHECK (("paused_at" IS NULL) = ("pause_reason" IS NULL)),
  ADD CONSTRAINT "webhooks_rate_limit" CHECK ("rate_limit" BETWEEN 1 AND 1000);
CREATE INDEX "webhooks_pause_untold_idx" ON "webhooks" ("id") WHERE "paused_at" IS NOT NULL AND NOT "pause_told";

-- What waits for its webhook to be released is parked for ever, and apart from what can be fetched.
DROP INDEX "deliveries_parked_idx";
CREATE INDEX "deliveries_parked_idx" ON "deliveries" ("webhook_id", "next_attempt_at") WHERE "parked_at" < 'infinity';
CREATE INDEX "deliveries_held_idx" ON "deliveries" ("webhook_id", "next_attempt_at") WHERE "parked_at" = 'infinity';
-- One that is leased and parked no longer is what a worker left when it died: it is tried by a job, which counts that.
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_leased_is_parked";

-- When the next callback of a webhook with a rate limit is due, for all workers. A crash of the server forgets a second.
-- Half of each page is left free for the next update.
CREATE UNLOGGED TABLE "webhook_rates" (
  "webhook_id" UUID NOT NULL,
  "allowed_at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "webhook_rates_pkey" PRIMARY KEY ("webhook_id")
) WITH (fillfactor = 50);
