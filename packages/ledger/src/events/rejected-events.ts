import { v7 as newId } from 'uuid';
import type { Event } from '../generated/client.js';
import type { Database } from '../connection/open.js';

/**
 * Stores a pushed value that is not a valid event, with the reason. NUL and lone surrogates, which PostgreSQL text
 * cannot hold, become U+FFFD. Returns the id of the rejected event.
 */
export async function rejectEvent(
  db: Database,
  { name, envelope, reason }: { name: string | null; envelope: string; reason: string },
): Promise<string> {
  const texts = { name: name === null ? null : toStorable(name), envelope: toStorable(envelope) };
  const data = { id: newId(), ...texts, reason: toStorable(reason), state: 'rejected' as const };
  await db.prisma.event.create({ data });
  return data.id;
}

const toStorable = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** The newest rejected events, at most `limit`, newest first. */
export async function listRejectedEvents(db: Database, { limit }: { limit: number }): Promise<Event[]> {
  return db.prisma.event.findMany({ where: { state: 'rejected' }, orderBy: { id: 'desc' }, take: limit });
}
