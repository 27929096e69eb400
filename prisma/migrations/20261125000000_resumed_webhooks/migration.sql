-- The change history calls the end of a pause `webhook.resumed`, as the API does.
UPDATE "changes" SET "action" = 'webhook.resumed' WHERE "action" = 'webhook.released';
