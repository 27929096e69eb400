import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventJobData, isQueueUnavailable, type Queues } from '@ringback/queue';
import { sampleEvent } from '@ringback/rules';
import { now } from './clock.js';
import { describeLatency, type Latency } from './measurements.js';
import type { TargetWebhook } from './stack.js';

/** The expected arrivals, as `path id`, each with the due time of its event by `now()`. */
export type Pushed = Map<string, number>;

type PreparedEvent = { channel: 'sms' | 'rcs'; keys: string[]; job: { name: string; data: EventJobData } };

/** The queues into which events are pushed, and a function that prepares the event number `index`. */
export type Target = { queues: Pick<Queues, 'pushEvents'>; prepare(index: number): PreparedEvent };

/** A target whose events go to the webhooks in turn, by `webhook_id`. */
export function toWebhooks(queues: Target['queues'], webhooks: TargetWebhook[]): Target {
  const createPayload = preparePayloads();
  return {
    queues,
    prepare(index) {
      const {
        id: webhookId,
        channel,
        path,
      } = webhooks[index % webhooks.length] ?? { id: '', channel: 'sms', path: '' };
      const { name, id, payload } = createPayload(channel);
      return { channel, keys: [`${path} ${id}`], job: { name, data: { webhook_id: webhookId, payload } } };
    },
  };
}

/**
 * A target whose events are SMS reports of an account. Each of them goes to all these webhooks by their subscriptions.
 */
export function toSubscribers(queues: Queues, accountId: string, webhooks: TargetWebhook[]): Target {
  const createPayload = preparePayloads();
  return {
    queues,
    prepare() {
      const { name, id, payload } = createPayload('sms');
      const keys = webhooks.map(({ path }) => `${path} ${id}`);
      return { channel: 'sms', keys, job: { name, data: { account_id: accountId, payload } } };
    },
  };
}

/** Prepares payloads that only need a new id, so that the generator uses little CPU of the measured machine. */
function preparePayloads() {
  const templates = { sms: splitSample('sms'), rcs: splitSample('rcs-status') };
  return (channel: 'sms' | 'rcs') => {
    const { name, before, after } = templates[channel];
    const id = `${randomUUID()}${channel === 'sms' ? ':1' : ''}`;
    return { name, id, payload: `${before}${id}${after}` };
  };
}

function splitSample(kind: 'sms' | 'rcs-status') {
  const { event: name, payload } = sampleEvent(kind, {});
  const [before = '', after = ''] = JSON.stringify(payload).split(String(payload.id));
  return { name, before, after };
}

async function push(queues: Target['queues'], events: PreparedEvent[]): Promise<void> {
  const channels = (['sms', 'rcs'] as const)
    .map((name) => [name, events.filter(({ channel }) => channel === name).map(({ job }) => job)] as const)
    .filter(([, jobs]) => jobs.length > 0);
  await Promise.all(channels.map(([channel, jobs]) => pushWithRetries(queues, channel, jobs)));
}

/**
 * Repeats a push up to 300 times, like a platform, while the queue is unavailable. Ringback ignores the events that it
 * already has.
 */
async function pushWithRetries(
  queues: Target['queues'],
  channel: 'sms' | 'rcs',
  jobs: PreparedEvent['job'][],
): Promise<void> {
  for (let repeatsLeft = 300; ; repeatsLeft--) {
    try {
      return await queues.pushEvents(channel, jobs);
    } catch (error) {
      if (repeatsLeft === 0 || !isQueueUnavailable(error)) throw error;
      await sleep(100);
    }
  }
}

/** Pushes `count` events as fast as the queues accept them. */
export async function pushBurst({ queues, prepare }: Target, count: number): Promise<Pushed> {
  const pushed: Pushed = new Map();
  for (let done = 0; done < count; done += 500) {
    const size = Math.min(500, count - done);
    const events = Array.from({ length: size }, (_, index) => prepare(done + index));
    const at = now();
    for (const key of events.flatMap(({ keys }) => keys)) pushed.set(key, at);
    await push(queues, events);
  }
  return pushed;
}

/** `until`: whether to stop before the time is over. */
export type Rate = { perSecond: number; seconds: number; until?: () => boolean };

/** `generatorLag`: the delay from the due time of each event to its push. It is part of the event's latency. */
export type Stream = { pushed: Pushed; generatorLag: Latency };

/**
 * Pushes at a steady rate, independently of responses (open loop). Latencies count from the due time of each event,
 * which avoids coordinated omission.
 */
export async function pushSteadily({ queues, prepare }: Target, rate: Rate): Promise<Stream> {
  const { perSecond, seconds, until = () => false } = rate;
  const total = Math.round(perSecond * seconds);
  const ready: PreparedEvent[] = [];
  let prepared = 0;
  const prepareMore = (count: number) => {
    for (let size = Math.min(count, total - prepared); size > 0; size--) ready.push(prepare(prepared++));
  };
  prepareMore(10_000);
  const pushed: Pushed = new Map();
  const lags: number[] = [];
  const pushes: Promise<void>[] = [];
  const startedAt = now();
  const dueAt = (index: number) => startedAt + (index / perSecond) * 1_000;
  for (let done = 0; done < total && !until();) {
    const at = now();
    const due = Math.min(total, Math.floor(((at - startedAt) / 1_000) * perSecond) + 1);
    if (ready.length < due - done) prepareMore(due - done - ready.length);
    const events = ready.splice(0, due - done);
    for (const { keys } of events) {
      lags.push(at - dueAt(done));
      for (const key of keys) pushed.set(key, dueAt(done));
      done++;
    }
    if (events.length > 0) {
      const pushing = push(queues, events);
      // `Promise.all` below rejects with the error.
      pushing.catch(() => undefined);
      pushes.push(pushing);
    }
    prepareMore(20);
    await sleep(Math.max(1, Math.min(20, dueAt(done) - now())));
  }
  await Promise.all(pushes);
  return { pushed, generatorLag: describeLatency(lags) };
}
