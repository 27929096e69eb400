import { setTimeout as sleep } from 'node:timers/promises';
import type { Queues } from '@ringback/queue';
import { type EventSample, sampleEvent, type SampleKind } from '@ringback/samples';

/** Hands a batch of events over; resolves when they are acknowledged. */
export type Push = (events: EventSample[]) => Promise<void>;

export type Refusal = { at: number; tookMs: number; text: string };

export type Load = {
  /** When each event was acknowledged, by its message id. */
  acknowledged: Map<string, number>;
  /** Every push that failed. */
  refusals: Refusal[];
  /** Pushes so many events now, in batches; each batch is repeated until it is acknowledged. */
  push(count: number, options?: { batch?: number; webhooks?: string[]; kind?: SampleKind }): Promise<void>;
  /** Pushes single events regularly until the returned function is called, which resolves when all are acknowledged. */
  keepPushing(perSecond: number, webhooks?: string[]): () => Promise<void>;
};

const tickMs = 50;
const maxUnderWay = 40;

/** A platform that pushes events for the given webhooks in turn, every fifth of RCS, and repeats what failed until `over`. */
export function openLoad({ push, webhooks, over }: { push: Push; webhooks: string[]; over: AbortSignal }): Load {
  const acknowledged = new Map<string, number>();
  const refusals: Refusal[] = [];
  let made = 0;
  const make = (targets: string[], kind?: SampleKind) => {
    const webhookId = targets[made % targets.length];
    return sampleEvent(kind ?? (made++ % 5 === 0 ? 'rcs-status' : 'sms'), { webhookId });
  };
  const handOver = async (events: EventSample[]) => {
    for (;;) {
      const from = performance.now();
      try {
        await push(events);
        for (const { payload } of events) acknowledged.set(String(payload.id), Date.now());
        return;
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        refusals.push({ at: Date.now(), tookMs: performance.now() - from, text });
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
          await handOver(Array.from({ length: Math.min(batch, left) }, () => make(targets, kind)));
        }
      };
      const pushed = pushAll();
      // A story that fails before it awaits the push must not end the process.
      pushed.catch(() => undefined);
      return pushed;
    },
    keepPushing(perSecond, targets = webhooks) {
      const underWay = new Set<Promise<void>>();
      const from = performance.now();
      let pushed = 0;
      const timer = setInterval(() => {
        const due = Math.floor(((performance.now() - from) / 1_000) * perSecond);
        for (; pushed < due; pushed++) {
          if (underWay.size >= maxUnderWay) continue;
          const one = handOver([make(targets)]).finally(() => underWay.delete(one));
          underWay.add(one);
          one.catch(() => undefined);
        }
      }, tickMs);
      over.addEventListener('abort', () => clearInterval(timer));
      return async () => {
        clearInterval(timer);
        await Promise.all(underWay);
      };
    },
  };
}

/** Pushes as a platform with a BullMQ client does. */
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

/** Pushes over HTTP with a platform token. An answer that is not 202 throws its status and body. */
export function pushByHttp(baseUrl: string, token: string): Push {
  return async (events) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${baseUrl}/events`, { method: 'POST', headers, body: JSON.stringify(events) });
    const text = await response.text();
    if (response.status !== 202) throw new Error(`${response.status} ${text}`);
  };
}
