import { type Channel, channelOf, idempotencyKey, type NewEvent } from '@ringback/rules';
import { v7 as newId } from 'uuid';
import { type Database, inTransaction } from '../connection/database.js';
import {
  type DeliveryTask,
  payloadInTask,
  toTask,
  webhookColumns,
  webhookColumnsSql,
} from '../deliveries/delivery-tasks.js';
import { wakeUpsSql } from '../deliveries/wake-ups.js';
import type { Event } from '../generated/client.js';
import { EventState } from '../generated/enums.js';
import { allOrNull, enumOf, integer, type RowOf, text, timestamp, uuid } from '../sql/columns.js';
import {
  type Client,
  defineRecords,
  namesOf,
  type RecordColumns,
  preparedStatement,
  statement,
} from '../sql/statement.js';
import { pausedSql } from '../webhooks/pauses.js';
import { deleteOrphanKeys, findStoredBefore, type KeyedEvent, type StoredBefore } from './event-keys.js';

/** Which new deliveries are leased to the caller, so that it makes their first attempts itself. */
export type LeaseRequest = {
  channels: Channel[];
  leaseMs: number;
  /** Maximum deliveries that one statement leases, in total. */
  maxLeased: number;
  /** Maximum deliveries of one account that one statement leases. */
  maxLeasedPerAccount: number;
  /** Ids of webhooks whose deliveries are not leased. */
  excludedWebhookIds: string[];
};

/**
 * What became of a pushed event: it was stored now, as routed, unrouted or rejected, or it is a duplicate of an event
 * that was stored before.
 */
export type IngestState = Event['state'] | 'duplicate';

export type StoreResult = {
  /** The id of the event. For a duplicate, that of the event that was stored before. */
  eventId: string;
  state: IngestState;
  /** Why the event is rejected; null if it is not. */
  reason: string | null;
  /** Whether it is a duplicate that has the `event_id` of the stored event, but another payload or identity. */
  isConflicting: boolean;
  /** The deliveries that are leased to the caller. Any worker may claim the others. */
  leased: DeliveryTask[];
};

/** The columns that `storeEventsStatement` copies into `events`. */
const storedColumns: RecordColumns<KeyedEvent> = {
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

const eventRecords = defineRecords<KeyedEvent>({
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

/** Why an event of a suspended account is rejected. The API refuses the account's tokens with the same words. */
export const suspendedReason = 'This account is suspended.';

// Storing 1,000 deliveries, with their indexes and triggers, takes 40 to 200 ms. With those of the last event, a
// statement has up to 3,000. The API cancels it after 2 s: one that always takes longer would never be stored. Five
// statements of this size take about as long as one of 5,000.
const maxDeliveries = 1_000;

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

const leasedColumns = {
  id: uuid,
  channel: text.as<Channel>(),
  webhookId: uuid,
  accountId: uuid,
  leasedAt: text,
  ...webhookColumns,
};

/**
 * Routes a batch of events and stores them with their deliveries. Its stages:
 *
 * - Resolve (`resolved`): find the account of each event, or the reason to reject it.
 * - Fan out (`targets`): find the webhooks of each event.
 * - Bound (`bounded`): stop after the event that reaches 1,000 deliveries, and leave out the remaining events.
 * - Keys (`new_keys`): insert the idempotency keys, and leave out events whose key exists. Keys are inserted in sorted
 *   order, so that two batches never deadlock. Of several events with one key, the first of the batch is inserted.
 * - Insert (`new_events`): insert the events with new keys, and the rejected events.
 * - Rank (`new_targets`, `ranked_targets`): find the deliveries that may be leased, and number those of each account
 *   before its others. The channel is requested, and the webhook is neither paused, rate-limited nor excluded.
 * - Lease (`limited_targets`, `new_deliveries`): insert the deliveries. Both limits, which count only the deliveries of
 *   this statement, decide which of them are leased to the caller. Any other delivery is due at once.
 * - Wake (`wake_ups`): tell the workers of the due deliveries when the transaction commits. PostgreSQL runs this stage
 *   only because the result reads its count.
 *
 * Each event up to the bound has a row for each of its leased deliveries, or one row without a delivery. An event whose
 * key exists has no state.
 *
 * Uses the indexes `webhooks_pkey`, `accounts_pkey`, `event_keys_pkey` and the unique index of `subscriptions`.
 */
const storeEventsStatement = preparedStatement<StoreParameters>(
  'store_events',
  `
WITH input AS (
  SELECT * FROM ${eventRecords.from('$events')}
), resolved AS (
  SELECT i.*, COALESCE(i.account_id, w.account_id) AS resolved_account_id, CASE
      WHEN i.webhook_id IS NOT NULL AND w.id IS NULL THEN 'webhook_id names no webhook'
      WHEN i.account_id <> w.account_id THEN 'webhook_id names a webhook of another account'
      WHEN a.deleted_at IS NOT NULL AND i.webhook_id IS NOT NULL THEN 'webhook_id names no webhook'
      WHEN a.id IS NULL OR a.deleted_at IS NOT NULL THEN 'account_id names no account'
      WHEN a.suspended_at IS NOT NULL THEN '${suspendedReason}'
    END AS reason
  FROM input i LEFT JOIN webhooks w ON w.id = i.webhook_id
    LEFT JOIN accounts a ON a.id = COALESCE(i.account_id, w.account_id)
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
    SELECT ${storedColumnNames}, resolved_account_id, reason,
      CASE WHEN reason IS NOT NULL THEN envelope END,
      CASE WHEN reason IS NOT NULL THEN 'rejected' WHEN target_count > 0 THEN 'routed' ELSE 'unrouted' END::event_state,
      COALESCE(target_count, 0)
    FROM bounded WHERE (reason IS NOT NULL AND is_in_bound) OR id IN (SELECT event_id FROM new_keys)
  RETURNING id, state, reason, received_at
), new_targets AS (
  SELECT r.id, r.resolved_account_id, t.webhook_id, r.channel,
      r.channel = ANY($channels::text[])
        AND NOT (${pausedSql} OR w.rate_limit IS NOT NULL OR t.webhook_id = ANY($excludedWebhookIds::uuid[])) AS is_leasable
    FROM new_events e JOIN resolved r ON r.id = e.id JOIN targets t ON t.id = e.id JOIN webhooks w ON w.id = t.webhook_id
), ranked_targets AS (
  SELECT *, row_number() OVER (PARTITION BY resolved_account_id ORDER BY is_leasable DESC) AS account_rank FROM new_targets
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
), wake_ups AS (
  ${wakeUpsSql('new_deliveries')}
)
SELECT (SELECT count(sent)::int FROM wake_ups) AS "wakeUpCount", b.id AS "eventId", e.state AS "eventState", e.reason, e.received_at AS "receivedAt", d.id, d.channel,
    d.webhook_id AS "webhookId", d.account_id AS "accountId", d.leased_at AS "leasedAt", ${webhookColumnsSql}
  FROM bounded b LEFT JOIN new_events e ON e.id = b.id LEFT JOIN new_deliveries d ON d.event_id = e.id AND d.leased_at IS NOT NULL
    LEFT JOIN webhooks w ON w.id = d.webhook_id LEFT JOIN accounts a ON a.id = w.account_id
  WHERE b.is_in_bound`,
).returns({
  wakeUpCount: integer,
  eventId: uuid,
  eventState: enumOf('event_state', EventState).orNull,
  reason: text.orNull,
  receivedAt: timestamp.orNull,
  ...allOrNull(leasedColumns),
});

// A statement has all payloads in one JSON text, in which escaping can make a payload several times longer. A string of
// V8 has at most about 500 million characters.
const maxTotalPayloadLength = 8_000_000;

const noLeases: LeaseRequest = {
  channels: [],
  leaseMs: 0,
  maxLeased: 0,
  maxLeasedPerAccount: 0,
  excludedWebhookIds: [],
};

/**
 * Stores a batch of valid events. An event and its deliveries commit together. Returns what became of each event, in
 * order. It stores at least the first event. It stops after about 1,000 deliveries or 8 million characters of payloads,
 * and the result is then shorter than the batch.
 *
 * An event whose idempotency key exists is not stored again. An event that names an unknown or suspended account, an
 * unknown webhook, or another account's webhook, is stored as rejected. If the result of a call is lost, the call may
 * be repeated: only rejected events are stored twice, and the deliveries that the first call leased are due again when
 * those leases expire.
 */
export async function storeEvents(db: Database, events: NewEvent[], leaseRequest = noLeases): Promise<StoreResult[]> {
  const keyed = withinPayloadLimit(events).map((event) => withKey(newId(), event));
  return storeKeyed(db.pool, keyed, leaseRequest);
}

const withKey = (id: string, event: NewEvent): KeyedEvent => ({ id, event, key: idempotencyKey(event) });

/** The first events of a batch, as many as have payloads within the limit together; at least one. */
function withinPayloadLimit(events: NewEvent[]): NewEvent[] {
  let totalLength = 0;
  const end = events.findIndex(
    ({ payload }, index) => (totalLength += payload.length) > maxTotalPayloadLength && index > 0,
  );
  return end === -1 ? events : events.slice(0, end);
}

const deleteRejectedStatement = statement<{ id: string }>(`DELETE FROM events WHERE id = $id AND state = 'rejected'`);
const setReasonStatement = statement<{ id: string; reason: string | null }>(
  `UPDATE events SET reason = $reason WHERE id = $id`,
);

/**
 * Replaces a rejected event by a new one with deliveries, in one transaction; `event` is its valid form. The new one
 * has its own id, because retention goes by the time in an id: under the old id, the event could be dropped while its
 * deliveries are young. If its account or webhook is still unusable, the event stays rejected, for the new reason. If
 * its key exists by now, nothing changes, and the reason names the event that has it. Null when no rejected event has
 * this id.
 */
export async function storeRetriedEvent(db: Database, id: string, event: NewEvent): Promise<StoreResult | null> {
  return inTransaction(db, async (client) => {
    await client.query('SAVEPOINT rejected');
    if ((await deleteRejectedStatement.run(client, { id })) === 0) return null;
    const [result] = await storeKeyed(client, [withKey(newId(), event)], noLeases);
    if (result?.state !== 'duplicate' && result?.state !== 'rejected') return result ?? null;
    await client.query('ROLLBACK TO rejected');
    const stillRejected = { ...result, eventId: id, state: 'rejected', isConflicting: false } as const;
    if (result.state === 'duplicate') return { ...stillRejected, reason: `it is a repeat of event ${result.eventId}` };
    await setReasonStatement.run(client, { id, reason: result.reason });
    return stillRejected;
  });
}

/**
 * Stores events, or finds the events that have their keys. Returns the results in order, up to the first event without
 * one: it is beyond the bound of the statement, or its key is still an orphan.
 */
async function storeKeyed(client: Client, events: KeyedEvent[], leaseRequest: LeaseRequest): Promise<StoreResult[]> {
  const { results, orphans } = await storeOrFind(client, events, leaseRequest);
  if (orphans.length > 0) {
    await deleteOrphanKeys(client, orphans);
    const again = await storeOrFind(client, orphans, leaseRequest);
    for (const [id, result] of again.results) results.set(id, result);
  }
  const inOrder: StoreResult[] = [];
  for (const { id } of events) {
    const result = results.get(id);
    if (!result) break;
    inOrder.push(result);
  }
  if (inOrder.length === 0 && events.length > 0) throw new Error('an event was neither stored nor found by its key');
  return inOrder;
}

/** `orphans`: the events that were not stored because their keys belong to events that were deleted by hand. */
type Stored = { results: Map<string, StoreResult>; orphans: KeyedEvent[] };

/** Stores events that are new, and finds the events that have the keys of the others. The results are by event id. */
async function storeOrFind(client: Client, events: KeyedEvent[], leaseRequest: LeaseRequest): Promise<Stored> {
  const rows = await storeEventsStatement.rows(client, { ...leaseRequest, events: eventRecords.encode(events) });
  const rowsByEvent = new Map<string, StoredRow[]>(events.map(({ id }) => [id, []]));
  for (const row of rows) rowsByEvent.get(row.eventId)?.push(row);
  const repeated = events.filter(({ id }) => rowsByEvent.get(id)?.[0]?.eventState === null);
  const storedBefore = repeated.length > 0 ? await findStoredBefore(client, repeated) : new Map<string, StoredBefore>();
  const results = new Map<string, StoreResult>();
  for (const keyed of events) {
    const before = storedBefore.get(keyed.id);
    const [first] = rowsByEvent.get(keyed.id) ?? [];
    if (before) results.set(keyed.id, toDuplicate(before));
    else if (first?.eventState)
      results.set(keyed.id, toStored(keyed, first.eventState, rowsByEvent.get(keyed.id) ?? []));
  }
  return { results, orphans: repeated.filter(({ id }) => !storedBefore.has(id)) };
}

const toDuplicate = ({ eventId, isConflicting }: StoredBefore): StoreResult => ({
  eventId,
  state: 'duplicate',
  reason: null,
  isConflicting,
  leased: [],
});

/** A row of `storeEventsStatement`: an event with one of its leased deliveries, or without one. */
type StoredRow = Awaited<ReturnType<typeof storeEventsStatement.rows>>[number];

type LeasedRow = StoredRow & RowOf<typeof leasedColumns> & { receivedAt: Date };

const isLeased = (row: StoredRow): row is LeasedRow => row.id !== null;

/** A delivery that was just stored. Fields that are the same for every new delivery are set here, not read back. */
function newDelivery(row: LeasedRow, { name: eventName, payload }: NewEvent) {
  const { id, channel, webhookId, accountId, leasedAt, eventId, receivedAt } = row;
  return {
    id,
    state: 'pending' as const,
    attemptCount: 0,
    expiredLeaseCount: 0,
    leasedAt,
    isResend: false,
    receivedAt,
    channel,
    eventName,
    eventId,
    accountId,
    payload: payloadInTask(payload),
    webhookId,
  };
}

function toStored({ id: eventId, event }: KeyedEvent, state: EventState, rows: StoredRow[]): StoreResult {
  return {
    eventId,
    state,
    reason: rows[0]?.reason ?? null,
    isConflicting: false,
    leased: rows.filter(isLeased).map((row) => toTask(newDelivery(row, event), row)),
  };
}
