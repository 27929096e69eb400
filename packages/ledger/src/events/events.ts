import type { NewEvent } from '@ringback/rules';
import { v7 as newId } from 'uuid';
import type { Database } from '../connection/open.js';
import { inTransaction } from '../connection/transaction.js';
import type { Event } from '../generated/client.js';
import { isUuid } from '../sql/uuid.js';
import { toCandidate } from './event-records.js';
import { type LeaseRequest, storeCandidates } from './store-candidates.js';
import type { StoreResult } from './store-result.js';
import { takeWhile } from './take-while.js';

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
