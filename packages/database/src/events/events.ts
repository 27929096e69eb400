import type { Channel, NewEvent } from '@ringback/callbacks';
import type pg from 'pg';
import { v7 as newId } from 'uuid';
import { groupBy } from '@ringback/runtime';
import type { WebhookChannel } from '../deliveries/webhook-channel.js';
import { candidateRecords, type EventCandidate, toCandidate } from './event-records.js';
import { deleteOrphanKeysStatement, findByKeysStatement, storeEventsStatement } from './event-statements.js';
import type { Event } from '../generated/client.js';
import type { Database } from '../connection/open.js';
import { type DeliveryTask, payloadInTask, type TaskRow, toTask } from '../deliveries/delivery-task.js';
import { inTransaction } from '../connection/transaction.js';
import { isUuid } from '../sql/uuid.js';

/** Which new deliveries are leased to the caller, so that it makes their first attempts itself. */
export type LeaseRequest = {
  channels: Channel[];
  leaseMs: number;
  /** Maximum deliveries that one statement leases, in total and for each account. */
  maxLeased: number;
  maxLeasedPerAccount: number;
  /** Ids of webhooks whose deliveries are not leased. */
  excludedWebhookIds: string[];
};

/** What became of one event: it was stored now, as routed, unrouted or rejected, or its key was found. */
export type StoredEvent = {
  eventId: string;
  state: Event['state'];
  reason: string | null;
  isDuplicate: boolean;
  /** The account that the deliveries belong to; null without deliveries. */
  accountId: string | null;
  /** The number of deliveries that were stored; 0 for a duplicate. */
  deliveryCount: number;
  /** The deliveries that are leased to the caller. */
  leased: DeliveryTask[];
  /** The webhooks of the other deliveries, which any worker may claim. */
  dueWebhooks: WebhookChannel[];
};

type StoredRow = Pick<StoredEvent, 'eventId' | 'reason'> & { eventState: Event['state'] } & (
    Omit<TaskRow, 'payload' | 'event' | 'eventId'> | { id: null }
  );
type KnownRow = Pick<StoredEvent, 'eventId' | 'state' | 'reason'> & { key: string };

// A statement has all payloads in one JSON text. A string of V8 has at most 512 million characters.
const maxPayloadLength = 8_000_000;

const noLeasesRequested: LeaseRequest = {
  channels: [],
  leaseMs: 0,
  maxLeased: 0,
  maxLeasedPerAccount: 0,
  excludedWebhookIds: [],
};

/**
 * Stores a batch of valid events with their deliveries in one transaction, and returns what became of each event, in
 * order. It stores at least the first event and stops after about 5,000 deliveries, or 8 million characters of
 * payloads. The result is then shorter than the batch.
 *
 * An event whose idempotency key exists is not stored again. An event that names an unknown account or webhook, or
 * another account's webhook, is stored as rejected. If the result of a call is lost, the call may be repeated: it
 * stores nothing twice, and the deliveries that the first call leased are due again when those leases expire.
 */
export async function storeEvents(
  db: Database,
  events: NewEvent[],
  leaseRequest = noLeasesRequested,
): Promise<StoredEvent[]> {
  const candidates = withinPayloadLimit(events).map((event) => toCandidate(newId(), event));
  return storeCandidates(db, db.pool, { candidates, lease: leaseRequest });
}

/** The first of the events, which together stay within the limit; at least one. */
function withinPayloadLimit(events: NewEvent[]): NewEvent[] {
  let length = 0;
  const end = events.findIndex(({ payload }, index) => (length += payload.length) > maxPayloadLength && index > 0);
  return end === -1 ? events : events.slice(0, end);
}

type Batch = { candidates: EventCandidate[]; lease: LeaseRequest };

async function storeCandidates(
  db: Database,
  client: pg.Pool | pg.PoolClient,
  { candidates, lease }: Batch,
): Promise<StoredEvent[]> {
  const results = await storeOrFind(db, client, { candidates, lease });
  const end = results.findLastIndex((result) => result !== undefined) + 1 || candidates.length;
  const orphans = candidates.slice(0, end).filter((_, index) => results[index] === undefined);
  if (orphans.length === 0) return results.filter((result) => result !== undefined);
  // The keys of these events exist, but the events were deleted by hand.
  await client.query(deleteOrphanKeysStatement({ keys: orphans.map(({ key }) => key) }));
  const retried = await storeOrFind(db, client, { candidates: orphans, lease });
  const all = results.slice(0, end).map((result) => result ?? retried.shift());
  const prefix = all.slice(0, all.includes(undefined) ? all.indexOf(undefined) : end);
  if (prefix.length === 0) throw new Error('an event was neither stored nor found by its key');
  return prefix.filter((result) => result !== undefined);
}

/**
 * A result is undefined if the event's key exists but its event does not, or if the limit of deliveries left it out.
 */
async function storeOrFind(
  db: Database,
  client: pg.Pool | pg.PoolClient,
  { candidates, lease }: Batch,
): Promise<(StoredEvent | undefined)[]> {
  const events = candidateRecords.encode(candidates);
  const { rows } = await client.query<StoredRow>(storeEventsStatement({ ...lease, events }));
  const stored = groupBy(rows, ({ eventId }) => eventId);
  const missing = candidates.filter(({ id }) => !stored.has(id)).map(({ key }) => key);
  const known = missing.length > 0 ? await findKnown(client, missing) : new Map<string, KnownRow>();
  return candidates.map((candidate) => {
    const ownRows = stored.get(candidate.id);
    if (ownRows) return toStoredEvent(db, candidate, ownRows);
    const row = known.get(candidate.key);
    if (!row) return undefined;
    const { eventId, state, reason } = row;
    return {
      eventId,
      state,
      reason,
      isDuplicate: true,
      accountId: null,
      deliveryCount: 0,
      leased: [],
      dueWebhooks: [],
    };
  });
}

/** `rows` has one row for each delivery of the event, or a single row without one. */
function toStoredEvent(db: Database, { id: eventId, event }: EventCandidate, rows: StoredRow[]): StoredEvent {
  const { eventState: state = 'unrouted', reason = null } = rows[0] ?? {};
  const none = { accountId: null, deliveryCount: 0, leased: [], dueWebhooks: [] };
  const storedEvent: StoredEvent = { eventId, state, reason, isDuplicate: false, ...none };
  const newTask = {
    state: 'pending' as const,
    attemptCount: 0,
    crashCount: 0,
    isResend: false,
    eventId,
    eventName: event.name,
    payload: payloadInTask(event.payload),
  };
  for (const row of rows) {
    if (row.id === null) continue;
    storedEvent.deliveryCount++;
    storedEvent.accountId = row.accountId;
    const { channel, webhookId, accountId } = row;
    if (row.leaseId !== null) storedEvent.leased.push(toTask(db, { ...row, ...newTask }));
    else storedEvent.dueWebhooks.push({ webhookId, channel, accountId });
  }
  return storedEvent;
}

async function findKnown(client: pg.Pool | pg.PoolClient, keys: string[]): Promise<Map<string, KnownRow>> {
  const { rows } = await client.query<KnownRow>(findByKeysStatement({ keys }));
  return new Map(rows.map((row) => [row.key, row]));
}

/**
 * Stores a rejected event that is now valid, with its deliveries and under its id, in one transaction. Null when no
 * rejected event has this id. If its idempotency key exists it stays rejected, and the returned reason names the other
 * event.
 */
export async function storeRetriedEvent(db: Database, id: string, event: NewEvent): Promise<StoredEvent | null> {
  return inTransaction(db, async (client) => {
    const deleted = await client.query(`DELETE FROM events WHERE id = $1 AND state = 'rejected'`, [id]);
    if (deleted.rowCount === 0) return null;
    const candidates = [toCandidate(id, event)];
    const [storedEvent] = await storeCandidates(db, client, { candidates, lease: noLeasesRequested });
    if (!storedEvent?.isDuplicate) return storedEvent ?? null;
    await client.query('ROLLBACK');
    return { ...storedEvent, eventId: id, state: 'rejected', reason: `it is a repeat of event ${storedEvent.eventId}` };
  });
}

/** The event in any state. Null when no event has this id. */
export async function findEvent(db: Database, id: string): Promise<Event | null> {
  return isUuid(id) ? db.prisma.event.findUnique({ where: { id } }) : null;
}
