import { parseEvent } from '@ringback/callbacks';
import { storeRetriedEvent, findEvent } from '@ringback/database';
import type { IntakeDeps } from './ingest-events.js';
import type { IngestResult } from './raw-events.js';

/**
 * Ingests a rejected event again. An event that is still invalid stays rejected; the result then says why. Returns null
 * when no rejected event has this id.
 */
export async function retryRejectedEvent(
  { db, waker }: Pick<IntakeDeps, 'db' | 'waker'>,
  id: string,
): Promise<IngestResult | null> {
  const event = await findEvent(db, id);
  if (event?.state !== 'rejected' || event.envelope === null) return null;
  const parsed = parseEvent(parseJsonOrText(event.envelope));
  if (!parsed.ok) return { eventId: id, state: 'rejected', reason: parsed.reason };
  const storedEvent = await storeRetriedEvent(db, id, parsed.event);
  if (storedEvent) waker.wake(storedEvent.dueWebhooks);
  return storedEvent;
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
