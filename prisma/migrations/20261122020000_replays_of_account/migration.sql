-- An account lists its own, newest first.
CREATE INDEX "replays_account_id_id_idx" ON "replays" ("account_id", "id");
