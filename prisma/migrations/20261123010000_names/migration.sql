-- Finds parts of names among very many webhooks of one account. Only a matter of speed: a server that lacks these
-- extensions, does not let us have them, or has them in another schema, goes without.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE EXTENSION IF NOT EXISTS btree_gin;
  CREATE INDEX "webhooks_name_idx" ON "webhooks" USING gin ("account_id", "name" gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
  RAISE NOTICE 'webhooks are found by name without an index: %', SQLERRM;
END
$$;
