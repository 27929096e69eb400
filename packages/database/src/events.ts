import { channelOf, type Channel, idempotencyKey, type PlatformEvent } from '@ringback/callbacks';
import type pg from 'pg';
import { v7 as newId } from 'uuid';
import { accept, findByKeys } from './event-statements.js';
import type { Event } from './generated/client.js';
import type { Database } from './open.js';
import { isUuid } from './uuid.js';

export type { Event };

/** A delivery that still has to be made: what the queue needs to know of it. */
export type PendingDelivery = {
  id: string;
  channel: Channel;
  dueInMs: number;
  attempts: number;
  /** Made just now, so that nobody has it in hand and it has no job yet. */
  isNew: boolean;
  webhookId: string;
  accountId: string;
};

/** What became of one event. `deliveries` are those still pending, also for an event that was known already. */
export type Acceptance = {
  eventId: string;
  state: Event['state'];
  reason: string | null;
  duplicate: boolean;
  deliveries: PendingDelivery[];
};

type Row = Omit<Acceptance, 'duplicate'>;
type KnownRow = Row & { key: string };
type Candidate = { id: string; event: PlatformEvent; key: string };

/**
 * Stores a batch of valid events with their deliveries, durably and all together, and answers for each in turn. An
 * event known by its idempotency key makes nothing new. One that names an unknown account or webhook, or another
 * account's, is stored as rejected. Repeating the call is harmless.
 */
export async function acceptEvents(db: Database, events: PlatformEvent[]): Promise<Acceptance[]> {
  return acceptCandidates(
    db.pool,
    events.map((event) => toCandidate(newId(), event)),
  );
}

function toCandidate(id: string, event: PlatformEvent): Candidate {
  // A webhook belongs to one account, so its id stands for both in the key.
  return { id, event, key: idempotencyKey(event, event.webhookId ?? event.accountId ?? '') };
}

async function acceptCandidates(client: pg.Pool | pg.PoolClient, candidates: Candidate[]): Promise<Acceptance[]> {
  const { rows } = await client.query<Row>(accept(columnsOf(candidates)));
  const fresh = new Map(rows.map((row) => [row.eventId, row]));
  const missing = candidates.filter(({ id }) => !fresh.has(id)).map(({ key }) => key);
  const known = missing.length > 0 ? await findKnown(client, missing) : new Map<string, KnownRow>();
  return candidates.map(({ id, key }) => {
    const row = fresh.get(id) ?? known.get(key);
    if (!row) throw new Error('an event was neither stored nor known');
    const { eventId, state, reason, deliveries } = row;
    return { eventId, state, reason, duplicate: eventId !== id, deliveries };
  });
}

async function findKnown(client: pg.Pool | pg.PoolClient, keys: string[]): Promise<Map<string, KnownRow>> {
  const { rows } = await client.query<KnownRow>(findByKeys([keys]));
  return new Map(rows.map((row) => [row.key, row]));
}

function columnsOf(candidates: Candidate[]): (string | null)[][] {
  const column = (read: (candidate: Candidate) => string | null) => candidates.map(read);
  return [
    column(({ id }) => id),
    column(({ event }) => event.event),
    column(({ event }) => channelOf(event.event)),
    column(({ event }) => event.accountId),
    column(({ event }) => event.webhookId),
    column(({ event }) => event.identity),
    column(({ event }) => event.eventId),
    column(({ key }) => key),
    column(({ event }) => event.messageId),
    column(({ event }) => event.mobile),
    column(({ event }) => event.payload),
    column(({ event }) => envelopeOf(event)),
  ];
}

/** The event as a platform would push it, its payload as text: what is kept of an event that is rejected. */
function envelopeOf({ event, accountId, webhookId, identity, eventId, payload }: PlatformEvent): string {
  const ids = { account_id: accountId, webhook_id: webhookId, identity, event_id: eventId };
  return JSON.stringify({ event, ...ids, payload });
}

/** Keeps what cannot be read as an event, with the reason. NUL, which PostgreSQL text cannot hold, becomes U+FFFD. */
export async function rejectEvent(
  db: Database,
  { name, envelope, reason }: { name: string | null; envelope: string; reason: string },
): Promise<string> {
  const data = { id: newId(), name: clean(name), envelope: clean(envelope) ?? '', reason: clean(reason) ?? '' };
  await db.prisma.event.create({ data: { ...data, state: 'rejected' } });
  return data.id;
}

const clean = (text: string | null) => text?.toWellFormed().replaceAll('\0', '\uFFFD') ?? null;

/** Rejected events, newest first. */
export async function listRejectedEvents(db: Database, { limit }: { limit: number }): Promise<Event[]> {
  return db.prisma.event.findMany({ where: { state: 'rejected' }, orderBy: { id: 'desc' }, take: limit });
}

/** The event, or null when there is none with this id. */
export async function findEvent(db: Database, id: string): Promise<Event | null> {
  return isUuid(id) ? db.prisma.event.findUnique({ where: { id } }) : null;
}

/**
 * Puts a rejected event through acceptance again under its id, in one transaction. Null when no rejected event has
 * this id. One that turns out to be known already stays rejected and names the one that stands.
 */
export async function reacceptEvent(db: Database, id: string, event: PlatformEvent): Promise<Acceptance | null> {
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    const taken = await client.query(`DELETE FROM events WHERE id = $1 AND state = 'rejected'`, [id]);
    if (taken.rowCount === 0) return null;
    const [acceptance] = await acceptCandidates(client, [toCandidate(id, event)]);
    if (!acceptance) return null;
    if (acceptance.duplicate)
      return { ...acceptance, eventId: id, state: 'rejected', reason: `is event ${acceptance.eventId}` };
    await client.query('COMMIT');
    return acceptance;
  } finally {
    // Ends the transaction when it was not committed, and does nothing otherwise.
    await client.query('ROLLBACK').finally(() => client.release());
  }
}
