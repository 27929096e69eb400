-- Many deliveries of one webhook that are sent again, at a rate. The worker goes through them by id.
CREATE TABLE "replays" (
  "id" UUID NOT NULL DEFAULT ringback_uuid_v7(),
  "account_id" UUID NOT NULL,
  "webhook_id" UUID NOT NULL,
  "filter" JSON NOT NULL,
  "state" TEXT NOT NULL DEFAULT 'running',
  "reason" TEXT,
  "rate" INTEGER NOT NULL,
  "total" INTEGER,
  "replayed" INTEGER NOT NULL DEFAULT 0,
  -- Every delivery up to this id was looked at.
  "position" UUID NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  "stepped_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "finished_at" TIMESTAMPTZ(6),
  CONSTRAINT "replays_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "replays_state" CHECK ("state" IN ('running', 'done', 'cancelled')),
  CONSTRAINT "replays_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
-- One at a time for a webhook; also the list of those to go on with.
CREATE UNIQUE INDEX "replays_running_key" ON "replays" ("webhook_id") WHERE "state" = 'running';
