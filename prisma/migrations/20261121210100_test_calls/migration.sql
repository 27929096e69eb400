-- Calls that a customer tries a webhook with: between an API process that waits for one and the worker that makes it.
-- Nobody waits for them any more after a crash of the server.
CREATE UNLOGGED TABLE "test_calls" (
  "id" UUID NOT NULL DEFAULT ringback_uuid_v7(),
  "account_id" UUID NOT NULL,
  "webhook_id" UUID NOT NULL,
  "event" TEXT NOT NULL,
  "payload" TEXT NOT NULL,
  "taken_at" TIMESTAMPTZ(6),
  "result" JSON,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "test_calls_pkey" PRIMARY KEY ("id")
);
