-- A UUID version 7 (RFC 9562): ordered by time, so that new rows sit together and lists need no second index.
-- PostgreSQL has its own from version 18 on; Ringback runs on 14 and newer.
CREATE FUNCTION "ringback_uuid_v7"() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT encode(
    set_bit(
      set_bit(
        overlay(uuid_send(gen_random_uuid())
          PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
          FROM 1 FOR 6),
        52, 1),
      53, 1),
    'hex')::uuid
$$;

CREATE TYPE "verification_state" AS ENUM ('pending', 'passed', 'failed');
CREATE TYPE "event_state" AS ENUM ('routed', 'unrouted', 'rejected');
CREATE TYPE "delivery_state" AS ENUM ('pending', 'delivered', 'failed', 'skipped');

CREATE TABLE "accounts" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "name" TEXT NOT NULL,
  "callback_token" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "access_tokens" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "account_id" UUID NOT NULL,
  "hash" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "revoked_at" TIMESTAMPTZ(6),
  CONSTRAINT "access_tokens_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "access_tokens_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "access_tokens_hash_key" ON "access_tokens" ("hash");
CREATE INDEX "access_tokens_account_id_idx" ON "access_tokens" ("account_id");

CREATE TABLE "platform_tokens" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "name" TEXT NOT NULL,
  "hash" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "revoked_at" TIMESTAMPTZ(6),
  CONSTRAINT "platform_tokens_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "platform_tokens_hash_key" ON "platform_tokens" ("hash");

CREATE TABLE "webhooks" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "account_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "uri" TEXT NOT NULL,
  "secret" TEXT,
  "verification_code" TEXT,
  "active" BOOLEAN NOT NULL DEFAULT true,
  "payload" JSON,
  "signing" BOOLEAN NOT NULL DEFAULT true,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "deleted_at" TIMESTAMPTZ(6),
  CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "webhooks_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "webhooks_account_id_created_at_id_idx" ON "webhooks" ("account_id", "created_at" DESC, "id" DESC);

CREATE TABLE "verifications" (
  "id" UUID NOT NULL DEFAULT ringback_uuid_v7(),
  "webhook_id" UUID NOT NULL,
  "state" "verification_state" NOT NULL DEFAULT 'pending',
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "reason" TEXT,
  "next_attempt_at" TIMESTAMPTZ(6) DEFAULT CURRENT_TIMESTAMP,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "verifications_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "verifications_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "verifications_webhook_id_id_idx" ON "verifications" ("webhook_id", "id" DESC);

CREATE TABLE "subscriptions" (
  "id" SERIAL NOT NULL,
  "account_id" UUID NOT NULL,
  "event" TEXT NOT NULL,
  "identity" TEXT NOT NULL DEFAULT 'all',
  "webhook_id" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "subscriptions_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "subscriptions_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "subscriptions_account_id_event_identity_webhook_id_key" ON "subscriptions" ("account_id", "event", "identity", "webhook_id");
CREATE INDEX "subscriptions_webhook_id_idx" ON "subscriptions" ("webhook_id");

-- account_id and webhook_id are as the platform gave them: a rejected event may name ones that do not exist.
CREATE TABLE "events" (
  "id" UUID NOT NULL DEFAULT ringback_uuid_v7(),
  "name" TEXT,
  "account_id" UUID,
  "webhook_id" UUID,
  "identity" TEXT,
  "external_id" TEXT,
  "key" TEXT,
  "message_id" TEXT,
  "mobile" TEXT,
  "payload" TEXT,
  "state" "event_state" NOT NULL,
  "reason" TEXT,
  "envelope" TEXT,
  "received_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "events_key_key" ON "events" ("key");
CREATE INDEX "events_state_received_at_idx" ON "events" ("state", "received_at");
CREATE INDEX "events_account_id_message_id_idx" ON "events" ("account_id", "message_id");

CREATE TABLE "deliveries" (
  "id" UUID NOT NULL DEFAULT ringback_uuid_v7(),
  "event_id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "webhook_id" UUID NOT NULL,
  "channel" TEXT NOT NULL,
  "state" "delivery_state" NOT NULL DEFAULT 'pending',
  "reason" TEXT,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "next_attempt_at" TIMESTAMPTZ(6) DEFAULT CURRENT_TIMESTAMP,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "deliveries_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "deliveries_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  -- A pending delivery always has a time, a final one never has.
  CONSTRAINT "deliveries_pending_has_time" CHECK (("state" = 'pending') = ("next_attempt_at" IS NOT NULL))
);
CREATE UNIQUE INDEX "deliveries_event_id_webhook_id_key" ON "deliveries" ("event_id", "webhook_id");
CREATE INDEX "deliveries_account_id_id_idx" ON "deliveries" ("account_id", "id" DESC);
CREATE INDEX "deliveries_webhook_id_id_idx" ON "deliveries" ("webhook_id", "id" DESC);
-- What is still to be called, by time: the list of the reconciler.
CREATE INDEX "deliveries_pending_idx" ON "deliveries" ("next_attempt_at") WHERE "state" = 'pending';

CREATE TABLE "attempts" (
  "delivery_id" UUID NOT NULL,
  "number" INTEGER NOT NULL,
  "started_at" TIMESTAMPTZ(6) NOT NULL,
  "duration_ms" INTEGER NOT NULL,
  "outcome" TEXT NOT NULL,
  "status_code" INTEGER,
  "error_code" TEXT,
  "url" TEXT NOT NULL,
  "answer" TEXT,
  "warnings" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  CONSTRAINT "attempts_pkey" PRIMARY KEY ("delivery_id", "number"),
  CONSTRAINT "attempts_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "deliveries" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
