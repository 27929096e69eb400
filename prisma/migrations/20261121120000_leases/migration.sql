-- A delivery that a worker has in hand without a job is parked until the time in parked_at, and leased: when that time
-- passes, its worker has died with it.
ALTER TABLE "deliveries" ADD COLUMN "leased" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_leased_is_parked" CHECK (NOT "leased" OR "parked_at" IS NOT NULL);
