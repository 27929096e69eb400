-- How often an event was pushed again, and when last. Null until then, so that an event costs nothing for it.
ALTER TABLE "events" ADD COLUMN "duplicate_count" INTEGER, ADD COLUMN "last_duplicate_at" TIMESTAMPTZ(6);
-- The list of repeated events. An event that is not repeated has no entry.
CREATE INDEX "events_duplicates_idx" ON "events" ("id" DESC) WHERE "duplicate_count" IS NOT NULL;
