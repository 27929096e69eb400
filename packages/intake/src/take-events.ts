import { parseEvent, type PlatformEvent } from '@ringback/callbacks';
import {
  type Acceptance,
  acceptEvents,
  type Database,
  findEvent,
  isTooSlow,
  type LeaseRequest,
  reacceptEvent,
  rejectEvent,
  type Waker,
} from '@ringback/database';
import { setBounded, type Tracer } from '@ringback/runtime';

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
 * deliveries are leased to the caller or due. Throws when the database is away; repeating the call makes nothing twice.
 */
export async function takeEvents(
  { db, waker, own, traces }: IntakeDeps,
  events: PlatformEvent[],
): Promise<Acceptance[]> {
  if (events.length === 0) return [];
  const startedAt = Date.now();
  const askedAt = performance.now();
  const acceptances = await acceptEvents(db, events, own?.request());
  for (const { leased } of acceptances) own?.start(leased, askedAt);
  waker.wake(acceptances.flatMap(({ due }) => due));
  if (traces) for (const acceptance of acceptances) noteTaken(traces, acceptance, startedAt);
  return acceptances;
}

const wantedDeliveries = 5_000;
// Of an account that was not seen yet; as many events as are taken in together are then one portion.
const usualFanOut = 25;
const mostRemembered = 10_000;

/**
 * `takeEvents` for any number of events, in portions of which none makes many deliveries, as far as is known: how many
 * webhooks an event of an account goes to is remembered. A portion that takes too long nonetheless fails, as does one for
 * another reason; those before it are in, and pushing all again is right.
 */
export function createIntake(deps: IntakeDeps): (events: PlatformEvent[]) => Promise<Acceptance[]> {
  const fanOuts = new Map<string, number>();
  const fanOutOf = ({ webhookId, accountId }: PlatformEvent) =>
    webhookId === null ? (fanOuts.get(accountId ?? '') ?? usualFanOut) : 1;
  const learn = ({ webhookId, accountId }: PlatformEvent, made: number) => {
    // A duplicate tells nothing, and events of an account differ.
    if (webhookId !== null || accountId === null || made === 0) return;
    setBounded(fanOuts, accountId, Math.max(made, (fanOuts.get(accountId) ?? 0) * 0.9), mostRemembered);
  };
  const portionOf = (events: PlatformEvent[], from: number) => {
    let to = from;
    for (let made = 0; to < events.length; to++) {
      made += fanOutOf(events[to] as PlatformEvent);
      if (made > wantedDeliveries && to > from) break;
    }
    return events.slice(from, to);
  };
  return async (events) => {
    const taken: Acceptance[] = [];
    while (taken.length < events.length) {
      const portion = portionOf(events, taken.length);
      const some = await takeEvents(deps, portion).catch((error: unknown) => {
        // Whichever of them it was, when they come again they come two by two.
        if (isTooSlow(error)) for (const event of portion) learn(event, wantedDeliveries / 2);
        throw error;
      });
      portion.forEach((event, index) => learn(event, some[index]?.deliveryCount ?? 0));
      taken.push(...some);
    }
    return taken;
  };
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
