-- How long an account's lists are, kept by triggers: a page tells how many there are, and counting a million takes longer
-- than reading fifteen.
CREATE TABLE "list_counts" (
  "account_id" UUID NOT NULL,
  -- 'webhooks', 'webhooks.deleted' or 'subscriptions'
  "list" TEXT NOT NULL,
  -- A count is the sum of its slots, so that two writers of one account seldom wait for each other.
  "slot" SMALLINT NOT NULL,
  "count" BIGINT NOT NULL,
  CONSTRAINT "list_counts_pkey" PRIMARY KEY ("account_id", "list", "slot")
) WITH (fillfactor = 50);

CREATE FUNCTION ringback_count(of_account UUID, of_list TEXT, added BIGINT) RETURNS void LANGUAGE sql AS $$
  INSERT INTO list_counts AS kept (account_id, list, slot, count)
  VALUES (of_account, of_list, pg_backend_pid() % 8, added)
  ON CONFLICT (account_id, list, slot) DO UPDATE SET count = kept.count + excluded.count
$$;

CREATE FUNCTION ringback_list_of_webhook(deleted_at TIMESTAMPTZ) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN deleted_at IS NULL THEN 'webhooks' ELSE 'webhooks.deleted' END
$$;

CREATE FUNCTION ringback_count_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_OP
    WHEN 'INSERT' THEN
      PERFORM ringback_count(account_id, list, n) FROM (
        SELECT account_id, ringback_list_of_webhook(deleted_at) AS list, count(*) AS n FROM added GROUP BY 1, 2 ORDER BY 1, 2
      ) AS counted;
    WHEN 'DELETE' THEN
      PERFORM ringback_count(account_id, list, -n) FROM (
        SELECT account_id, ringback_list_of_webhook(deleted_at) AS list, count(*) AS n FROM removed GROUP BY 1, 2 ORDER BY 1, 2
      ) AS counted;
    WHEN 'UPDATE' THEN
      -- In the same order whether it is deleted or restored, so that two of them do not wait for each other for ever.
      PERFORM ringback_count(NEW.account_id, 'webhooks', CASE WHEN NEW.deleted_at IS NULL THEN 1 ELSE -1 END);
      PERFORM ringback_count(NEW.account_id, 'webhooks.deleted', CASE WHEN NEW.deleted_at IS NULL THEN -1 ELSE 1 END);
    WHEN 'TRUNCATE' THEN
      DELETE FROM list_counts WHERE list IN ('webhooks', 'webhooks.deleted');
  END CASE;
  RETURN NULL;
END
$$;

CREATE FUNCTION ringback_count_subscriptions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  CASE TG_OP
    WHEN 'INSERT' THEN
      PERFORM ringback_count(account_id, 'subscriptions', n)
      FROM (SELECT account_id, count(*) AS n FROM added GROUP BY 1 ORDER BY 1) AS counted;
    WHEN 'DELETE' THEN
      PERFORM ringback_count(account_id, 'subscriptions', -n)
      FROM (SELECT account_id, count(*) AS n FROM removed GROUP BY 1 ORDER BY 1) AS counted;
    WHEN 'TRUNCATE' THEN
      DELETE FROM list_counts WHERE list = 'subscriptions';
  END CASE;
  RETURN NULL;
END
$$;

CREATE TRIGGER webhooks_count_added AFTER INSERT ON "webhooks" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION ringback_count_webhooks();
CREATE TRIGGER webhooks_count_removed AFTER DELETE ON "webhooks" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION ringback_count_webhooks();
CREATE TRIGGER webhooks_count_moved AFTER UPDATE OF "deleted_at" ON "webhooks"
  FOR EACH ROW WHEN ((OLD."deleted_at" IS NULL) IS DISTINCT FROM (NEW."deleted_at" IS NULL))
  EXECUTE FUNCTION ringback_count_webhooks();
CREATE TRIGGER webhooks_count_emptied AFTER TRUNCATE ON "webhooks"
  FOR EACH STATEMENT EXECUTE FUNCTION ringback_count_webhooks();
CREATE TRIGGER subscriptions_count_added AFTER INSERT ON "subscriptions" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION ringback_count_subscriptions();
CREATE TRIGGER subscriptions_count_removed AFTER DELETE ON "subscriptions" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION ringback_count_subscriptions();
CREATE TRIGGER subscriptions_count_emptied AFTER TRUNCATE ON "subscriptions"
  FOR EACH STATEMENT EXECUTE FUNCTION ringback_count_subscriptions();

-- Writers wait until this is through, since a trigger locks its table.
INSERT INTO "list_counts"
SELECT "account_id", ringback_list_of_webhook("deleted_at"), 0, count(*) FROM "webhooks" GROUP BY 1, 2
UNION ALL
SELECT "account_id", 'subscriptions', 0, count(*) FROM "subscriptions" GROUP BY 1;

-- With what a list asks for, so that the pages before it are passed over in the index alone.
CREATE INDEX "webhooks_list_idx" ON "webhooks" ("account_id", "created_at" DESC, "id" DESC) INCLUDE ("deleted_at");
DROP INDEX "webhooks_account_id_created_at_id_idx";
CREATE INDEX "subscriptions_account_id_id_idx" ON "subscriptions" ("account_id", "id" DESC);
