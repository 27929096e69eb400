import { v7 as newId } from 'uuid';
import type { Database } from '../connection/database.js';
import type { Event } from '../generated/client.js';
import { idAt, isUuid } from '../sql/ids.js';
import { statement } from '../sql/statement.js';
import type { IngestState } from './store-events.js';

/** The event in any state. Null when no event has this id. */
export async function findEvent(db: Database, id: string): Promise<Event | null> {
  return isUuid(id) ? (await db.prisma()).event.findUnique({ where: { id } }) : null;
}

/** Selects events, for operators. An absent field matches all. */
export type EventFilter = {
  /** `duplicate` matches the events that were pushed more than once, in any of the other states. */
  state?: IngestState | undefined;
  accountId?: string | undefined;
  name?: string | undefined;
  messageId?: string | undefined;
  /** Stored at this time or later. */
  since?: Date | undefined;
  /** Stored before this time. */
  until?: Date | undefined;
};

/** The newest events that match a filter, at most `limit`, newest first. */
export async function listNewestEvents(
  db: Database,
  { state, accountId, name, messageId, since, until }: EventFilter,
  { limit }: { limit: number },
): Promise<Event[]> {
  const id = {
    ...(since === undefined ? {} : { gte: idAt(since) }),
    ...(until === undefined ? {} : { lt: idAt(until) }),
  };
  const where = {
    id,
    ...(state === undefined ? {} : state === 'duplicate' ? { duplicateCount: { not: null } } : { state }),
    ...(accountId === undefined ? {} : { accountId }),
    ...(name === undefined ? {} : { name }),
    ...(messageId === undefined ? {} : { messageId }),
  };
  return (await db.prisma()).event.findMany({ where, orderBy: { id: 'desc' }, take: limit });
}

const rejectEventStatement = statement<{ id: string; name: string | null; envelope: string; reason: string }>(
  "INSERT INTO events (id, name, envelope, reason, state) VALUES ($id, $name, $envelope, $reason, 'rejected')",
);

/**
 * Stores a pushed value that is not a valid event, with the reason. NUL and lone surrogates, which PostgreSQL text
 * cannot hold, become U+FFFD. Returns the id of the rejected event.
 */
export async function rejectEvent(
  db: Database,
  { name, envelope, reason }: { name: string | null; envelope: string; reason: string },
): Promise<string> {
  const texts = { name: name === null ? null : toStorable(name), envelope: toStorable(envelope) };
  const id = newId();
  await rejectEventStatement.run(db.pool, { id, ...texts, reason: toStorable(reason) });
  return id;
}

const toStorable = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** The newest rejected events, at most `limit`, newest first. */
export async function listRejectedEvents(db: Database, { limit }: { limit: number }): Promise<Event[]> {
  return (await db.prisma()).event.findMany({ where: { state: 'rejected' }, orderBy: { id: 'desc' }, take: limit });
}
