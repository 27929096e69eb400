-- The link of a portal session is exchanged once: it makes the bearer, which is null until then.
ALTER TABLE "portal_sessions" ALTER COLUMN "bearer_hash" DROP NOT NULL;
