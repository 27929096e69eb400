import { parseEvent } from '@ringback/rules';
import { storeRetriedEvent, findEvent } from './events/events.js';
import type { IngestDeps, IngestResult } from './ingest-events.js';

/**
 * Validates a rejected event again. If it is now valid, stores it under its id with its deliveries, and wakes the
 * dispatchers. If it is still invalid, names an unknown account or webhook, or repeats a stored event, it stays
 * rejected, and the result says why. Returns null if no rejected event has this id.
 */
export async function retryRejectedEvent(
  { db, waker }: Pick<IngestDeps, 'db' | 'waker'>,
  id: string,
): Promise<IngestResult | null> {
  const event = await findEvent(db, id);
  if (event?.state !== 'rejected' || event.envelope === null) return null;
  const parsed = parseEvent(parseJsonOrText(event.envelope));
  if (!parsed.ok) return { eventId: id, state: 'rejected', reason: parsed.reason, isConflicting: false };
  const result = await storeRetriedEvent(db, id, parsed.event);
  if (result) waker.wake(result.dueWebhooks);
  return result;
}

/** The value of a JSON text, or any other text itself. */
function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
