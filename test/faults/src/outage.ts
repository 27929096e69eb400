import { setTimeout as sleep } from 'node:timers/promises';
import { sampleEvent } from '@ringback/rules';
import type { Load } from './load.js';
import { type Program, usageOf } from './program.js';
import { awaitState, type ScenarioContext } from './scenario.js';
import type { Api } from './testbed.js';

type Outage = {
  api: Api;
  workers: Program[];
  /** The longest time that a response of the API may take. */
  withinMs: number;
  /** The minimum number of pushes that must get 503. */
  minRefused?: number;
  /** The outage does not concern the API: it must never respond with 503. */
  isApiUnaffected?: boolean;
  act: () => Promise<void>;
};

type Probes = { refused: { push: number; list: number }; listed: number; maxMs: number };

/**
 * Pushes events to the API and lists webhooks repeatedly while `act` runs. Requires that each response comes in time;
 * that pushes get 503 with the error envelope, or, if the API is unaffected, that no request does; and that the workers
 * use little CPU, and workers and API little more memory. The events are not part of the scenario's load.
 */
export async function requireUnavailable(context: ScenarioContext, outage: Outage): Promise<void> {
  const { api, workers, withinMs, minRefused = 2, isApiUnaffected = false, act } = outage;
  const probing = startProbing(context, api);
  try {
    await requireQuiet(context, workers, () => requireNoGrowth(context, 'the API', [api], act));
  } finally {
    await probing.stop();
  }
  const { refused, listed, maxMs } = probing.probes;
  const isRefusing = isApiUnaffected ? refused.push === 0 : refused.push >= minRefused;
  context.require(isRefusing, `the API responded to ${refused.push} pushes with 503`);
  const lists = `the API listed webhooks ${listed} times and responded to ${refused.list} lists with 503`;
  if (isApiUnaffected) context.require(listed >= 1 && refused.list === 0, lists);
  context.requireWithin(withinMs, maxMs, 'a response of the API');
  const counts = `${refused.push} pushes and ${refused.list} lists`;
  context.note(`503 to ${counts}, slowest response ${Math.round(maxMs)} ms`);
}

function startProbing(context: ScenarioContext, { baseUrl }: Api): { probes: Probes; stop(): Promise<void> } {
  const { platformToken, account, webhooks } = context;
  const probes: Probes = { refused: { push: 0, list: 0 }, listed: 0, maxMs: 0 };
  let isOver = false;
  const probe = async (kind: keyof Probes['refused'], request: () => Promise<Answer>) => {
    while (!isOver) {
      const { status, text, tookMs } = await request();
      probes.maxMs = Math.max(probes.maxMs, tookMs);
      // A list that was requested during the outage counts, even if the response comes later.
      if (status === 200) probes.listed++;
      if (isOver) return;
      if (status === 503 && isEnvelope(text)) probes.refused[kind]++;
      else if (status !== 202 && status !== 200)
        context.require(false, `the API responded with ${status} ${text.slice(0, 200)}`);
      await sleep(100);
    }
  };
  const body = () => JSON.stringify(sampleEvent('sms', { webhookId: webhooks[0] }));
  const running = Promise.all([
    probe('push', () => call(`${baseUrl}/events`, platformToken, { method: 'POST', body: body() })),
    probe('list', () => call(`${baseUrl}/developer/webhooks`, account.accessToken)),
  ]);
  // `stop` rejects with the error.
  running.catch(() => undefined);
  return {
    probes,
    async stop() {
      isOver = true;
      await running;
    },
  };
}

// Shares of a core. An idle worker takes a few hundredths.
const maxShare = 0.4;
// A young process grows for a while, and the API continues to work.
const maxGrowthMb = 160;

/** Requires that the workers use little CPU and memory while `act` runs: they neither poll nor buffer. */
async function requireQuiet(context: ScenarioContext, workers: Program[], act: () => Promise<void>): Promise<void> {
  const before = workers.map(({ pid }) => usageOf(pid).cpuMs);
  const startedAt = performance.now();
  await requireNoGrowth(context, 'a worker', workers, act);
  const tookMs = performance.now() - startedAt;
  const share = Math.max(...workers.map(({ pid }, index) => (usageOf(pid).cpuMs - (before[index] ?? 0)) / tookMs));
  context.require(share <= maxShare, `a worker took ${Math.round(share * 100)} % of a core during the outage`);
  context.note(`workers took at most ${Math.round(share * 100)} % of a core`);
}

async function requireNoGrowth(
  context: ScenarioContext,
  who: string,
  programs: Pick<Program, 'pid'>[],
  act: () => Promise<void>,
): Promise<void> {
  const before = programs.map(({ pid }) => usageOf(pid).rssMb);
  await act();
  const growthMb = Math.max(...programs.map(({ pid }, index) => usageOf(pid).rssMb - (before[index] ?? 0)));
  context.require(growthMb <= maxGrowthMb, `the memory of ${who} grew by ${Math.round(growthMb)} MB`);
  context.note(`${who} grew by ${Math.round(growthMb)} MB`);
}

type Answer = { status: number; text: string; tookMs: number };

async function call(url: string, token: string, request: RequestInit = {}): Promise<Answer> {
  const startedAt = performance.now();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const pendingResponse = fetch(url, { ...request, headers, signal: AbortSignal.timeout(10_000) });
  const answer = await pendingResponse.then(
    async (response) => ({ status: response.status, text: await response.text() }),
    (error: unknown) => ({ status: 0, text: String(error) }),
  );
  return { ...answer, tookMs: performance.now() - startedAt };
}

function isEnvelope(text: string): boolean {
  return /^{"status":"ServiceUnavailable","code":503,"message":"[^"]+"/.test(text);
}

/** One load that is pushed into the queues, and one over HTTP. */
type Loads = [byQueue: Load, byHttp: Load];

type Traffic = { api: Api; workers: Program[]; loads: Loads; stop(): Promise<void> };

/** Lets the receiver respond after 50 ms. If `failing`, a quarter of the first attempts fail. */
export function receiveCalls({ recorder }: ScenarioContext, { failing }: { failing: boolean }): void {
  recorder.behave(({ attempt, message }) => ({
    status: failing && attempt === 1 && /^[0-3]/.test(message) ? 500 : 200,
    delayMs: 50,
  }));
}

/**
 * Starts an API, two workers, and two loads. Resolves when 3 s of each load are acknowledged and as many calls have
 * arrived.
 */
export async function startTraffic(
  context: ScenarioContext,
  { failing = true, env = {} }: { failing?: boolean; env?: NodeJS.ProcessEnv } = {},
): Promise<Traffic> {
  receiveCalls(context, { failing });
  const api = await context.startApi(env);
  const workers = [await context.startWorker(env), await context.startWorker(env)];
  const loads: Loads = [context.createLoad(), context.createLoad(api)];
  const perSecond = context.bySize({ small: 10, normal: 30, full: 50 });
  const stops = loads.map((load) => load.keepPushing(perSecond));
  // Pushes of some seconds: the first ones wait for connections and for code to be compiled.
  const minimum = 3 * perSecond;
  const isFlowing = () =>
    loads.every((load) => load.acknowledged.size > minimum) && context.recorder.calls.length > minimum;
  await awaitState('calls arrive', isFlowing);
  return { api, workers, loads, stop: async () => void (await Promise.all(stops.map((stop) => stop()))) };
}

// The time within which a producer must get an error when Redis is unavailable.
const maxErrorMs = 1_200;

/** Requires that producers into the queues got an error in time, and that the API accepted all events meanwhile. */
export function requireQuickRefusals(context: ScenarioContext, [byQueue, byHttp]: Loads): void {
  const maxMs = Math.round(Math.max(0, ...byQueue.failures.map(({ tookMs }) => tookMs)));
  context.require(byQueue.failures.length > 0, 'no producer got an error');
  context.requireWithin(maxErrorMs, maxMs, "a producer's error");
  context.note(`producers got ${byQueue.failures.length} errors, within ${maxMs} ms`);
  context.require(byHttp.failures.length === 0, `the API refused ${byHttp.failures.length} pushes`);
}
