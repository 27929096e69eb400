import { channelOf, type Channel, idempotencyKey, type PlatformEvent } from '@ringback/callbacks';
import type pg from 'pg';
import { v7 as newId } from 'uuid';
import type { WebhookChannel } from './claims.js';
import { accept, findByKeys, forgetOrphans } from './event-statements.js';
import type { Event } from './generated/client.js';
import type { Database } from './open.js';
import { type DeliveryTask, payloadInTask, type TaskRow, toTask } from './task.js';
import { inTransaction } from './transaction.js';
import { isUuid } from './uuid.js';

export type { Event };

/** Which new deliveries the caller takes under a lease, to make their first attempts itself. */
export type LeaseRequest = {
  channels: Channel[];
  leaseMs: number;
  /** Deliveries leased at most, in all and of each account. */
  maxLeased: number;
  maxOfAccount: number;
  /** Ids of webhooks that have as many calls in flight as they may. */
  saturated: string[];
};

/** What became of one event. */
export type Acceptance = {
  eventId: string;
  state: Event['state'];
  reason: string | null;
  duplicate: boolean;
  /** Whose deliveries were made; null when none were. */
  accountId: string | null;
  /** How many deliveries were made; none for a duplicate. */
  deliveryCount: number;
  /** Those leased to the caller. */
  leased: DeliveryTask[];
  /** The webhooks of the others, which any worker may claim now. */
  due: WebhookChannel[];
};

type FreshRow = Pick<Acceptance, 'eventId' | 'reason'> & { eventState: Event['state'] } & (
    Omit<TaskRow, 'payload' | 'event' | 'eventId'> | { id: null }
  );
type KnownRow = Pick<Acceptance, 'eventId' | 'state' | 'reason'> & { key: string };
type Candidate = { id: string; event: PlatformEvent; key: string };

const noLease: LeaseRequest = { channels: [], leaseMs: 0, maxLeased: 0, maxOfAccount: 0, saturated: [] };

/**
 * Stores a batch of valid events with their deliveries, durably and all together, and answers for each in turn: for all
 * of them, or for as many of the first as make some 5,000 deliveries, one at least. An event known by its idempotency key
 * makes nothing new. One that names an unknown account or webhook, or another account's, is stored as rejected. Repeating
 * the call makes nothing twice: deliveries leased by a call whose answer was lost are due again when their leases have
 * expired.
 */
export async function acceptEvents(db: Database, events: PlatformEvent[], lease = noLease): Promise<Acceptance[]> {
  const candidates = events.map((event) => toCandidate(newId(), event));
  return acceptCandidates(db, db.pool, { candidates, lease });
}

function toCandidate(id: string, event: PlatformEvent): Candidate {
  // A webhook belongs to one account, so its id stands for both in the key.
  return { id, event, key: idempotencyKey(event, event.webhookId ?? event.accountId ?? '') };
}

type Accepting = { candidates: Candidate[]; lease: LeaseRequest };

async function acceptCandidates(
  db: Database,
  client: pg.Pool | pg.PoolClient,
  { candidates, lease }: Accepting,
): Promise<Acceptance[]> {
  const found = await storeOrFind(db, client, { candidates, lease });
  const end = found.findLastIndex((one) => one !== undefined) + 1 || candidates.length;
  const orphans = candidates.slice(0, end).filter((_, index) => found[index] === undefined);
  if (orphans.length === 0) return found.filter((one) => one !== undefined);
  // Events that were deleted by hand have left their keys.
  await client.query(forgetOrphans([orphans.map(({ key }) => key)]));
  const again = await storeOrFind(db, client, { candidates: orphans, lease });
  const all = found.slice(0, end).map((one) => one ?? again.shift());
  const accepted = all.slice(0, all.includes(undefined) ? all.indexOf(undefined) : end);
  if (accepted.length === 0) throw new Error('an event was neither stored nor known');
  return accepted.filter((one) => one !== undefined);
}

/** Undefined for those whose key is known and whose event is not, and for those that would make too many deliveries. */
async function storeOrFind(
  db: Database,
  client: pg.Pool | pg.PoolClient,
  { candidates, lease }: Accepting,
): Promise<(Acceptance | undefined)[]> {
  const { channels, leaseMs, saturated, maxLeased, maxOfAccount } = lease;
  const bounds = [leaseMs, saturated, maxLeased, maxOfAccount];
  const { rows } = await client.query<FreshRow>(accept([...columnsOf(candidates), channels, ...bounds]));
  const fresh = groupBy(rows, ({ eventId }) => eventId);
  const missing = candidates.filter(({ id }) => !fresh.has(id)).map(({ key }) => key);
  const known = missing.length > 0 ? await findKnown(client, missing) : new Map<string, KnownRow>();
  return candidates.map((candidate) => {
    const made = fresh.get(candidate.id);
    if (made) return toAcceptance(db, candidate, made);
    const row = known.get(candidate.key);
    if (!row) return undefined;
    const { eventId, state, reason } = row;
    return { eventId, state, reason, duplicate: true, accountId: null, deliveryCount: 0, leased: [], due: [] };
  });
}

/** `rows`: one for each delivery of the event, or a single one without. */
function toAcceptance(db: Database, { id: eventId, event }: Candidate, rows: FreshRow[]): Acceptance {
  const { eventState: state = 'unrouted', reason = null } = rows[0] ?? {};
  const none = { accountId: null, deliveryCount: 0, leased: [], due: [] };
  const acceptance: Acceptance = { eventId, state, reason, duplicate: false, ...none };
  const fixed = {
    ...{ state: 'pending' as const, attempts: 0, crashCount: 0, resend: false },
    ...{ eventId, event: event.event, payload: payloadInTask(event.payload) },
  };
  for (const row of rows) {
    if (row.id === null) continue;
    acceptance.deliveryCount++;
    acceptance.accountId = row.accountId;
    const { channel, webhookId, accountId } = row;
    if (row.lease !== null) acceptance.leased.push(toTask(db, { ...row, ...fixed }));
    else acceptance.due.push({ webhookId, channel, accountId });
  }
  return acceptance;
}

function groupBy<T>(items: T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
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
  return inTransaction(db, async (client) => {
    const taken = await client.query(`DELETE FROM events WHERE id = $1 AND state = 'rejected'`, [id]);
    if (taken.rowCount === 0) return null;
    const candidates = [toCandidate(id, event)];
    const [acceptance] = await acceptCandidates(db, client, { candidates, lease: noLease });
    if (!acceptance?.duplicate) return acceptance ?? null;
    await client.query('ROLLBACK');
    return { ...acceptance, eventId: id, state: 'rejected', reason: `it is a repeat of event ${acceptance.eventId}` };
  });
}
