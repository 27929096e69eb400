-- The look of the portal for the account's sessions, as JSON.
ALTER TABLE "accounts" ADD COLUMN "theme" TEXT;
