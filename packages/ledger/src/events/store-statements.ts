import { channelOf, idempotencyKey, type NewEvent } from '@ringback/rules';
import { taskColumns, webhookColumnsSql } from '../deliveries/delivery-tasks.js';
import { EventState } from '../generated/enums.js';
import { allOrNull, enumOf, text, timestamp, uuid } from '../sql/columns.js';
import { type Columns, defineRecords, namesOf } from '../sql/records.js';
import { preparedStatement } from '../sql/statement.js';
import { pausedSql } from '../webhooks/pauses.js';

/** An event to be stored under this id, unless an event with the same idempotency key exists. */
export type KeyedEvent = { id: string; event: NewEvent; key: string };

/** Joins an event with its id and its idempotency key. */
export function withKey(id: string, event: NewEvent): KeyedEvent {
  return { id, event, key: idempotencyKey(event) };
}

/** The columns that `storeEventsStatement` copies into `events`. */
const storedColumns: Columns<KeyedEvent> = {
  id: ['uuid', ({ id }) => id],
  name: ['text', ({ event }) => event.name],
  webhook_id: ['uuid', ({ event }) => event.webhookId],
  identity: ['text', ({ event }) => event.identity],
  platform_event_id: ['text', ({ event }) => event.platformEventId],
  message_id: ['text', ({ event }) => event.messageId],
  mobile: ['text', ({ event }) => event.mobile],
  payload: ['text', ({ event }) => event.payload],
};

/** The columns of `events` that are copied from the input. */
const storedColumnNames = namesOf(storedColumns);

/** Encodes events as the JSON parameter of the statement that stores them. */
export const eventRecords = defineRecords<KeyedEvent>({
  ...storedColumns,
  key: ['text', ({ key }) => key],
  channel: ['text', ({ event }) => channelOf(event.name)],
  account_id: ['uuid', ({ event }) => event.accountId],
  envelope: ['text', ({ event }) => envelopeOf(event)],
});

/** The JSON of the event as a platform pushes it, with its payload as text. It is stored with a rejected event. */
function envelopeOf({ name, accountId, webhookId, identity, platformEventId, payload }: NewEvent): string {
  const ids = { account_id: accountId, webhook_id: webhookId, identity, event_id: platformEventId };
  return JSON.stringify({ event: name, ...ids, payload });
}

// Storing 5,000 deliveries, with their indexes and triggers, takes about one second.
const maxDeliveries = 5_000;

type StoreParameters = {
  /** Events, encoded by `eventRecords`. */
  events: string;
  /** Only deliveries of these channels are leased to the caller. */
  channels: string[];
  leaseMs: number;
  maxLeased: number;
  maxLeasedPerAccount: number;
  /** Ids of webhooks whose deliveries are not leased to the caller. */
  excludedWebhookIds: string[];
};

// What is known of a new delivery is not read.
const {
  state: _1,
  attemptCount: _2,
  expiredLeaseCount: _3,
  isResend: _4,
  eventId: _5,
  eventName: _6,
  payload: _7,
  receivedAt: _8,
  ...newDeliveryColumns
} = taskColumns;

/**
 * Routes a batch of events and stores them with their deliveries. Its stages:
 *
 * - Resolve (`resolved`): find the account of each event, or the reason to reject it.
 * - Fan out (`targets`): find the webhooks of each event.
 * - Bound (`bounded`): stop after the event that reaches 5,000 deliveries, and leave out the remaining events.
 * - Keys (`new_keys`): insert the idempotency keys, and leave out events whose key exists. Keys are inserted in sorted
 *   order, so that two batches never deadlock. Of several events with one key, the first of the batch is inserted.
 * - Insert (`new_events`): insert the events with new keys, and the rejected events.
 * - Rank (`ranked_targets`): number the deliveries of each account, and find those that may be leased: the channel is
 *   requested, and the webhook is neither paused, rate-limited nor excluded.
 * - Lease (`limited_targets`, `new_deliveries`): insert the deliveries. Both limits, which count only the deliveries of
 *   this statement, decide which of them are leased to the caller. Any other delivery is due at once.
 *
 * Uses the indexes `webhooks_pkey`, `accounts_pkey`, `event_keys_pkey` and the unique index of `subscriptions`.
 */
export const storeEventsStatement = preparedStatement<StoreParameters>(
  'store_events',
  `
WITH input AS (
  SELECT * FROM ${eventRecords.from('$events')}
), resolved AS (
  SELECT i.*, COALESCE(w.account_id, i.account_id) AS resolved_account_id, CASE
      WHEN i.webhook_id IS NOT NULL AND w.id IS NULL THEN 'webhook_id names no webhook'
      WHEN i.account_id <> w.account_id THEN 'webhook_id names a webhook of another account'
      WHEN i.webhook_id IS NULL AND a.id IS NULL THEN 'account_id names no account'
    END AS reason
  FROM input i LEFT JOIN webhooks w ON w.id = i.webhook_id LEFT JOIN accounts a ON a.id = i.account_id
), targets AS (
  SELECT id, webhook_id FROM resolved WHERE reason IS NULL AND webhook_id IS NOT NULL
  UNION
  SELECT r.id, s.webhook_id FROM resolved r
    JOIN subscriptions s ON s.account_id = r.resolved_account_id AND s.event = r.name
      AND s.identity IN ('all', r.identity)
    WHERE r.reason IS NULL AND r.webhook_id IS NULL
), target_counts AS (
  SELECT id, count(*)::int AS target_count FROM targets GROUP BY id
), bounded AS (
  SELECT *, COALESCE(sum(target_count) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
      < ${maxDeliveries} AS is_in_bound
    FROM resolved LEFT JOIN target_counts USING (id)
), new_keys AS (
  INSERT INTO event_keys (key, event_id) SELECT key, id FROM bounded WHERE reason IS NULL AND is_in_bound ORDER BY key, id
  ON CONFLICT (key) DO NOTHING RETURNING event_id
), new_events AS (
  INSERT INTO events (${storedColumnNames}, account_id, reason, envelope, state, delivery_count)
    SELECT ${storedColumnNames}, CASE WHEN reason IS NULL THEN resolved_account_id ELSE account_id END, reason,
      CASE WHEN reason IS NOT NULL THEN envelope END,
      CASE WHEN reason IS NOT NULL THEN 'rejected' WHEN target_count > 0 THEN 'routed' ELSE 'unrouted' END::event_state,
      COALESCE(target_count, 0)
    FROM bounded WHERE (reason IS NOT NULL AND is_in_bound) OR id IN (SELECT event_id FROM new_keys)
  RETURNING id, state, reason, received_at
), ranked_targets AS (
  SELECT r.id, r.resolved_account_id, t.webhook_id, r.channel,
      row_number() OVER (PARTITION BY r.resolved_account_id) AS account_rank,
      r.channel = ANY($channels::text[])
        AND NOT (${pausedSql} OR w.rate_limit IS NOT NULL OR t.webhook_id = ANY($excludedWebhookIds::uuid[])) AS is_leasable
    FROM new_events e JOIN resolved r ON r.id = e.id JOIN targets t ON t.id = e.id JOIN webhooks w ON w.id = t.webhook_id
), limited_targets AS (
  SELECT *, is_leasable AND account_rank <= $maxLeasedPerAccount::int
      AND row_number() OVER (ORDER BY is_leasable DESC, account_rank) <= $maxLeased::int AS is_leased
    FROM ranked_targets
), new_deliveries AS (
  INSERT INTO deliveries AS d (event_id, account_id, webhook_id, channel, due_at, leased_at, lease_expires_at)
    SELECT id, resolved_account_id, webhook_id, channel, clock_timestamp(), CASE WHEN is_leased THEN clock_timestamp() END,
      CASE WHEN is_leased THEN clock_timestamp() + $leaseMs::float8 * interval '1 millisecond' END
    FROM limited_targets
  RETURNING id, event_id, channel, webhook_id, account_id, due_at::text AS due_at, leased_at::text AS leased_at
)
SELECT e.id AS "eventId", e.state AS "eventState", e.reason, e.received_at AS "receivedAt", d.id, d.channel,
    d.webhook_id AS "webhookId", d.account_id AS "accountId", d.due_at AS "dueAt", d.leased_at AS "leasedAt", ${webhookColumnsSql}
  FROM new_events e LEFT JOIN new_deliveries d ON d.event_id = e.id
    LEFT JOIN webhooks w ON w.id = d.webhook_id AND d.leased_at IS NOT NULL LEFT JOIN accounts a ON a.id = w.account_id`,
).returns({
  eventId: uuid,
  eventState: enumOf('event_state', EventState),
  reason: text.orNull,
  receivedAt: timestamp,
  dueAt: text.orNull,
  ...allOrNull(newDeliveryColumns),
});

/**
 * Deletes the given keys if their events do not exist, so that an event that was deleted by hand can be stored again.
 */
export const deleteOrphanKeysStatement = preparedStatement<{ keys: string[] }>(
  'delete_orphan_keys',
  `DELETE FROM event_keys k WHERE k.key = ANY($keys::text[])
    AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = k.event_id)`,
);

/**
 * Finds idempotency keys and their events. A key whose event was deleted has no event. `contentKeys` are those of the
 * keys whose events are returned with their content. Uses `event_keys_pkey`.
 */
export const findByKeysStatement = preparedStatement<{ keys: string[]; contentKeys: string[] }>(
  'find_by_keys',
  `SELECT k.key, e.id AS "eventId", e.identity, CASE WHEN k.key = ANY($contentKeys::text[]) THEN e.payload END AS payload
    FROM event_keys k LEFT JOIN events e ON e.id = k.event_id WHERE k.key = ANY($keys::text[])`,
).returns({ key: text, eventId: uuid.orNull, identity: text.orNull, payload: text.orNull });

/**
 * Counts duplicates: `eventIds` has the id of the stored event of each. The events are locked in the order of their
 * ids, so that two batches never deadlock.
 */
export const countDuplicatesStatement = preparedStatement<{ eventIds: string[] }>(
  'count_duplicates',
  `WITH duplicates AS (
  SELECT id, count(*)::int AS count FROM unnest($eventIds::uuid[]) AS t(id) GROUP BY id
), locked AS (
  SELECT e.id, d.count FROM events e JOIN duplicates d ON d.id = e.id
    WHERE e.id = ANY($eventIds::uuid[]) ORDER BY e.id FOR NO KEY UPDATE OF e
)
UPDATE events e SET duplicate_count = COALESCE(e.duplicate_count, 0) + l.count, last_duplicate_at = clock_timestamp()
  FROM locked l WHERE e.id = l.id AND e.id = ANY($eventIds::uuid[])`,
);
