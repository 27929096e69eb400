import type { Database } from '../connection/open.js';
import type { Event } from '../generated/client.js';
import { idAt } from '../sql/uuid.js';
import type { IngestState } from './store-result.js';

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
  return db.prisma.event.findMany({ where, orderBy: { id: 'desc' }, take: limit });
}
