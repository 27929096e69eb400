import { statement } from './statement.js';
import { isPaused, webhookColumns } from './task.js';

// As many are stored within a second, with indexes and triggers.
const maxDeliveries = 5_000;

/**
 * The whole of routing (behaviour: routing) and both rows of the ledger, in one statement for a batch. An event whose
 * key is taken is left out of the answer. Inserted by key, so that two batches never wait for each other in a circle.
 * Deliveries of the channels in $13 are leased to the caller for $14 ms, at most $16 of them and $17 of each account, unless
 * their webhook is paused, has a rate limit or is among the saturated of $15. All others are due at once. Events are left
 * out as soon as those before them make 5,000 deliveries.
 */
export const accept = statement(
  'accept',
  `
WITH input AS (
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::text[])
  AS t(id, name, channel, account_id, webhook_id, identity, external_id, key, message_id, mobile, payload, envelope)
), judged AS (
  SELECT i.*, COALESCE(w.account_id, i.account_id) AS owner_id, CASE
      WHEN i.webhook_id IS NOT NULL AND w.id IS NULL THEN 'webhook_id names no webhook'
      WHEN i.account_id <> w.account_id THEN 'webhook_id names a webhook of another account'
      WHEN i.webhook_id IS NULL AND a.id IS NULL THEN 'account_id names no account'
    END AS reason
  FROM input i LEFT JOIN webhooks w ON w.id = i.webhook_id LEFT JOIN accounts a ON a.id = i.account_id
), targets AS (
  SELECT id, webhook_id FROM judged WHERE reason IS NULL AND webhook_id IS NOT NULL
  UNION
  SELECT j.id, s.webhook_id FROM judged j
    JOIN subscriptions s ON s.account_id = j.owner_id AND s.event = j.name AND s.identity IN ('all', j.identity)
    WHERE j.reason IS NULL AND j.webhook_id IS NULL
), counted AS (
  SELECT id, count(*)::int AS n FROM targets GROUP BY id
), fitting AS (
  SELECT *, COALESCE(sum(n) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) < ${maxDeliveries} AS fits
    FROM judged LEFT JOIN counted USING (id)
), known AS (
  INSERT INTO event_keys (key, event_id) SELECT key, id FROM fitting WHERE reason IS NULL AND fits ORDER BY key
  ON CONFLICT (key) DO NOTHING RETURNING event_id
), stored AS (
  INSERT INTO events
      (id, name, account_id, webhook_id, identity, external_id, message_id, mobile, payload, reason, envelope, state,
      delivery_count)
    SELECT id, name, CASE WHEN reason IS NULL THEN owner_id ELSE account_id END, webhook_id, identity, external_id,
      message_id, mobile, payload, reason, CASE WHEN reason IS NOT NULL THEN envelope END,
      CASE WHEN reason IS NOT NULL THEN 'rejected' WHEN n > 0 THEN 'routed' ELSE 'unrouted' END::event_state, COALESCE(n, 0)
    FROM fitting WHERE (reason IS NOT NULL AND fits) OR id IN (SELECT event_id FROM known)
  RETURNING id, state, reason, received_at
), aimed AS (
  SELECT j.id, j.owner_id, t.webhook_id, j.channel,
      j.channel = ANY($13::text[]) AND NOT (${isPaused} OR w.rate_limit IS NOT NULL OR t.webhook_id = ANY($15::uuid[])) AS able,
      row_number() OVER (PARTITION BY j.owner_id) AS turn
    FROM stored s JOIN judged j ON j.id = s.id JOIN targets t ON t.id = s.id JOIN webhooks w ON w.id = t.webhook_id
), placed AS (
  SELECT *, able AND turn <= $17::int AND row_number() OVER (ORDER BY able DESC, turn) <= $16::int AS leased FROM aimed
), made AS (
  INSERT INTO deliveries (event_id, account_id, webhook_id, channel, next_attempt_at, due_at, lease_expires_at)
    SELECT id, owner_id, webhook_id, channel, NULL, clock_timestamp(),
      CASE WHEN leased THEN clock_timestamp() + $14::float8 * interval '1 millisecond' END
    FROM placed
  RETURNING id, event_id, channel, webhook_id, account_id, lease_expires_at::text AS lease
)
SELECT s.id AS "eventId", s.state AS "eventState", s.reason, s.received_at AS "receivedAt", m.id, m.channel,
    m.webhook_id AS "webhookId", m.account_id AS "accountId", m.lease, ${webhookColumns}
  FROM stored s LEFT JOIN made m ON m.event_id = s.id LEFT JOIN webhooks w ON w.id = m.webhook_id AND m.lease IS NOT NULL
    LEFT JOIN accounts a ON a.id = w.account_id`,
);

/** Forgets those of the keys whose events are gone: what was deleted by hand is not known any more. */
export const forgetOrphans = statement(
  'forget_orphans',
  `
DELETE FROM event_keys k WHERE k.key = ANY($1::text[]) AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = k.event_id)`,
);

/** Events by their idempotency keys. */
export const findByKeys = statement(
  'find_by_keys',
  `
SELECT k.key, e.id AS "eventId", e.state, e.reason FROM event_keys k JOIN events e ON e.id = k.event_id
  WHERE k.key = ANY($1::text[])`,
);
