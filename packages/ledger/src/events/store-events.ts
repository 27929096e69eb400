import { type Channel, hasSameContent, type NewEvent } from '@ringback/rules';
import { groupBy } from '@ringback/process';
import type pg from 'pg';
import { v7 as newId } from 'uuid';
import { type Database, inTransaction } from '../connection/database.js';
import { type DeliveryTask, payloadInTask, type TaskRow, toTask } from '../deliveries/delivery-tasks.js';
import type { Due } from '../deliveries/due.js';
import type { Event } from '../generated/client.js';
import { statement } from '../sql/statement.js';
import {
  countDuplicatesStatement,
  deleteOrphanKeysStatement,
  eventRecords,
  findByKeysStatement,
  type KeyedEvent,
  storeEventsStatement,
  withKey,
} from './store-statements.js';

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
  due: Due[];
};

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
  const keyed = withinPayloadLimit(events).map((event) => withKey(newId(), event));
  return insertEvents(db, db.pool, { events: keyed, leaseRequest });
}

/** The first events of a batch, as many as have payloads within the limit together; at least one. */
function withinPayloadLimit(events: NewEvent[]): NewEvent[] {
  let totalLength = 0;
  return takeWhile(
    events,
    ({ payload }, index) => (totalLength += payload.length) <= maxTotalPayloadLength || index === 0,
  );
}

const deleteRejectedStatement = statement<{ id: string }>(`DELETE FROM events WHERE id = $id AND state = 'rejected'`);

/**
 * Stores a rejected event again, with its deliveries and under its id, in one transaction. `event` is its valid form.
 * If the account or webhook is still unusable, the event is stored as rejected with the new reason. If the idempotency
 * key exists, the rejected event does not change, and the returned reason names the event that has the key. Null when
 * no rejected event has this id.
 */
export async function storeRetriedEvent(db: Database, id: string, event: NewEvent): Promise<StoreResult | null> {
  return inTransaction(db, async (client) => {
    await client.query('SAVEPOINT rejected');
    if ((await deleteRejectedStatement.run(client, { id })) === 0) return null;
    const batch = { events: [withKey(id, event)], leaseRequest: noLeases };
    const [result] = await insertEvents(db, client, batch);
    if (result?.state !== 'duplicate') return result ?? null;
    await client.query('ROLLBACK TO rejected');
    return {
      ...result,
      eventId: id,
      state: 'rejected',
      isConflicting: false,
      reason: `it is a repeat of event ${result.eventId}`,
    };
  });
}

type Batch = { events: KeyedEvent[]; leaseRequest: LeaseRequest };

/**
 * What became of an event:
 *
 * - `stored`: it was stored now
 * - `duplicate`: an event with its key was stored before
 * - `orphanKey`: its key exists, but the event of the key was deleted by hand
 * - `overLimit`: it was left out, because the events before it have as many deliveries as one statement stores
 */
type InsertResult = { type: 'stored' | 'duplicate'; result: StoreResult } | { type: 'orphanKey' | 'overLimit' };

/**
 * Inserts events, or finds the events that have their keys and counts the duplicates. Returns the results in order.
 * They end before the first event that was neither stored nor found, because it is over the limit or its key is
 * still an orphan. The first event is never over the limit. Throws if there is no result.
 */
async function insertEvents(
  db: Database,
  client: pg.Pool | pg.PoolClient,
  { events, leaseRequest }: Batch,
): Promise<StoreResult[]> {
  const firstResults = await storeOrFind(db, client, { events, leaseRequest });
  const inLimit = takeWhile(firstResults, ({ type }) => type !== 'overLimit');
  const orphans = events.filter((_, index) => inLimit[index]?.type === 'orphanKey');
  const orphanResults = orphans.length > 0 ? await storeOrphans(db, client, { events: orphans, leaseRequest }) : [];
  const all = inLimit.map((item) => (item.type === 'orphanKey' ? (orphanResults.shift() ?? item) : item));
  const results = takeWhile(all, (item) => 'result' in item).flatMap((item) => ('result' in item ? [item.result] : []));
  if (results.length === 0 && events.length > 0) throw new Error('an event was neither stored nor found by its key');
  const eventIds = results.filter(({ state }) => state === 'duplicate').map(({ eventId }) => eventId);
  if (eventIds.length > 0) await countDuplicatesStatement.run(client, { eventIds });
  return results;
}

/** Deletes the orphan keys of events, and stores these events. */
async function storeOrphans(db: Database, client: pg.Pool | pg.PoolClient, batch: Batch): Promise<InsertResult[]> {
  await deleteOrphanKeysStatement.run(client, { keys: batch.events.map(({ key }) => key) });
  return storeOrFind(db, client, batch);
}

/**
 * Runs `storeEventsStatement`, and finds the keys of the events that it did not store. Returns a result for each.
 */
async function storeOrFind(
  db: Database,
  client: pg.Pool | pg.PoolClient,
  { events, leaseRequest }: Batch,
): Promise<InsertResult[]> {
  const rows = await storeEventsStatement.rows(client, { ...leaseRequest, events: eventRecords.encode(events) });
  const storedRows = groupBy(rows, ({ eventId }) => eventId);
  const notStored = events.filter(({ id }) => !storedRows.has(id));
  const keyRows = notStored.length > 0 ? await findByKeys(client, notStored) : new Map<string, KeyRow>();
  // What is over the limit is at the end of the batch, and never the first event.
  const lastInLimit = Math.max(
    0,
    events.findLastIndex(({ id }) => storedRows.has(id)),
  );
  return events.map((keyed, index) => {
    const ownRows = storedRows.get(keyed.id);
    if (ownRows) return { type: 'stored', result: toStoreResult(db, keyed, ownRows) };
    const keyRow = keyRows.get(keyed.key);
    if (keyRow && keyRow.eventId !== null) {
      const { payload, identity } = keyRow;
      const isConflicting = payload !== null && !hasSameContent({ payload, identity }, keyed.event);
      return { type: 'duplicate', result: toDuplicate(keyRow.eventId, { isConflicting }) };
    }
    // Within the limit, a missing key was an orphan that another process has just deleted.
    return { type: keyRow || index <= lastInLimit ? 'orphanKey' : 'overLimit' };
  });
}

/** A key with its event. The payload is null unless the key is that of an `event_id`. */
type KeyRow = Awaited<ReturnType<typeof findByKeysStatement.rows>>[number];

async function findByKeys(client: pg.Pool | pg.PoolClient, events: KeyedEvent[]): Promise<Map<string, KeyRow>> {
  // A key without an `event_id` covers the content, so only the others can belong to another content.
  const withEventId = events.filter(({ event }) => event.platformEventId !== null);
  const [keys, contentKeys] = [events, withEventId].map((some) => some.map(({ key }) => key));
  const rows = await findByKeysStatement.rows(client, { keys: keys ?? [], contentKeys: contentKeys ?? [] });
  return new Map(rows.map((row) => [row.key, row]));
}

/** The fields of a new delivery's task that are known without reading its row. */
type KnownField = 'state' | 'attemptCount' | 'expiredLeaseCount' | 'isResend' | 'eventId' | 'eventName' | 'payload';

/** A row of `storeEventsStatement`: an event with one of its deliveries, or without one. */
type StoredRow = Awaited<ReturnType<typeof storeEventsStatement.rows>>[number];

type NewDelivery = Omit<TaskRow, KnownField> & { dueAt: string };

const withoutDeliveries = () => ({ accountId: null, deliveryCount: 0, leased: [], due: [] });

/** Turns the rows of a stored event into its result. */
function toStoreResult(db: Database, { id: eventId, event }: KeyedEvent, rows: StoredRow[]): StoreResult {
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
    // With a delivery, only what may be null in a task is null; without a lease, its webhook isn't read.
    const delivery = row as NewDelivery;
    result.deliveryCount++;
    result.accountId = delivery.accountId;
    const { channel, webhookId, accountId, dueAt, id } = delivery;
    if (delivery.leasedAt !== null) result.leased.push(toTask({ ...delivery, ...knownFields }));
    else result.due.push({ webhookId, channel, accountId, dueAt, id });
  }
  return result;
}

/** The result for an event whose key was found. `eventId` is the id of the event that was stored before. */
const toDuplicate = (eventId: string, { isConflicting }: { isConflicting: boolean }): StoreResult => ({
  eventId,
  state: 'duplicate',
  reason: null,
  isConflicting,
  ...withoutDeliveries(),
});

/** The items before the first one for which `matches` returns false. */
function takeWhile<T>(items: T[], matches: (item: T, index: number) => boolean): T[] {
  const end = items.findIndex((item, index) => !matches(item, index));
  return end === -1 ? items : items.slice(0, end);
}
