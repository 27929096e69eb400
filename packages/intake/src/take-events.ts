import { parseEvent, type PlatformEvent } from '@ringback/callbacks';
import {
  type Acceptance,
  acceptEvents,
  type Claim,
  type Database,
  findEvent,
  isTooSlow,
  reacceptEvent,
  rejectEvent,
  unclaimed,
} from '@ringback/database';
import type { Queues } from '@ringback/queue';
import { remember, type Traces } from '@ringback/runtime';
import { countWaitingDeliveries, openBacklog } from './backlog.js';

/**
 * Accepted deliveries go on into their queues, except those that whoever takes the events in makes himself, and those that
 * are parked. `askedAt` is when they were claimed at the earliest, on the clock of `performance`.
 */
export type IntakeDeps = {
  db: Database;
  queues: Pick<Queues, 'enqueueDeliveries'>;
  own?: {
    claim(): Claim;
    start(made: Pick<Acceptance, 'accountId' | 'deliveries' | 'claimed' | 'parked'>, askedAt: number): void;
  };
  traces?: Traces | undefined;
};

/**
 * The one way in for events, from a queue, over HTTP or from the command line: the batch is in the ledger before its
 * deliveries are queued, so what is answered for is durable. Throws when the database or the queue is away; repeating
 * the call then completes it, and makes nothing twice.
 */
export async function takeEvents(
  { db, queues, own, traces }: IntakeDeps,
  events: PlatformEvent[],
): Promise<Acceptance[]> {
  if (events.length === 0) return [];
  const startedAt = Date.now();
  const askedAt = performance.now();
  const acceptances = await acceptEvents(db, events, own?.claim());
  for (const acceptance of acceptances) own?.start(acceptance, askedAt);
  const deliveries = acceptances.flatMap((acceptance) => acceptance.deliveries);
  if (deliveries.length > 0) await queues.enqueueDeliveries(deliveries);
  if (traces) for (const acceptance of acceptances) noteTaken(traces, acceptance, startedAt);
  return acceptances;
}

const wantedDeliveries = 5_000;
// Of an account that was not seen yet; as many events as are taken in together are then one portion.
const usualFanOut = 25;
const mostRemembered = 10_000;

// What one portion may put before others' jobs.
const mostJobsOfAccount = 200;

/** Has what is too much for the delivery queues wait in the ledger. */
function spareQueues(queues: Pick<Queues, 'shardsOf' | 'waiting'>): NonNullable<IntakeDeps['own']> {
  const backlog = openBacklog({ countWaiting: () => countWaitingDeliveries(queues) });
  return {
    claim: () => ({ ...unclaimed, mostOfAccount: mostJobsOfAccount, heavy: backlog.heavy() }),
    start({ accountId, deliveries }) {
      if (accountId !== null && deliveries.length > 0) backlog.added(accountId, deliveries.length);
    },
  };
}

/**
 * `takeEvents` for any number of events, in portions of which none makes many deliveries, as far as is known: how many
 * webhooks an event of an account goes to is remembered. A portion that takes too long nonetheless fails, as does one for
 * another reason; those before it are in, and pushing all again is right.
 */
export function openIntake(
  deps: IntakeDeps & { queues: Pick<Queues, 'shardsOf' | 'waiting'> },
): (events: PlatformEvent[]) => Promise<Acceptance[]> {
  const { own = spareQueues(deps.queues) } = deps;
  const fanOuts = new Map<string, number>();
  const fanOutOf = ({ webhookId, accountId }: PlatformEvent) =>
    webhookId === null ? (fanOuts.get(accountId ?? '') ?? usualFanOut) : 1;
  const learn = ({ webhookId, accountId }: PlatformEvent, made: number) => {
    // A duplicate tells nothing, and events of an account differ.
    if (webhookId !== null || accountId === null || made === 0) return;
    remember(fanOuts, accountId, Math.max(made, (fanOuts.get(accountId) ?? 0) * 0.9), mostRemembered);
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
      const some = await takeEvents({ ...deps, own }, portion).catch((error: unknown) => {
        // Whichever of them it was, when they come again they come two by two.
        if (isTooSlow(error)) for (const event of portion) learn(event, wantedDeliveries / 2);
        throw error;
      });
      portion.forEach((event, index) => learn(event, some[index]?.made ?? 0));
      taken.push(...some);
    }
    return taken;
  };
}

function noteTaken(traces: Traces, { eventId, state, duplicate }: Acceptance, startedAt: number): void {
  traces.note({
    eventId,
    name: 'event.take',
    kind: 'consumer',
    place: duplicate ? 'under' : 'first',
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
  if (acceptance) await deps.queues.enqueueDeliveries(acceptance.deliveries);
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
