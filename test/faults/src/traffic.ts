import { awaitState } from './await-state.js';
import type { Load } from './load.js';
import type { Program } from './program.js';
import type { ScenarioContext } from './scenario.js';
import type { Api } from './testbed.js';

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
