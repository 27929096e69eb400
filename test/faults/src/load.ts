import { setTimeout as sleep } from 'node:timers/promises';
import type { Queues } from '@ringback/queue';
import { type EventSample, sampleEvent, type SampleKind } from '@ringback/rules';
import type { Call } from './check.js';

/** Pushes a batch of events. Resolves when they are acknowledged. */
export type Push = (events: EventSample[]) => Promise<void>;

type PushFailure = { at: number; tookMs: number; text: string };

export type Load = {
  /** The time of each acknowledgement, by message id. */
  acknowledged: Map<string, number>;
  /** All pushes that failed. */
  failures: PushFailure[];
  /** Pushes `count` events in batches, one after the other. Repeats each batch until it is acknowledged. */
  push(count: number, options?: { batch?: number; webhooks?: string[]; kind?: SampleKind }): Promise<void>;
  /**
   * Pushes single events at a rate until the returned function is called, whose promise resolves when all pushed events
   * are acknowledged. While 40 pushes are pending, it leaves events out.
   */
  keepPushing(perSecond: number, webhooks?: string[]): () => Promise<void>;
};

const tickMs = 50;
const maxConcurrentPushes = 40;

type LoadOptions = { push: Push; webhooks: string[]; closeSignal: AbortSignal };

/**
 * Creates the load of a platform, which pushes events for the webhooks in turn. Unless `kind` is given, every fifth
 * event is RCS. A failed push is repeated until `closeSignal` is aborted.
 */
export function createLoad({ push, webhooks, closeSignal }: LoadOptions): Load {
  const acknowledged = new Map<string, number>();
  const failures: PushFailure[] = [];
  const createEvent = createEvents();
  const pushUntilAcknowledged = (events: EventSample[]) =>
    ignoreRejection(pushRepeatedly(events, { push, closeSignal, acknowledged, failures }));
  return {
    acknowledged,
    failures,
    push(count, { batch = 50, webhooks: targets = webhooks, kind } = {}) {
      const pushAll = async () => {
        for (let left = count; left > 0; left -= batch) {
          await pushUntilAcknowledged(Array.from({ length: Math.min(batch, left) }, () => createEvent(targets, kind)));
        }
      };
      return ignoreRejection(pushAll());
    },
    keepPushing: (perSecond, targets = webhooks) =>
      startPushing(() => pushUntilAcknowledged([createEvent(targets)]), perSecond, closeSignal),
  };
}

/**
 * Marks a rejection as handled, so that a scenario that fails before it awaits the promise does not end the process.
 */
function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function createEvents(): (webhooks: string[], kind?: SampleKind) => EventSample {
  let created = 0;
  return (webhooks, kind) => {
    const number = created++;
    const webhookId = webhooks[number % webhooks.length];
    return sampleEvent(kind ?? (number % 5 === 0 ? 'rcs-status' : 'sms'), { webhookId });
  };
}

type PushOptions = Pick<LoadOptions, 'push' | 'closeSignal'> & Pick<Load, 'acknowledged' | 'failures'>;

async function pushRepeatedly(
  events: EventSample[],
  { push, closeSignal, acknowledged, failures }: PushOptions,
): Promise<void> {
  for (;;) {
    const startedAt = performance.now();
    try {
      await push(events);
      for (const { payload } of events) acknowledged.set(String(payload.id), Date.now());
      return;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      failures.push({ at: Date.now(), tookMs: performance.now() - startedAt, text });
      closeSignal.throwIfAborted();
      await sleep(500);
    }
  }
}

/** Starts what `keepPushing` promises. Also stops when `closeSignal` is aborted. */
function startPushing(pushOne: () => Promise<void>, perSecond: number, closeSignal: AbortSignal): () => Promise<void> {
  const pending = new Set<Promise<void>>();
  const startedAt = performance.now();
  let handled = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond);
    for (; handled < due; handled++) {
      if (pending.size >= maxConcurrentPushes) continue;
      const current = ignoreRejection(pushOne().finally(() => pending.delete(current)));
      pending.add(current);
    }
  }, tickMs);
  closeSignal.addEventListener('abort', () => clearInterval(timer));
  return async () => {
    clearInterval(timer);
    await Promise.all(pending);
  };
}

/** Pushes jobs into the queues, like a platform with a BullMQ client. */
export function pushByQueue(queues: Queues): Push {
  return async (events) => {
    for (const channel of ['sms', 'rcs'] as const) {
      const jobs = events
        .filter(({ event }) => event.startsWith(channel))
        .map(({ event, ...data }) => ({ name: event, data }));
      if (jobs.length > 0) await queues.pushEvents(channel, jobs);
    }
  };
}

/** Pushes over HTTP with a platform token. If the response is not 202, throws its status and body. */
export function pushByHttp(baseUrl: string, token: string): Push {
  return async (events) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${baseUrl}/events`, { method: 'POST', headers, body: JSON.stringify(events) });
    const text = await response.text();
    if (response.status !== 202) throw new Error(`${response.status} ${text}`);
  };
}

/**
 * The time within which workers ingest a backlog. Until then, events that were pushed after the backlog may wait in the
 * queue.
 */
export const backlogIngestMs = 4_000;

/**
 * The 99th percentile of the time from the acknowledgement of an event to each of its calls, in ms. Only events that
 * were acknowledged from `since` on count.
 */
export function p99OfDelays(calls: readonly Call[], { acknowledged }: Load, since = -Infinity): number {
  const delays = calls.flatMap(({ message, at }) => {
    const acknowledgedAt = acknowledged.get(message);
    return acknowledgedAt === undefined || acknowledgedAt < since ? [] : [Math.max(0, at - acknowledgedAt)];
  });
  const sorted = delays.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0;
}
