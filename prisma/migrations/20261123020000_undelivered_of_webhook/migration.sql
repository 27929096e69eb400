-- What a webhook did not get, among however many deliveries of others that failed.
CREATE INDEX "deliveries_webhook_undelivered_idx" ON "deliveries" ("webhook_id", "id" DESC) WHERE "state" IN ('failed', 'skipped');
