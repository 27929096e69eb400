-- What each call meant for its delivery: `delivered`, `retry` or `failed`. Null in calls that workers of the release before
-- recorded, which statistics do not count.
ALTER TABLE "attempts" ADD COLUMN "verdict" TEXT;

-- A row for each call, and for each delivery that ended without one, until a worker adds it to "statistics". It has no index,
-- so that writing it costs little.
CREATE TABLE "statistic_entries" (
  "account_id" UUID NOT NULL,
  "webhook_id" UUID NOT NULL,
  "event" TEXT NOT NULL,
  "at" TIMESTAMPTZ(6) NOT NULL,
  -- What is counted: packages/ledger/src/statistic-codes.ts.
  "codes" SMALLINT[] NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- How often each code was counted in a minute, an hour or a day (UTC).
CREATE TABLE "statistics" (
  -- An account or a webhook.
  "subject_id" UUID NOT NULL,
  "resolution" TEXT NOT NULL,
  "start" TIMESTAMPTZ(6) NOT NULL,
  "event" TEXT NOT NULL,
  "codes" SMALLINT[] NOT NULL,
  -- One for each code.
  "counts" INTEGER[] NOT NULL,
  -- The counts of the code 1, and of 3 and 4.
  "delivered" INTEGER NOT NULL GENERATED ALWAYS AS (COALESCE("counts"[array_position("codes", 1::smallint)], 0)) STORED,
  "failed" INTEGER NOT NULL GENERATED ALWAYS AS (COALESCE("counts"[array_position("codes", 3::smallint)], 0)
    + COALESCE("counts"[array_position("codes", 4::smallint)], 0)) STORED,
  CONSTRAINT "statistics_pkey" PRIMARY KEY ("subject_id", "resolution", "start", "event"),
  CONSTRAINT "statistics_resolution" CHECK ("resolution" IN ('minute', 'hour', 'day'))
-- Rows are updated until their time is over. A fifth of each page is left free for that.
) WITH (fillfactor = 80);
-- For their retention.
CREATE INDEX "statistics_resolution_start_idx" ON "statistics" ("resolution", "start");

-- Times between which `ringback audit` compares statistics with the ledger.
CREATE TABLE "audit_marks" (
  -- `statistics_began`: since when workers count. `statistics_dropped`: statistics before it were dropped because of their
  -- age. `ledger_dropped`: when a partition was dropped last.
  "name" TEXT NOT NULL,
  "at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "audit_marks_pkey" PRIMARY KEY ("name")
);
-- Workers of the release before may run beside this one for an hour.
INSERT INTO "audit_marks" SELECT 'statistics_began',
  clock_timestamp() + CASE WHEN EXISTS (SELECT 1 FROM "deliveries") THEN interval '1 hour' ELSE interval '0' END;
