-- A session of the portal: for some time, its bearer may call the management API of one account. Only hashes of its two
-- tokens are stored.
CREATE TABLE "portal_sessions" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "account_id" UUID NOT NULL,
  "link_hash" TEXT NOT NULL,
  "bearer_hash" TEXT NOT NULL,
  "scopes" "scope"[] NOT NULL,
  -- Null: all webhooks of the account.
  "webhook_ids" UUID[],
  -- The access token or platform token that opened it, null for an operator. The session ends when that token is revoked.
  "opener_id" UUID,
  "actor" TEXT,
  "mask" BOOLEAN NOT NULL DEFAULT false,
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
