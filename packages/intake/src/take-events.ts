import { parseEvent, type PlatformEvent } from '@ringback/callbacks';
import {
  type Acceptance,
  acceptEvents,
  type Database,
  findEvent,
  type LeaseRequest,
  reacceptEvent,
  rejectEvent,
  type Waker,
} from '@ringback/database';
import type { Tracer } from '@ringback/runtime';

export type IntakeDeps = {
  db: Database;
  /** Told of the deliveries that are due and leased to nobody. */
  waker: Waker;
  /** What the caller leases to make first attempts itself. `askedAt`: no lease is older, on the clock of `performance`. */
  own?: {
    request(): LeaseRequest;
    start(leased: Acceptance['leased'], askedAt: number): void;
  };
  traces?: Tracer | undefined;
};

/**
 * The one way in for events, from a queue, over HTTP or from the command line: what is answered for is durable, and its
 * deliveries are leased to the caller or due. Throws when the database is away: then those stored before stay, and
 * repeating the call makes nothing twice.
 */
export async function takeEvents(
  { db, waker, own, traces }: IntakeDeps,
  events: PlatformEvent[],
): Promise<Acceptance[]> {
  const taken: Acceptance[] = [];
  while (taken.length < events.length) {
    const startedAt = Date.now();
    const askedAt = performance.now();
    const accepted = await acceptEvents(db, events.slice(taken.length), own?.request());
    for (const { leased } of accepted) own?.start(leased, askedAt);
    waker.wake(accepted.flatMap(({ due }) => due));
    if (traces) for (const acceptance of accepted) noteTaken(traces, acceptance, startedAt);
    taken.push(...accepted);
  }
  return taken;
}

function noteTaken(traces: Tracer, { eventId, state, duplicate }: Acceptance, startedAt: number): void {
  traces.record({
    eventId,
    name: 'event.take',
    kind: 'consumer',
    isRoot: !duplicate,
    startedAt,
    endedAt: Date.now(),
    failed: state === 'rejected',
    attributes: { 'ringback.event_id': eventId, 'ringback.state': state },
  });
}

export type Arrival = { eventId: string; state: Acceptance['state']; reason: string | null };

export type RawDeps = { db: Database; take(event: PlatformEvent): Promise<Acceptance> };

/**
 * Takes one event as a platform pushed it, `{event, account_id, webhook_id, identity, event_id, payload}`, which may be
 * anything at all: what cannot be used is kept as rejected, with the reason. `take` is `takeEvents` for one event.
 */
export async function takeRaw({ db, take }: RawDeps, name: string, data: unknown): Promise<Arrival> {
  const parsed = parseEvent(withName(name, data));
  return parsed.ok ? take(parsed.event) : rejectRaw(db, { name, data, reason: parsed.reason });
}

/** Keeps what a platform pushed as rejected, whatever it is. */
export async function rejectRaw(
  db: Database,
  { name, data, reason }: { name: string; data: unknown; reason: string },
): Promise<Arrival> {
  const eventId = await rejectEvent(db, { name, envelope: textOf(withName(name, data)), reason });
  return { eventId, state: 'rejected', reason };
}

const withName = (name: string, data: unknown) => (isRecord(data) ? { ...data, event: name } : data);

/**
 * Puts a rejected event through the same way again, after whatever was wrong has been mended. Null when no rejected
 * event has this id; a reason when it stays rejected.
 */
export async function retryRejected(deps: IntakeDeps, id: string): Promise<Arrival | null> {
  const event = await findEvent(deps.db, id);
  if (event?.state !== 'rejected' || event.envelope === null) return null;
  const parsed = parseEvent(parseJson(event.envelope));
  if (!parsed.ok) return { eventId: id, state: 'rejected', reason: parsed.reason };
  const acceptance = await reacceptEvent(deps.db, id, parsed.event);
  if (acceptance) deps.waker.wake(acceptance.due);
  return acceptance;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What came, as JSON text; nested too deeply for that, its kind. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return `"${typeof value} that is nested too deeply to keep"`;
  }
}
