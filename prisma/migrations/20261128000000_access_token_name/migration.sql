-- The name that an access token had where it was imported from.
ALTER TABLE "access_tokens" ADD COLUMN "name" TEXT;
