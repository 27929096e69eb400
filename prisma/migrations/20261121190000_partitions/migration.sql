-- Events, deliveries and attempts lie in partitions by time, so that what is old is dropped and not deleted
-- (docs/adr/0009-partitions.md). Their ids are UUIDs of version 7, which begin with the time. What is there already
-- becomes the first partition as it is, without being copied.

-- The smallest id of a time.
CREATE FUNCTION "ringback_uuid_v7_at"("at" timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (lpad(to_hex(floor(extract(epoch FROM "at") * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- No unique index spans partitions without their key, so idempotency keys have a table of their own.
CREATE TABLE "event_keys" (
  "key" TEXT NOT NULL,
  "event_id" UUID NOT NULL,
  CONSTRAINT "event_keys_pkey" PRIMARY KEY ("key")
);
-- Ids come in the order of time, so this costs next to nothing.
CREATE INDEX "event_keys_event_id_idx" ON "event_keys" USING brin ("event_id");
INSERT INTO "event_keys" ("key", "event_id") SELECT "key", "id" FROM "events" WHERE "key" IS NOT NULL;
ALTER TABLE "events" DROP COLUMN "key";

-- Rows of the ledger are written by statements that join what they refer to, and webhooks are never removed: checking
-- each reference again would lock the row of a busy webhook for each of its deliveries.
ALTER TABLE "attempts" DROP CONSTRAINT "attempts_delivery_id_fkey";
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_event_id_fkey";
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_webhook_id_fkey";
DROP INDEX "deliveries_event_id_webhook_id_key";
CREATE INDEX "deliveries_event_id_idx" ON "deliveries" ("event_id");

DO $$
DECLARE
  one RECORD;
  stem TEXT;
BEGIN
  FOR one IN SELECT * FROM (VALUES ('events', 'id'), ('deliveries', 'id'), ('attempts', 'delivery_id')) AS t ("name", "column")
  LOOP
    stem := one."name" || '_first';
    EXECUTE format('ALTER TABLE %I RENAME TO %I', one."name", stem);
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (%I)',
      one."name", stem, one."column");
  END LOOP;
END $$;

-- Indexes keep their names on the whole; those of the first partition take its name.
DO $$
DECLARE
  one RECORD;
BEGIN
  FOR one IN
    SELECT i.indexname AS "name", replace(i.tablename, '_first', '') AS "table", i.indexdef AS "definition",
      c.conname IS NOT NULL AS "primary"
    FROM pg_indexes i LEFT JOIN pg_constraint c ON c.conname = i.indexname AND c.contype = 'p'
      AND c.connamespace = current_schema()::regnamespace
    WHERE i.schemaname = current_schema() AND i.tablename IN ('events_first', 'deliveries_first', 'attempts_first')
  LOOP
    EXECUTE format('ALTER INDEX %I RENAME TO %I', one."name", replace(one."name", one."table" || '_', one."table" || '_first_'));
    IF one."primary" THEN
      EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I PRIMARY KEY (%s)', one."table", one."name",
        substring(one."definition" FROM '\((.*)\)$'));
    ELSE
      EXECUTE replace(one."definition", one."table" || '_first ', one."table" || ' ');
    END IF;
  END LOOP;
END $$;

-- The first partition ends in a week. The worker makes the next ones in time.
DO $$
DECLARE
  bound UUID := ringback_uuid_v7_at(date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '7 days');
  name TEXT;
BEGIN
  FOREACH name IN ARRAY ARRAY['events', 'deliveries', 'attempts']
  LOOP
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', name, name || '_first', bound);
  END LOOP;
END $$;
