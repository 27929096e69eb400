import { groupBy } from '@ringback/process';
import {
  type Channel,
  channelOf,
  type EventContent,
  hasSameContent,
  idempotencyKey,
  type NewEvent,
} from '@ringback/rules';
import type pg from 'pg';
import { v7 as newId } from 'uuid';
import { type Database, inTransaction } from '../connection/database.js';
import {
  type DeliveryTask,
  payloadInTask,
  type TaskRow,
  toTask,
  webhookColumnsSql,
} from '../deliveries/delivery-tasks.js';
import type { WebhookChannel } from '../deliveries/due.js';
import type { Event } from '../generated/client.js';
import { isUuid } from '../sql/ids.js';
import { type Columns, defineRecords, namesOf } from '../sql/records.js';
import { preparedStatement } from '../sql/statement.js';
import { pausedSql } from '../webhooks/pauses.js';

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
 * order. It stores at least the first event. It stops after about 5,000 deliveries or 8 million characters of payloads,
 * and the result is then shorter than the batch.
 *
 * An event whose idempotency key exists is not stored again. An event that names an unknown account or webhook, or
 * another account's webhook, is stored as rejected. If the result of a call is lost, the call may be repeated: only
 * rejected events are stored twice, and the deliveries that the first call leased are due again when those leases
 * expire.
 */
export async function storeEvents(db: Database, events: NewEvent[], leaseRequest = noLeases): Promise<StoreResult[]> {
  const candidates = withinPayloadLimit(events).map((event) => toCandidate(newId(), event));
  return storeCandidates(db, db.pool, { candidates, leaseRequest });
}

/** The first events of a batch, as many as have payloads within the limit together; at least one. */
function withinPayloadLimit(events: NewEvent[]): NewEvent[] {
  let totalLength = 0;
  return takeWhile(
    events,
    ({ payload }, index) => (totalLength += payload.length) <= maxTotalPayloadLength || index === 0,
  );
}

/**
 * Stores a rejected event again, with its deliveries and under its id, in one transaction. `event` is its valid form.
 * If the account or webhook is still unusable, the event is stored as rejected with the new reason. If the idempotency
 * key exists, the rejected event does not change, and the returned reason names the event that has the key. Null when
 * no rejected event has this id.
 */
export async function storeRetriedEvent(db: Database, id: string, event: NewEvent): Promise<StoreResult | null> {
  return inTransaction(db, async (client) => {
    const deleted = await client.query(`DELETE FROM events WHERE id = $1 AND state = 'rejected'`, [id]);
    if (deleted.rowCount === 0) return null;
    const batch = { candidates: [toCandidate(id, event)], leaseRequest: noLeases };
    const [result] = await storeCandidates(db, client, batch);
    if (result?.state !== 'duplicate') return result ?? null;
    await client.query('ROLLBACK');
    return {
      ...result,
      eventId: id,
      state: 'rejected',
      isConflicting: false,
      reason: `it is a repeat of event ${result.eventId}`,
    };
  });
}

/** The event in any state. Null when no event has this id. */
export async function findEvent(db: Database, id: string): Promise<Event | null> {
  return isUuid(id) ? db.prisma.event.findUnique({ where: { id } }) : null;
}

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

type Batch = { candidates: EventCandidate[]; leaseRequest: LeaseRequest };

/**
 * What became of a candidate:
 *
 * - `stored`: it was stored now
 * - `duplicate`: an event with its key was stored before
 * - `orphanKey`: its key exists, but the event of the key was deleted by hand
 * - `overLimit`: it was left out, because the candidates before it have as many deliveries as one statement stores
 */
type CandidateResult = { type: 'stored' | 'duplicate'; result: StoreResult } | { type: 'orphanKey' | 'overLimit' };

/**
 * Stores candidates, or finds the events that have their keys and counts the duplicates. Returns the results in order.
 * They end before the first candidate that was neither stored nor found, because it is over the limit or its key is
 * still an orphan. The first candidate is never over the limit. Throws if there is no result.
 */
export async function storeCandidates(
  db: Database,
  client: pg.Pool | pg.PoolClient,
  { candidates, leaseRequest }: Batch,
): Promise<StoreResult[]> {
  const firstResults = await storeOrFind(db, client, { candidates, leaseRequest });
  const inLimit = takeWhile(firstResults, ({ type }) => type !== 'overLimit');
  const orphans = candidates.filter((_, index) => inLimit[index]?.type === 'orphanKey');
  const orphanResults = orphans.length > 0 ? await storeOrphans(db, client, { candidates: orphans, leaseRequest }) : [];
  const all = inLimit.map((item) => (item.type === 'orphanKey' ? (orphanResults.shift() ?? item) : item));
  const results = takeWhile(all, (item) => 'result' in item).flatMap((item) => ('result' in item ? [item.result] : []));
  if (results.length === 0 && candidates.length > 0)
    throw new Error('an event was neither stored nor found by its key');
  const eventIds = results.filter(({ state }) => state === 'duplicate').map(({ eventId }) => eventId);
  if (eventIds.length > 0) await client.query(countDuplicatesStatement({ eventIds }));
  return results;
}

/** Deletes the orphan keys of candidates, and stores these candidates. */
async function storeOrphans(db: Database, client: pg.Pool | pg.PoolClient, batch: Batch): Promise<CandidateResult[]> {
  await client.query(deleteOrphanKeysStatement({ keys: batch.candidates.map(({ key }) => key) }));
  return storeOrFind(db, client, batch);
}

/**
 * Runs `storeEventsStatement`, and finds the keys of the candidates that it did not store. Returns a result for each.
 */
async function storeOrFind(
  db: Database,
  client: pg.Pool | pg.PoolClient,
  { candidates, leaseRequest }: Batch,
): Promise<CandidateResult[]> {
  const events = candidateRecords.encode(candidates);
  const { rows } = await client.query<StoredRow>(storeEventsStatement({ ...leaseRequest, events }));
  const storedRows = groupBy(rows, ({ eventId }) => eventId);
  const notStored = candidates.filter(({ id }) => !storedRows.has(id));
  const keyRows = notStored.length > 0 ? await findByKeys(client, notStored) : new Map<string, KeyRow>();
  // What is over the limit is at the end of the batch, and never the first candidate.
  const lastInLimit = Math.max(
    0,
    candidates.findLastIndex(({ id }) => storedRows.has(id)),
  );
  return candidates.map((candidate, index) => {
    const ownRows = storedRows.get(candidate.id);
    if (ownRows) return { type: 'stored', result: toStoreResult(db, candidate, ownRows) };
    const keyRow = keyRows.get(candidate.key);
    if (keyRow && keyRow.eventId !== null) {
      const isConflicting = keyRow.payload !== null && !hasSameContent(keyRow, candidate.event);
      return { type: 'duplicate', result: toDuplicate(keyRow.eventId, { isConflicting }) };
    }
    // Within the limit, a missing key was an orphan that another process has just deleted.
    return { type: keyRow || index <= lastInLimit ? 'orphanKey' : 'overLimit' };
  });
}

/** A key with its event. The payload is null unless the key is that of an `event_id`. */
type KeyRow = { key: string } & (
  { eventId: string; identity: string | null; payload: null } | ({ eventId: string } & EventContent) | { eventId: null }
);

async function findByKeys(client: pg.Pool | pg.PoolClient, candidates: EventCandidate[]): Promise<Map<string, KeyRow>> {
  // A key without an `event_id` covers the content, so only the others can belong to another content.
  const withEventId = candidates.filter(({ event }) => event.platformEventId !== null);
  const [keys, contentKeys] = [candidates, withEventId].map((some) => some.map(({ key }) => key));
  const { rows } = await client.query<KeyRow>(
    findByKeysStatement({ keys: keys ?? [], contentKeys: contentKeys ?? [] }),
  );
  return new Map(rows.map((row) => [row.key, row]));
}

/**
 * What became of a pushed event: it was stored now, as routed, unrouted or rejected, or it is a duplicate of an event
 * that was stored before.
 */
export type IngestState = Event['state'] | 'duplicate';

/** What became of one event. */
export type StoreResult = {
  /** The id of the event. For a duplicate, that of the event that was stored before. */
  eventId: string;
  state: IngestState;
  /** Why the event is rejected; null if it is not. */
  reason: string | null;
  /** Whether it is a duplicate that has the `event_id` of the stored event, but another payload or identity. */
  isConflicting: boolean;
  /** The account that the deliveries belong to; null without deliveries. */
  accountId: string | null;
  /** The number of deliveries that were stored; 0 for a duplicate. */
  deliveryCount: number;
  /** The deliveries that are leased to the caller. */
  leased: DeliveryTask[];
  /** The webhooks of the other deliveries, which any worker may claim. */
  dueWebhooks: WebhookChannel[];
};

/** The fields of a new delivery's task that are known without reading its row. */
type KnownField = 'state' | 'attemptCount' | 'expiredLeaseCount' | 'isResend' | 'eventId' | 'eventName' | 'payload';

/** A row of `storeEventsStatement`: an event with one of its deliveries, or without one. */
export type StoredRow = Pick<StoreResult, 'eventId' | 'reason'> & { eventState: Event['state'] } & (
    Omit<TaskRow, KnownField> | { id: null }
  );

const withoutDeliveries = () => ({ accountId: null, deliveryCount: 0, leased: [], dueWebhooks: [] });

/** Turns the rows of a stored event into its result. */
export function toStoreResult(db: Database, { id: eventId, event }: EventCandidate, rows: StoredRow[]): StoreResult {
  const { eventState: state = 'unrouted', reason = null } = rows[0] ?? {};
  const result: StoreResult = { eventId, state, reason, isConflicting: false, ...withoutDeliveries() };
  const knownFields: Pick<TaskRow, KnownField> = {
    state: 'pending',
    attemptCount: 0,
    expiredLeaseCount: 0,
    isResend: false,
    eventId,
    eventName: event.name,
    payload: payloadInTask(event.payload),
  };
  for (const row of rows) {
    if (row.id === null) continue;
    result.deliveryCount++;
    result.accountId = row.accountId;
    const { channel, webhookId, accountId } = row;
    if (row.leasedAt !== null) result.leased.push(toTask(db, { ...row, ...knownFields }));
    else result.dueWebhooks.push({ webhookId, channel, accountId });
  }
  return result;
}

/** The result for an event whose key was found. `eventId` is the id of the event that was stored before. */
export const toDuplicate = (eventId: string, { isConflicting }: { isConflicting: boolean }): StoreResult => ({
  eventId,
  state: 'duplicate',
  reason: null,
  isConflicting,
  ...withoutDeliveries(),
});

/** An event to be stored under this id, unless an event with the same idempotency key exists. */
export type EventCandidate = { id: string; event: NewEvent; key: string };

/** Joins an event with its id and its idempotency key. */
export function toCandidate(id: string, event: NewEvent): EventCandidate {
  return { id, event, key: idempotencyKey(event) };
}

/** The columns that `storeEventsStatement` copies into `events`. */
const storedColumns: Columns<EventCandidate> = {
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
export const storedColumnNames = namesOf(storedColumns);

/** Encodes the candidates as the JSON parameter of the statement that stores them. */
export const candidateRecords = defineRecords<EventCandidate>({
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
  /** Candidates, encoded by `candidateRecords`. */
  events: string;
  /** Only deliveries of these channels are leased to the caller. */
  channels: string[];
  leaseMs: number;
  maxLeased: number;
  maxLeasedPerAccount: number;
  /** Ids of webhooks whose deliveries are not leased to the caller. */
  excludedWebhookIds: string[];
};

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
  SELECT * FROM ${candidateRecords.from('$events')}
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
  RETURNING id, event_id, channel, webhook_id, account_id, leased_at::text AS leased_at
)
SELECT e.id AS "eventId", e.state AS "eventState", e.reason, e.received_at AS "receivedAt", d.id, d.channel,
    d.webhook_id AS "webhookId", d.account_id AS "accountId", d.leased_at AS "leasedAt", ${webhookColumnsSql}
  FROM new_events e LEFT JOIN new_deliveries d ON d.event_id = e.id
    LEFT JOIN webhooks w ON w.id = d.webhook_id AND d.leased_at IS NOT NULL LEFT JOIN accounts a ON a.id = w.account_id`,
);

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
);

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

/** The items before the first one for which `matches` returns false. */
export function takeWhile<T>(items: T[], matches: (item: T, index: number) => boolean): T[] {
  const end = items.findIndex((item, index) => !matches(item, index));
  return end === -1 ? items : items.slice(0, end);
}
