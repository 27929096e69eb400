-- What an access token may be used for. Those that there are, and those made by a process that does not know of it yet,
-- may be used for everything.
CREATE TYPE "scope" AS ENUM ('read', 'write', 'replay');
ALTER TABLE "access_tokens" ADD COLUMN "scopes" "scope"[] NOT NULL DEFAULT '{read,write,replay}';
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_scopes" CHECK (cardinality("scopes") > 0);

-- Who did what, when: a line for every change that a customer or an operator made.
CREATE TABLE "changes" (
  "id" UUID NOT NULL DEFAULT ringback_uuid_v7(),
  -- None for what belongs to no account.
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
