import { setTimeout as sleep } from 'node:timers/promises';
import type { Queues } from '@ringback/queue';
import { sampleEvent } from '@ringback/samples';
import type { Receiver } from './receiver.js';
import type { TargetWebhook } from './stack.js';

/** Pushed events: when each was due to be pushed, in ms since 1970, by its message id; and to which webhook. */
export type Pushed = Map<string, { at: number; webhookId: string }>;

export type Target = { queues: Queues; webhooks: TargetWebhook[] };

const now = () => performance.timeOrigin + performance.now();

function makeJob({ webhooks }: Target, index: number) {
  const { id: webhookId, channel } = webhooks[index % webhooks.length] ?? { id: '', channel: 'sms' };
  const { event, ...data } = sampleEvent(channel === 'sms' ? 'sms' : 'rcs-status', { webhookId });
  return { channel, id: String(data.payload.id), webhookId, job: { name: event, data } };
}

async function push(queues: Queues, jobs: ReturnType<typeof makeJob>[]): Promise<void> {
  const of = (wanted: 'sms' | 'rcs') => jobs.filter(({ channel }) => channel === wanted).map(({ job }) => job);
  const both = (['sms', 'rcs'] as const)
    .map((channel) => [channel, of(channel)] as const)
    .filter(([, list]) => list.length > 0);
  await Promise.all(both.map(([channel, list]) => queues.pushEvents(channel, list)));
}

/** Pushes so many events as fast as the engine takes them. */
export async function pushBurst(target: Target, count: number): Promise<Pushed> {
  const pushed: Pushed = new Map();
  for (let done = 0; done < count; done += 500) {
    const size = Math.min(500, count - done);
    const jobs = Array.from({ length: size }, (_, index) => makeJob(target, done + index));
    const at = now();
    for (const { id, webhookId } of jobs) pushed.set(id, { at, webhookId });
    await push(target.queues, jobs);
  }
  return pushed;
}

/**
 * Pushes at a steady rate whatever comes back (open loop). An event counts from the moment at which it was due, so that
 * a push that is late hides nothing.
 */
export async function pushSteadily(
  target: Target,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Pushed> {
  const pushed: Pushed = new Map();
  const startedAt = now();
  const total = Math.round(perSecond * seconds);
  const pushes: Promise<void>[] = [];
  for (let done = 0; done < total;) {
    const due = Math.min(total, Math.floor(((now() - startedAt) / 1_000) * perSecond) + 1);
    const jobs = [];
    for (; done < due; done++) {
      const job = makeJob(target, done);
      pushed.set(job.id, { at: startedAt + (done / perSecond) * 1_000, webhookId: job.webhookId });
      jobs.push(job);
    }
    if (jobs.length > 0) pushes.push(push(target.queues, jobs));
    await sleep(2);
  }
  await Promise.all(pushes);
  return pushed;
}

export type Arrived = { latencies: number[]; missing: number; repeated: number; firstAt: number; lastAt: number };

/** Waits until everything wanted arrived, or nothing more has come for `patienceS`; then compares it with what was pushed. */
export async function awaitArrival(receiver: Receiver, wanted: Pushed, patienceS = 20): Promise<Arrived> {
  let seen = -1;
  let since = now();
  for (;;) {
    const { ids, times } = await receiver.report();
    const ours = ids.filter((id) => wanted.has(id)).length;
    if (ours >= wanted.size) return compare(wanted, ids, times);
    if (ours > seen) [seen, since] = [ours, now()];
    if (now() - since > patienceS * 1_000) return compare(wanted, ids, times);
    await sleep(wanted.size > 20_000 ? 500 : 100);
  }
}

function compare(wanted: Pushed, ids: string[], times: number[]): Arrived {
  const first = new Map<string, number>();
  let repeated = 0;
  ids.forEach((id, index) => {
    if (!wanted.has(id)) return;
    if (first.has(id)) repeated++;
    else first.set(id, times[index] ?? 0);
  });
  const latencies = [...first].map(([id, at]) => at - (wanted.get(id)?.at ?? at));
  const at = [...first.values()];
  const ends = at.reduce(([low, high], one) => [Math.min(low, one), Math.max(high, one)] as const, [
    Infinity,
    -Infinity,
  ] as const);
  return { latencies, missing: wanted.size - first.size, repeated, firstAt: ends[0], lastAt: ends[1] };
}
