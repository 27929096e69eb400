import { parseEvent } from '@ringback/callbacks';
import { storeRetriedEvent, findEvent } from '@ringback/database';
import type { IngestDeps } from './ingest-events.js';
import type { IngestResult } from './raw-events.js';

/**
 * Validates a rejected event again and stores it if it is now valid. Otherwise it stays rejected, and the result says
 * why. Null when no rejected event has this id.
 */
export async function retryRejectedEvent(
  { db, waker }: Pick<IngestDeps, 'db' | 'waker'>,
  id: string,
): Promise<IngestResult | null> {
  const event = await findEvent(db, id);
  if (event?.state !== 'rejected' || event.envelope === null) return null;
  const parsed = parseEvent(parseJsonOrText(event.envelope));
  if (!parsed.ok) return { eventId: id, state: 'rejected', reason: parsed.reason };
  const result = await storeRetriedEvent(db, id, parsed.event);
  if (result) waker.wake(result.dueWebhooks);
  return result;
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
