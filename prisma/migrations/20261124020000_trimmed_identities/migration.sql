-- Identities of events are trimmed from now on, as those of new subscriptions are: one that was stored with spaces around
-- it still matches. Where the trimmed one stands already, the other one goes.
DELETE FROM subscriptions s USING subscriptions o
  WHERE s.identity <> btrim(s.identity, E' \t\n\r\f\v')
    AND btrim(o.identity, E' \t\n\r\f\v') = btrim(s.identity, E' \t\n\r\f\v')
    AND (o.account_id, o.event, o.webhook_id) = (s.account_id, s.event, s.webhook_id)
    AND (o.identity = btrim(o.identity, E' \t\n\r\f\v') OR o.id < s.id);
UPDATE subscriptions SET identity = btrim(identity, E' \t\n\r\f\v')
  WHERE identity <> btrim(identity, E' \t\n\r\f\v');
