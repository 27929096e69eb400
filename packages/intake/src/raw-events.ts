import { parseEvent, type PlatformEvent } from '@ringback/callbacks';
import { type Acceptance, type Database, findEvent, reacceptEvent, rejectEvent } from '@ringback/database';
import type { IntakeDeps } from './ingest-events.js';

export type IngestResult = { eventId: string; state: Acceptance['state']; reason: string | null };

/** `ingest` is `ingestEvents` for one event. */
export type RawEventDeps = { db: Database; ingest(event: PlatformEvent): Promise<Acceptance> };

/**
 * Ingests one event as a platform pushed it: `{event, account_id, webhook_id, identity, event_id, payload}`. Data that is
 * not a valid event is stored as rejected, with the reason.
 */
export async function ingestRawEvent({ db, ingest }: RawEventDeps, name: string, data: unknown): Promise<IngestResult> {
  const parsed = parseEvent(withName(name, data));
  return parsed.ok ? ingest(parsed.event) : rejectRawEvent(db, { name, data, reason: parsed.reason });
}

/** Stores any data as a rejected event, so that an operator can list and retry it. */
export async function rejectRawEvent(
  db: Database,
  { name, data, reason }: { name: string; data: unknown; reason: string },
): Promise<IngestResult> {
  const eventId = await rejectEvent(db, { name, envelope: toJsonText(withName(name, data)), reason });
  return { eventId, state: 'rejected', reason };
}

const withName = (name: string, data: unknown) => (isRecord(data) ? { ...data, event: name } : data);

/** Ingests a rejected event again. Returns null when there is no rejected event with this id. */
export async function retryRejectedEvent(deps: IntakeDeps, id: string): Promise<IngestResult | null> {
  const event = await findEvent(deps.db, id);
  if (event?.state !== 'rejected' || event.envelope === null) return null;
  const parsed = parseEvent(parseJsonOrText(event.envelope));
  if (!parsed.ok) return { eventId: id, state: 'rejected', reason: parsed.reason };
  const acceptance = await reacceptEvent(deps.db, id, parsed.event);
  if (acceptance) deps.waker.wake(acceptance.due);
  return acceptance;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The JSON text of any value; a placeholder text when it is nested too deeply for JSON.stringify. */
function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return `"${typeof value} that is nested too deeply to keep"`;
  }
}
