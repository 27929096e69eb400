import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type IngressJob, isQueueUnavailable, type Queues } from '@ringback/queue';
import { sampleEvent } from '@ringback/samples';
import { now } from './clock.js';
import { describeLatency, type Latency } from './statistics.js';
import type { TargetWebhook } from './stack.js';

/** What is to arrive, as `path id`, and when its event was due to be pushed, by `now()`. */
export type Pushed = Map<string, number>;

type Made = { channel: 'sms' | 'rcs'; keys: string[]; job: { name: string; data: IngressJob } };

/** Where events are pushed, and what the n-th of them is. */
export type Target = { queues: Pick<Queues, 'pushEvents'>; make(index: number): Made };

/** Events for webhooks, one after the other, each named by its `webhook_id`. */
export function toWebhooks(queues: Target['queues'], webhooks: TargetWebhook[]): Target {
  const makeText = prepareTexts();
  return {
    queues,
    make(index) {
      const {
        id: webhookId,
        channel,
        path,
      } = webhooks[index % webhooks.length] ?? { id: '', channel: 'sms', path: '' };
      const { name, id, payload } = makeText(channel);
      return { channel, keys: [`${path} ${id}`], job: { name, data: { webhook_id: webhookId, payload } } };
    },
  };
}

/** SMS reports of an account, each of which goes to all of these webhooks by their subscriptions. */
export function toSubscribers(queues: Queues, accountId: string, webhooks: TargetWebhook[]): Target {
  const makeText = prepareTexts();
  return {
    queues,
    make() {
      const { name, id, payload } = makeText('sms');
      const keys = webhooks.map(({ path }) => `${path} ${id}`);
      return { channel: 'sms', keys, job: { name, data: { account_id: accountId, payload } } };
    },
  };
}

/** Payloads are made once and get a new id each time: the machine is shared with what is measured. */
function prepareTexts() {
  const texts = { sms: prepareText('sms'), rcs: prepareText('rcs-status') };
  return (channel: 'sms' | 'rcs') => {
    const { name, before, after } = texts[channel];
    const id = `${randomUUID()}${channel === 'sms' ? ':1' : ''}`;
    return { name, id, payload: `${before}${id}${after}` };
  };
}

function prepareText(kind: 'sms' | 'rcs-status') {
  const { event: name, payload } = sampleEvent(kind, {});
  const [before = '', after = ''] = JSON.stringify(payload).split(String(payload.id));
  return { name, before, after };
}

async function push(queues: Target['queues'], made: Made[]): Promise<void> {
  const of = (wanted: 'sms' | 'rcs') => made.filter(({ channel }) => channel === wanted).map(({ job }) => job);
  const both = (['sms', 'rcs'] as const)
    .map((channel) => [channel, of(channel)] as const)
    .filter(([, list]) => list.length > 0);
  await Promise.all(both.map(([channel, list]) => pushPatiently(queues, channel, list)));
}

/** As a platform does: what the engine did not take within a second is pushed again, late. Twice is once for Ringback. */
async function pushPatiently(queues: Target['queues'], channel: 'sms' | 'rcs', jobs: Made['job'][]): Promise<void> {
  for (let left = 300; ; left--) {
    try {
      return await queues.pushEvents(channel, jobs);
    } catch (error) {
      if (left === 0 || !isQueueUnavailable(error)) throw error;
      await sleep(100);
    }
  }
}

/** Pushes so many events as fast as the engine takes them. */
export async function pushBurst({ queues, make }: Target, count: number): Promise<Pushed> {
  const pushed: Pushed = new Map();
  for (let done = 0; done < count; done += 500) {
    const size = Math.min(500, count - done);
    const made = Array.from({ length: size }, (_, index) => make(done + index));
    const at = now();
    for (const key of made.flatMap(({ keys }) => keys)) pushed.set(key, at);
    await push(queues, made);
  }
  return pushed;
}

/** `until`: an end before the time is up. */
export type Rate = { perSecond: number; seconds: number; until?: () => boolean };

/** `late`: by how much the generator itself was behind, which is part of every latency. */
export type Stream = { pushed: Pushed; late: Latency };

/**
 * Pushes at a steady rate whatever comes back (open loop). An event counts from the moment at which it was due, so that
 * a push that is late hides nothing.
 */
export async function pushSteadily({ queues, make }: Target, rate: Rate): Promise<Stream> {
  const { perSecond, seconds, until = () => false } = rate;
  const total = Math.round(perSecond * seconds);
  const ready: Made[] = [];
  let prepared = 0;
  const prepare = (count: number) => {
    for (let size = Math.min(count, total - prepared); size > 0; size--) ready.push(make(prepared++));
  };
  prepare(10_000);
  const pushed: Pushed = new Map();
  const late: number[] = [];
  const pushes: Promise<void>[] = [];
  const startedAt = now();
  const dueAt = (index: number) => startedAt + (index / perSecond) * 1_000;
  for (let done = 0; done < total && !until();) {
    const at = now();
    const due = Math.min(total, Math.floor(((at - startedAt) / 1_000) * perSecond) + 1);
    if (ready.length < due - done) prepare(due - done - ready.length);
    const made = ready.splice(0, due - done);
    for (const { keys } of made) {
      late.push(at - dueAt(done));
      for (const key of keys) pushed.set(key, dueAt(done));
      done++;
    }
    if (made.length > 0) {
      const one = push(queues, made);
      // Heard of at the end.
      one.catch(() => undefined);
      pushes.push(one);
    }
    prepare(20);
    await sleep(Math.max(1, Math.min(20, dueAt(done) - now())));
  }
  await Promise.all(pushes);
  return { pushed, late: describeLatency(late) };
}
