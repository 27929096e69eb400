import { setTimeout as sleep } from 'node:timers/promises';
import type { Queues } from '@ringback/queue';
import { type EventSample, sampleEvent, type SampleKind } from '@ringback/samples';

/** Pushes a batch of events. Resolves when they are acknowledged. */
export type Push = (events: EventSample[]) => Promise<void>;

export type Refusal = { at: number; tookMs: number; text: string };

export type Load = {
  /** The time of each acknowledgement, by message id. */
  acknowledged: Map<string, number>;
  /** All pushes that failed. */
  refusals: Refusal[];
  /** Pushes `count` events in batches. Repeats each batch until it is acknowledged. */
  push(count: number, options?: { batch?: number; webhooks?: string[]; kind?: SampleKind }): Promise<void>;
  /** Pushes single events at a rate until the returned function is called. It resolves when all are acknowledged. */
  keepPushing(perSecond: number, webhooks?: string[]): () => Promise<void>;
};

const tickMs = 50;
const maxConcurrentPushes = 40;

/**
 * Creates the load of a platform, which pushes events for the webhooks in turn. Every fifth event is RCS. A failed push is
 * repeated until `over` is aborted.
 */
export function openLoad({ push, webhooks, over }: { push: Push; webhooks: string[]; over: AbortSignal }): Load {
  const acknowledged = new Map<string, number>();
  const refusals: Refusal[] = [];
  let created = 0;
  const createEvent = (targets: string[], kind?: SampleKind) => {
    const webhookId = targets[created % targets.length];
    return sampleEvent(kind ?? (created++ % 5 === 0 ? 'rcs-status' : 'sms'), { webhookId });
  };
  const pushUntilAcknowledged = async (events: EventSample[]) => {
    for (;;) {
      const startedAt = performance.now();
      try {
        await push(events);
        for (const { payload } of events) acknowledged.set(String(payload.id), Date.now());
        return;
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        refusals.push({ at: Date.now(), tookMs: performance.now() - startedAt, text });
        over.throwIfAborted();
        await sleep(500);
      }
    }
  };
  return {
    acknowledged,
    refusals,
    push(count, { batch = 50, webhooks: targets = webhooks, kind } = {}) {
      const pushAll = async () => {
        for (let left = count; left > 0; left -= batch) {
          await pushUntilAcknowledged(Array.from({ length: Math.min(batch, left) }, () => createEvent(targets, kind)));
        }
      };
      const pushed = pushAll();
      // A story that fails before it awaits the push must not end the process.
      pushed.catch(() => undefined);
      return pushed;
    },
    keepPushing(perSecond, targets = webhooks) {
      const pending = new Set<Promise<void>>();
      const from = performance.now();
      let pushed = 0;
      const timer = setInterval(() => {
        const due = Math.floor(((performance.now() - from) / 1_000) * perSecond);
        for (; pushed < due; pushed++) {
          if (pending.size >= maxConcurrentPushes) continue;
          const current = pushUntilAcknowledged([createEvent(targets)]).finally(() => pending.delete(current));
          pending.add(current);
          current.catch(() => undefined);
        }
      }, tickMs);
      over.addEventListener('abort', () => clearInterval(timer));
      return async () => {
        clearInterval(timer);
        await Promise.all(pending);
      };
    },
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
