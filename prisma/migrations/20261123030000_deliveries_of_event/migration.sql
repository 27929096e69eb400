-- How many deliveries an event was given, so that `ringback audit` sees when one of several is gone. Null in those that
-- are older.
ALTER TABLE "events" ADD COLUMN "delivery_count" INTEGER;
