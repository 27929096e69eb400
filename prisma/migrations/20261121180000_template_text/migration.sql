-- A template is kept as it was written: as JSON, a key `__proto__` got lost on its way through the client.
ALTER TABLE "webhooks" ALTER COLUMN "payload" TYPE TEXT;
