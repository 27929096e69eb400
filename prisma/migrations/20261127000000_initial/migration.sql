-- A UUID of version 7 (RFC 9562). Such ids sort by time, so new rows sit together and lists by time need no index of their
-- own. PostgreSQL has a function for it from version 18 on; Ringback runs on 14 and newer.
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

-- The smallest UUID of version 7 of a time.
CREATE FUNCTION "ringback_uuid_v7_at"("at" timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (lpad(to_hex(floor(extract(epoch FROM "at") * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- The order of outcomes (packages/ledger/src/deliveries/outcomes.ts) is that of the transactions that recorded them: a row
-- has the id of its transaction as its position, and readers see the positions below the horizon, under which no
-- transaction is open. Transaction ids begin anew when a dump is restored into another cluster; `ringback migrate` then
-- replaces the two functions by ones that add a number (outcome-positions.ts).
CREATE FUNCTION "ringback_outcome_position"() RETURNS xid8 LANGUAGE sql STABLE AS 'SELECT pg_current_xact_id()';
CREATE FUNCTION "ringback_outcome_horizon"() RETURNS xid8 LANGUAGE sql STABLE AS 'SELECT pg_snapshot_xmin(pg_current_snapshot())';

CREATE TYPE "scope" AS ENUM ('read', 'write', 'replay');
CREATE TYPE "platform_scope" AS ENUM ('events', 'portal', 'accounts', 'act', 'outcomes', 'import');
CREATE TYPE "verification_state" AS ENUM ('pending', 'passed', 'failed');
CREATE TYPE "event_state" AS ENUM ('routed', 'unrouted', 'rejected');
CREATE TYPE "delivery_state" AS ENUM ('pending', 'delivered', 'failed', 'skipped');

-- Accounts and who may act for them ------------------------------------------------------------------------------------

CREATE TABLE "accounts" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "name" TEXT NOT NULL,
  "callback_token" TEXT NOT NULL,
  "external_id" TEXT,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "suspended_at" TIMESTAMPTZ(6),
  "other_installation" TEXT,
  "deleted_at" TIMESTAMPTZ(6),
  CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "accounts_external_id_key" ON "accounts" ("external_id");
CREATE INDEX "accounts_list_idx" ON "accounts" ("created_at" DESC, "id" DESC);

CREATE TABLE "access_tokens" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "account_id" UUID NOT NULL,
  "hash" TEXT NOT NULL,
  "scopes" "scope"[] NOT NULL DEFAULT '{read,write,replay}',
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "revoked_at" TIMESTAMPTZ(6),
  CONSTRAINT "access_tokens_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "access_tokens_scopes" CHECK (cardinality("scopes") > 0),
  CONSTRAINT "access_tokens_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "access_tokens_hash_key" ON "access_tokens" ("hash");
CREATE INDEX "access_tokens_account_id_idx" ON "access_tokens" ("account_id");

CREATE TABLE "platform_tokens" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "name" TEXT NOT NULL,
  "hash" TEXT NOT NULL,
  "scopes" "platform_scope"[] NOT NULL DEFAULT '{events,portal}',
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "revoked_at" TIMESTAMPTZ(6),
  CONSTRAINT "platform_tokens_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "platform_tokens_scopes" CHECK (cardinality("scopes") > 0)
);
CREATE UNIQUE INDEX "platform_tokens_hash_key" ON "platform_tokens" ("hash");

-- For some time, the bearer of a portal session may call the management API of one account. Only the hashes of its two
-- tokens are stored.
CREATE TABLE "portal_sessions" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "account_id" UUID NOT NULL,
  "link_hash" TEXT NOT NULL,
  -- Null until the link is exchanged for the bearer, which happens once.
  "bearer_hash" TEXT,
  "scopes" "scope"[] NOT NULL,
  -- Null means all webhooks of the account.
  "webhook_ids" UUID[],
  -- The access token or platform token that created it, null for an operator. The session ends when that token is revoked.
  "creator_id" UUID,
  "portal_user_name" TEXT,
  "mask_phone_numbers" BOOLEAN NOT NULL DEFAULT false,
  "theme" JSON,
  "return_url" TEXT,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "expires_at" TIMESTAMPTZ(6) NOT NULL,
  "ended_at" TIMESTAMPTZ(6),
  CONSTRAINT "portal_sessions_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "portal_sessions_scopes" CHECK (cardinality("scopes") > 0),
  CONSTRAINT "portal_sessions_webhook_ids" CHECK ("webhook_ids" IS NULL OR cardinality("webhook_ids") > 0),
  CONSTRAINT "portal_sessions_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "portal_sessions_link_hash_key" ON "portal_sessions" ("link_hash");
CREATE UNIQUE INDEX "portal_sessions_bearer_hash_key" ON "portal_sessions" ("bearer_hash");
CREATE INDEX "portal_sessions_account_id_expires_at_idx" ON "portal_sessions" ("account_id", "expires_at");
CREATE INDEX "portal_sessions_expires_at_idx" ON "portal_sessions" ("expires_at");

-- How many requests came with a token in its current minute, counted by all API processes where there is no Redis. The
-- table has no write-ahead log: a crash of the server forgets a minute. Half of each page is free for the next update.
CREATE UNLOGGED TABLE "request_windows" (
  "token_id" UUID NOT NULL,
  "request_count" INTEGER NOT NULL,
  "ends_at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "request_windows_pkey" PRIMARY KEY ("token_id")
) WITH (fillfactor = 50);

-- The change history: one row for each change that a customer or an operator made.
CREATE TABLE "changes" (
  "id" UUID NOT NULL DEFAULT ringback_uuid_v7(),
  -- Null for a change to the whole service.
  "account_id" UUID,
  "at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
  "actor" TEXT NOT NULL,
  "action" TEXT NOT NULL,
  "object_type" TEXT NOT NULL,
  "object_id" TEXT NOT NULL,
  "changed" JSON NOT NULL DEFAULT '[]',
  CONSTRAINT "changes_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "changes_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "changes_account_id_id_idx" ON "changes" ("account_id", "id" DESC);
CREATE INDEX "changes_account_id_object_id_id_idx" ON "changes" ("account_id", "object_id", "id" DESC);
CREATE INDEX "changes_account_id_action_id_idx" ON "changes" ("account_id", "action", "id" DESC);

-- Webhooks -------------------------------------------------------------------------------------------------------------

CREATE TABLE "webhooks" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "account_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  -- With ******** in place of a user and password, which "userinfo" has.
  "uri" TEXT NOT NULL,
  "userinfo" TEXT,
  -- CA certificates in PEM that are trusted for this webhook, beside the public authorities.
  "tls_ca" TEXT,
  "secret" TEXT,
  "verification_code" TEXT,
  "active" BOOLEAN NOT NULL DEFAULT true,
  -- JSON text, so that it is kept as it was written: key order, and the digits of numbers.
  "body_template" TEXT,
  "signing" BOOLEAN NOT NULL DEFAULT true,
  -- The secret of the Standard Webhooks signature, and the one before it with the time until which that also signs.
  "signing_secret" TEXT,
  "previous_signing_secret" TEXT,
  "previous_signs_until" TIMESTAMPTZ(6),
  -- Callbacks a second at most; null means no limit.
  "rate_limit" INTEGER,
  -- Since when every attempt has failed, while failing webhooks are to be paused.
  "failing_since" TIMESTAMPTZ(6),
  -- The deliveries of a paused webhook wait until its owner resumes it.
  "paused_at" TIMESTAMPTZ(6),
  "pause_reason" TEXT,
  -- When the account got its event of the pause.
  "pause_notified_at" TIMESTAMPTZ(6),
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "deleted_at" TIMESTAMPTZ(6),
  CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "webhooks_rate_limit" CHECK ("rate_limit" BETWEEN 1 AND 1000),
  CONSTRAINT "webhooks_pause_has_reason" CHECK (("paused_at" IS NULL) = ("pause_reason" IS NULL)),
  CONSTRAINT "webhooks_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
-- It includes what a list asks for, so that the pages before the wanted one are passed over in the index alone.
CREATE INDEX "webhooks_list_idx" ON "webhooks" ("account_id", "created_at" DESC, "id" DESC) INCLUDE ("deleted_at");
CREATE INDEX "webhooks_unnotified_pause_idx" ON "webhooks" ("id") WHERE "paused_at" IS NOT NULL AND "pause_notified_at" IS NULL;

-- Finds parts of names among very many webhooks of one account. It only saves time: a server that lacks these extensions,
-- does not let us create them, or has them in another schema, goes without.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE EXTENSION IF NOT EXISTS btree_gin;
  CREATE INDEX "webhooks_name_idx" ON "webhooks" USING gin ("account_id", "name" gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
  RAISE NOTICE 'webhooks are found by name without an index: %', SQLERRM;
END
$$;

-- Until when the leased deliveries of a webhook use up its rate limit, for all workers. A crash of the server forgets a
-- second. Half of each page is free for the next update.
CREATE UNLOGGED TABLE "webhook_rate_limits" (
  "webhook_id" UUID NOT NULL,
  "allowed_at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "webhook_rate_limits_pkey" PRIMARY KEY ("webhook_id")
) WITH (fillfactor = 50);

CREATE TABLE "verifications" (
  "id" UUID NOT NULL DEFAULT ringback_uuid_v7(),
  "webhook_id" UUID NOT NULL,
  "state" "verification_state" NOT NULL DEFAULT 'pending',
  "attempt_count" INTEGER NOT NULL DEFAULT 0,
  "reason" TEXT,
  "advice" TEXT,
  "next_attempt_at" TIMESTAMPTZ(6) DEFAULT CURRENT_TIMESTAMP,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "verifications_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "verifications_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "verifications_webhook_id_id_idx" ON "verifications" ("webhook_id", "id" DESC);
CREATE INDEX "verifications_pending_idx" ON "verifications" ("next_attempt_at", "id") WHERE "state" = 'pending';

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
CREATE INDEX "subscriptions_account_id_id_idx" ON "subscriptions" ("account_id", "id" DESC);
CREATE INDEX "subscriptions_webhook_id_idx" ON "subscriptions" ("webhook_id");

-- A test call, between the API process that waits for its result and the worker that makes it. After a crash of the
-- server, nobody waits any more.
CREATE UNLOGGED TABLE "test_calls" (
  "id" UUID NOT NULL DEFAULT ringback_uuid_v7(),
  "account_id" UUID NOT NULL,
  "webhook_id" UUID NOT NULL,
  "event" TEXT NOT NULL,
  "payload" TEXT NOT NULL,
  "claimed_at" TIMESTAMPTZ(6),
  "result" JSON,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "test_calls_pkey" PRIMARY KEY ("id")
);

-- The ledger: events, deliveries, attempts -----------------------------------------------------------------------------
-- They lie in partitions by the time in their ids, so that what is old is dropped and not deleted
-- (docs/adr/0009-partitions.md). Their rows are written by statements that join what they refer to, and webhooks are never
-- removed, so there are no foreign keys: to check each reference again would lock the row of a busy webhook for each of its
-- deliveries.

-- account_id and webhook_id are as the platform gave them: a rejected event may name ones that do not exist.
CREATE TABLE "events" (
  "id" UUID NOT NULL DEFAULT ringback_uuid_v7(),
  "name" TEXT,
  "account_id" UUID,
  "webhook_id" UUID,
  "identity" TEXT,
  "platform_event_id" TEXT,
  "message_id" TEXT,
  "mobile" TEXT,
  "payload" TEXT,
  "state" "event_state" NOT NULL,
  "reason" TEXT,
  "envelope" TEXT,
  -- How many deliveries it was given, so that `ringback audit` sees when one of several is gone. Null in some rejected events.
  "delivery_count" INTEGER,
  "received_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- How often it was pushed again, and when last. Null until then, so that an event costs nothing for it.
  "duplicate_count" INTEGER,
  "last_duplicate_at" TIMESTAMPTZ(6),
  CONSTRAINT "events_pkey" PRIMARY KEY ("id")
) PARTITION BY RANGE ("id");
CREATE INDEX "events_state_received_at_idx" ON "events" ("state", "received_at");
CREATE INDEX "events_account_id_message_id_idx" ON "events" ("account_id", "message_id");
CREATE INDEX "events_account_id_mobile_idx" ON "events" ("account_id", "mobile");
-- The list of repeated events. An event that is not repeated has no entry.
CREATE INDEX "events_duplicates_idx" ON "events" ("id" DESC) WHERE "duplicate_count" IS NOT NULL;

-- Idempotency keys. A unique index of a partitioned table must contain the partition key, so they have a table of their own.
CREATE TABLE "event_keys" (
  "key" TEXT NOT NULL,
  "event_id" UUID NOT NULL,
  CONSTRAINT "event_keys_pkey" PRIMARY KEY ("key")
);
-- Ids come in the order of time, so this index costs next to nothing.
CREATE INDEX "event_keys_event_id_idx" ON "event_keys" USING brin ("event_id");

-- Deliveries wait in this table, and workers claim them under leases (docs/adr/0012-deliveries-wait-in-postgresql.md).
CREATE TABLE "deliveries" (
  "id" UUID NOT NULL DEFAULT ringback_uuid_v7(),
  "event_id" UUID NOT NULL,
  "account_id" UUID NOT NULL,
  "webhook_id" UUID NOT NULL,
  "channel" TEXT NOT NULL,
  "state" "delivery_state" NOT NULL DEFAULT 'pending',
  "reason" TEXT,
  -- How many attempts are recorded.
  "attempt_count" INTEGER NOT NULL DEFAULT 0,
  -- From when a pending delivery may be claimed.
  "due_at" TIMESTAMPTZ(6) DEFAULT CURRENT_TIMESTAMP,
  -- Since when and until when a worker has it. The start identifies the lease. A lease expires if its worker died.
  "leased_at" TIMESTAMPTZ(6),
  "lease_expires_at" TIMESTAMPTZ(6),
  -- How many leases have expired since the last recorded attempt.
  "expired_lease_count" INTEGER NOT NULL DEFAULT 0,
  -- While the delivery is sent again: its state before.
  "resent_from" "delivery_state",
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "deliveries_pending_is_due" CHECK (("state" = 'pending') = ("due_at" IS NOT NULL)),
  CONSTRAINT "deliveries_lease_is_due" CHECK ("lease_expires_at" IS NULL OR "due_at" IS NOT NULL),
  CONSTRAINT "deliveries_lease_has_start" CHECK (("lease_expires_at" IS NULL) = ("leased_at" IS NULL))
) PARTITION BY RANGE ("id");
CREATE INDEX "deliveries_event_id_idx" ON "deliveries" ("event_id");
CREATE INDEX "deliveries_account_id_id_idx" ON "deliveries" ("account_id", "id" DESC);
CREATE INDEX "deliveries_webhook_id_id_idx" ON "deliveries" ("webhook_id", "id" DESC);
-- The logs of what an account or a webhook did not get. They cost a write only where something was not delivered.
CREATE INDEX "deliveries_undelivered_idx" ON "deliveries" ("account_id", "id" DESC) WHERE "state" IN ('failed', 'skipped');
CREATE INDEX "deliveries_webhook_undelivered_idx" ON "deliveries" ("webhook_id", "id" DESC) WHERE "state" IN ('failed', 'skipped');
-- The next two have the same rows: by the checks above, a pending delivery is one with a due_at, and a lease has both of
-- its times. The conditions differ so that no statement can be planned on the wrong one of them, and read all of it.
-- Claims: what waits for one webhook, the longest due first.
CREATE INDEX "deliveries_claim_idx" ON "deliveries" ("webhook_id", "channel", "due_at")
  WHERE "due_at" IS NOT NULL AND "leased_at" IS NULL;
-- What becomes due, in the order of time.
CREATE INDEX "deliveries_due_idx" ON "deliveries" ("due_at", "id") INCLUDE ("webhook_id", "channel", "account_id")
  WHERE "state" = 'pending' AND "lease_expires_at" IS NULL;
-- Leases that have expired.
CREATE INDEX "deliveries_lease_idx" ON "deliveries" ("lease_expires_at") WHERE "lease_expires_at" IS NOT NULL;

CREATE TABLE "attempts" (
  "delivery_id" UUID NOT NULL,
  "number" INTEGER NOT NULL,
  -- The final state that the delivery got with the attempt. Null if it stayed pending.
  "delivery_state" "delivery_state",
  "position" xid8 NOT NULL DEFAULT ringback_outcome_position(),
  "kind" TEXT,
  "started_at" TIMESTAMPTZ(6) NOT NULL,
  "duration_ms" INTEGER NOT NULL,
  "outcome" TEXT NOT NULL,
  "status_code" INTEGER,
  "error_code" TEXT,
  "advice" TEXT,
  -- What the attempt meant for its delivery: 'delivered', 'retry' or 'failed'.
  "verdict" TEXT,
  "url" TEXT NOT NULL,
  "remote_address" TEXT,
  "dns_ms" INTEGER,
  "connect_ms" INTEGER,
  "tls_ms" INTEGER,
  "first_byte_ms" INTEGER,
  "request_headers" JSON,
  "request_body" TEXT,
  "response_headers" JSON,
  "response_body" TEXT,
  "warnings" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  CONSTRAINT "attempts_pkey" PRIMARY KEY ("delivery_id", "number")
) PARTITION BY RANGE ("delivery_id");
-- Only the position: the attempts of one statement share it, and PostgreSQL stores equal keys once.
CREATE INDEX "attempts_position_idx" ON "attempts" ("position");

-- The ends of deliveries without an attempt, for readers of outcomes. A delivery that is resent may end more than once.
CREATE TABLE "delivery_ends" (
  "position" xid8 NOT NULL DEFAULT ringback_outcome_position(),
  "delivery_id" UUID NOT NULL,
  "at" TIMESTAMPTZ(6) NOT NULL,
  "state" "delivery_state" NOT NULL,
  CONSTRAINT "delivery_ends_pkey" PRIMARY KEY ("position", "delivery_id")
) PARTITION BY RANGE ("delivery_id");

-- How far `ringback outcomes` has published, by the name of the reader.
CREATE TABLE "outcome_readers" (
  "name" TEXT NOT NULL,
  "cursor" TEXT NOT NULL,
  "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "outcome_readers_pkey" PRIMARY KEY ("name")
);

-- The first partitions end in a week. `ringback migrate` and the workers create the next ones in time.
DO $$
DECLARE
  bound UUID := ringback_uuid_v7_at(date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '7 days');
  name TEXT;
BEGIN
  FOREACH name IN ARRAY ARRAY['events', 'deliveries', 'attempts', 'delivery_ends']
  LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (MINVALUE) TO (%L)', name || '_first', name, bound);
  END LOOP;
END
$$;

-- Deliveries of one webhook that are sent again, at a rate. The worker goes through them by id.
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
  -- Every delivery up to this id was examined.
  "last_examined_id" UUID NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  "stepped_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "finished_at" TIMESTAMPTZ(6),
  CONSTRAINT "replays_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "replays_state" CHECK ("state" IN ('running', 'done', 'cancelled')),
  CONSTRAINT "replays_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "replays_account_id_id_idx" ON "replays" ("account_id", "id");
-- One at a time for a webhook. It is also the list of those to go on with.
CREATE UNIQUE INDEX "replays_running_key" ON "replays" ("webhook_id") WHERE "state" = 'running';

-- Statistics -----------------------------------------------------------------------------------------------------------

-- A row for each attempt, and for each delivery that ended without one, until a worker adds it to "statistics". It has no
-- index, so that writing it costs little.
CREATE TABLE "statistic_entries" (
  "account_id" UUID NOT NULL,
  "webhook_id" UUID NOT NULL,
  "event" TEXT NOT NULL,
  "at" TIMESTAMPTZ(6) NOT NULL,
  -- What is counted: packages/ledger/src/statistics/codes.ts.
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
-- Rows are updated until their time is over. A fifth of each page is free for that.
) WITH (fillfactor = 80);
-- For their retention.
CREATE INDEX "statistics_resolution_start_idx" ON "statistics" ("resolution", "start");

-- When partitions of the ledger were dropped. Statistics count their attempts, which can't be counted again.
CREATE TABLE "partition_drops" (
  "dropped_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
  -- The last position of the outcomes in them; null if they had none.
  "last_position" xid8,
  CONSTRAINT "partition_drops_pkey" PRIMARY KEY ("dropped_at")
);
