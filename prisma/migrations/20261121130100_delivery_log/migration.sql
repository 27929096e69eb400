-- The log of what was not delivered: it costs a write only where something was not.
CREATE INDEX "deliveries_undelivered_idx" ON "deliveries" ("account_id", "id" DESC) WHERE "state" IN ('failed', 'skipped');
-- The log of a mobile number; without it, all events are read.
CREATE INDEX "events_account_id_mobile_idx" ON "events" ("account_id", "mobile");
