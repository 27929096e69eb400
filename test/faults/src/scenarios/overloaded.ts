import { setTimeout as sleep } from 'node:timers/promises';
import { groupBy } from '@ringback/process';
import type { Call } from '../check.js';
import { type Load, p99OfDelays } from '../load.js';
import { awaitState, type Scenario, type ScenarioContext } from '../scenario.js';

/** How a receiver refuses what is beyond its capacity. */
type Refusal = { status: number; headers?: Record<string, string> };

/** What an overloaded receiver takes, in calls a second, from a time after its first call on. */
type Capacity = { fromS: number; perSecond: number }[];

const steady: Capacity = [{ fromS: 0, perSecond: 10 }];
const healthyCount = 90;
const minDeliveredShare = 0.95;
const maxOverload = 3;
// Below this, differences of two p99 are noise.
const noiseMs = 50;

/**
 * Receivers that take 10 calls a second, and refuse the others within milliseconds, get nearly all of a burst of
 * reports: what waits for them uses up no attempt. Three workers send no more than one would. Healthy receivers beside
 * them are not delayed.
 */
export const overloaded: Scenario = overloadedBy('overloaded', 10, ({ refuses }) => refuses);

/** The refusals don't say "too fast", so nothing slows down, and the scenario must show it. */
export const controlUnpaced: Scenario = {
  ...overloadedBy('control-unpaced', 2, () => ({ status: 500 })),
  title: 'overloaded receivers that refuse with 500, which says nothing about the pace',
  expectedProblem: /got only \d+ of \d+ reports/,
};

function overloadedBy(
  name: string,
  receiverCount: number,
  refusalOf: (receiver: OverloadedReceiver) => Refusal,
): Scenario {
  return {
    name,
    requiresNoErrors: true,
    runsAlone: true,
    title: `${receiverCount} receivers take 10 calls a second and refuse the others: they get 95 % of a burst, and ${healthyCount} healthy ones are not delayed`,
    backends: ['redis', 'postgres'],
    webhooks: healthyCount,
    maxMs: 900_000,
    // SMS is retried after 0.18 s: a delivery that is attempted without regard to the pace soon has no attempt left.
    env: { WORKER_CONCURRENCY: '200', CALLBACK_TIMEOUT_MS: '3000', RETRY_TIME_SCALE: '0.0001' },
    async run(context) {
      const receivers = createReceivers(context, receiverCount);
      const byPath = new Map(receivers.map((receiver) => [receiver.path, receiver]));
      context.recorder.behave(({ path, at }) => {
        const receiver = byPath.get(path);
        return receiver === undefined || receiver.takes(at) ? { status: 200 } : refusalOf(receiver);
      });
      const api = await context.startApi();
      for (let count = 0; count < 3; count++) await context.startWorker();
      const healthy = context.createLoad();
      const measuredMs = context.bySize({ test: 3_000, small: 8_000, normal: 20_000, full: 60_000 });
      await pushHealthy(healthy, context.bySize({ test: 1_000, small: 3_000, normal: 10_000, full: 10_000 }));
      const alone = await p99Of(context, healthy, measuredMs);
      // Over HTTP, the burst is stored at once, and does not wait in a queue before the healthy receivers' events.
      const load = context.createLoad(api);
      await pushBurst(context, load, receivers);
      const beside = await p99Of(context, healthy, measuredMs);
      context.note(`p99 of the healthy receivers ${Math.round(beside)} ms, without the others ${Math.round(alone)} ms`);
      context.requireWithin(Math.max(1.2 * alone, alone + noiseMs), beside, 'the p99 of the healthy receivers');
      await context.settle([load, healthy], { withinMs: 800_000 });
      for (const receiver of receivers) checkReceiver(context, receiver);
    },
  };
}

/** A receiver with a bucket of tokens, which holds what it takes in a second. */
class OverloadedReceiver {
  readonly path: string;
  readonly refuses: Refusal;
  readonly #capacity: Capacity;
  #startedAt: number | undefined;
  #tokens = 0;
  #filledAt = 0;

  constructor(path: string, refuses: Refusal, capacity: Capacity) {
    this.path = path;
    this.refuses = refuses;
    this.#capacity = capacity;
  }

  takes(at: number): boolean {
    this.#startedAt ??= at;
    const perSecond = this.perSecondAt(at);
    this.#tokens = Math.min(perSecond, this.#tokens + ((at - this.#filledAt) / 1_000) * perSecond);
    this.#filledAt = at;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  perSecondAt(at: number): number {
    const elapsedS = (at - (this.#startedAt ?? at)) / 1_000;
    return this.#capacity.findLast(({ fromS }) => fromS <= elapsedS)?.perSecond ?? 0;
  }
}

function createReceivers({ bySize }: ScenarioContext, receiverCount: number): OverloadedReceiver[] {
  const stepS = bySize({ small: 4, normal: 20, full: 20 });
  const changing: Capacity = [10, 2, 50, 10].map((perSecond, index) => ({ fromS: index * stepS, perSecond }));
  const kinds: [string, Refusal, Capacity][] = [
    ['503', { status: 503 }, steady],
    ['429', { status: 429 }, steady],
    ['429-retry-after', { status: 429, headers: { 'Retry-After': '5' } }, steady],
    ['503-retry-after', { status: 503, headers: { 'Retry-After': '1' } }, steady],
    ['503-changing', { status: 503 }, changing],
  ];
  return Array.from({ length: receiverCount }, (_, index) => {
    const [name, refuses, capacity] = kinds[index % kinds.length]!;
    return new OverloadedReceiver(`/overloaded-${name}-${index}`, refuses, capacity);
  });
}

const healthyPerSecond = 45;

async function pushHealthy(load: Load, ms: number): Promise<void> {
  const stop = load.keepPushing(healthyPerSecond);
  await sleep(ms);
  await stop();
}

/** The p99 of the delays of the events that are pushed to the healthy receivers from now on, for `ms`. */
async function p99Of({ recorder }: ScenarioContext, load: Load, ms: number): Promise<number> {
  const startedAt = Date.now();
  await pushHealthy(load, ms);
  const messages = [...load.acknowledged].filter(([, at]) => at >= startedAt).map(([message]) => message);
  const haveArrived = () => {
    const arrived = new Set(recorder.calls.map(({ message }) => message));
    return messages.every((message) => arrived.has(message));
  };
  await awaitState('all callbacks of healthy receivers arrive', haveArrived, { everyMs: 250 });
  return p99OfDelays(recorder.calls, load, startedAt);
}

/** Pushes as many reports for each receiver as it takes in a while. They arrive within about two seconds. */
async function pushBurst(context: ScenarioContext, load: Load, receivers: OverloadedReceiver[]): Promise<void> {
  const webhooks: string[] = [];
  for (const { path } of receivers) webhooks.push(await context.addWebhook(path));
  const count = context.bySize({ test: 100, small: 200, normal: 1_000, full: 1_000 });
  await load.push(count * receivers.length, { webhooks, kind: 'sms', batch: 500 });
  context.recordFault(`${receivers.length} receivers get ${count} reports each, and take 10 a second`);
}

/** Checks by the receiver's own record that it got nearly all reports, and was never sent far more than it takes. */
function checkReceiver({ recorder, require, note }: ScenarioContext, receiver: OverloadedReceiver): void {
  const calls = recorder.calls.filter(({ path }) => path === receiver.path);
  const reports = groupBy(calls, ({ message }) => message);
  const got = [...reports.values()].filter((own) => own.some(({ status }) => status === 200)).length;
  const refused = calls.filter(({ status }) => status !== 200).length;
  const seconds = ((calls.at(-1)?.at ?? 0) - (calls[0]?.at ?? 0)) / 1_000;
  const overload = highestOverload(calls, receiver);
  note(
    `${receiver.path}: ${got} of ${reports.size} in ${Math.round(seconds)} s, ${refused} refused, at most ${overload.toFixed(1)} × its capacity`,
  );
  require(got >= minDeliveredShare * reports.size, `${receiver.path} got only ${got} of ${reports.size} reports`);
  require(overload <= maxOverload, `${receiver.path} was sent ${overload.toFixed(1)} times what it takes for 2 s`);
}

/** The most calls within 2 s, as a multiple of what the receiver takes in that time. */
function highestOverload(calls: Call[], receiver: OverloadedReceiver): number {
  let highest = 0;
  let start = 0;
  for (const [index, { at }] of calls.entries()) {
    while ((calls[start]?.at ?? at) <= at - 2_000) start++;
    const capacity = Math.max(...calls.slice(start, index + 1).map((call) => receiver.perSecondAt(call.at)));
    highest = Math.max(highest, (index - start + 1) / (2 * capacity));
  }
  return highest;
}
