import type { EventName } from '@ringback/rules';
import { storeEvents, type AttemptRecord, type Database, listNewestDeliveries, recordAttempts } from '@ringback/ledger';

type Push = { event?: EventName; webhookId: string; messageId: string; mobile?: string; payload?: object };

/** Stores an event for one webhook as if a platform had pushed it, and returns the id of its delivery. */
export async function pushEvent(db: Database, push: Push): Promise<string> {
  const { event = 'sms:message:status', webhookId, messageId, mobile = null, payload } = push;
  const ids = { accountId: null, webhookId, identity: null, platformEventId: crypto.randomUUID() };
  const text = JSON.stringify(payload ?? { id: messageId, mobile, status: 'DELIVRD' });
  const [storedEvent] = await storeEvents(db, [{ name: event, ...ids, messageId, mobile, payload: text }]);
  const [delivery] = await listNewestDeliveries(db, { eventId: storedEvent?.eventId ?? '', limit: 1 });
  return delivery?.id ?? '';
}

/** Records an attempt of a delivery as a worker would: a response with status 200, unless `changes` say otherwise. */
export async function makeAttempt(db: Database, deliveryId: string, changes: Partial<AttemptRecord> = {}) {
  const defaults: AttemptRecord = {
    deliveryId,
    event: 'sms:message:status',
    number: 1,
    startedAt: new Date('2026-11-21T10:00:00Z'),
    durationMs: 42,
    outcome: 'response',
    statusCode: 200,
    errorCode: null,
    advice: null,
    url: 'https://example.com/in',
    responseBody: 'thanks',
    warnings: [],
    kind: 'scheduled',
    dnsMs: 1,
    connectMs: 2,
    tlsMs: 3,
    firstByteMs: 30,
    remoteAddress: '203.0.113.7',
    requestHeaders: { 'User-Agent': 'Ringback/1.2.3' },
    requestBody: null,
    responseHeaders: { 'content-type': 'text/plain' },
    state: 'delivered',
    waitMs: null,
    endedAtMonotonicMs: performance.now(),
  };
  const recorded = await recordAttempts(db, [{ ...defaults, ...changes }]);
  if (!recorded.has(deliveryId)) throw new Error('the attempt was not recorded');
}

/** Stores an event as `pushEvent`, and records the first attempt of its delivery as `makeAttempt`. */
export async function pushAttempted(db: Database, push: Push, changes?: Partial<AttemptRecord>): Promise<string> {
  const id = await pushEvent(db, push);
  await makeAttempt(db, id, changes);
  return id;
}

/** The changes that make `makeAttempt` record a failed attempt. */
export const failure = {
  state: 'failed',
  outcome: 'timeout',
  statusCode: null,
  errorCode: 'RESPONSE_TIMEOUT',
  advice: 'Respond sooner.',
  responseBody: null,
  responseHeaders: null,
} as const satisfies Partial<AttemptRecord>;
