-- How often each access token called in its minute, shared by all API processes where there is no Redis. Not worth a
-- write-ahead log: a crash of the server forgets a minute. Half of each page is left free for the next update.
CREATE UNLOGGED TABLE "rate_limits" (
  "token_id" UUID NOT NULL,
  "hits" INTEGER NOT NULL,
  "ends_at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "rate_limits_pkey" PRIMARY KEY ("token_id")
) WITH (fillfactor = 50);
