import { awaitState } from './await-state.js';
import type { Load } from './load.js';
import type { Program } from './program.js';
import type { Stage } from './story.js';
import type { Api } from './world.js';

/** What platforms push with a client of the queues, and over HTTP. */
type Loads = [byQueue: Load, byHttp: Load];

type Traffic = { api: Api; workers: Program[]; loads: Loads; stop(): Promise<void> };

/** A receiver that takes a moment, and fails four of sixteen first attempts where it is to fail. */
export function receiveCalls({ recorder }: Stage, { failing }: { failing: boolean }): void {
  recorder.behave(({ attempt, message }) => ({
    status: failing && attempt === 1 && /^[0-3]/.test(message) ? 500 : 200,
    delayMs: 50,
  }));
}

/** Two workers and an API, and platforms that push by queue and over HTTP; both have got through. */
export async function openTraffic(
  stage: Stage,
  { failing = true, env = {} }: { failing?: boolean; env?: NodeJS.ProcessEnv } = {},
): Promise<Traffic> {
  receiveCalls(stage, { failing });
  const api = await stage.startApi(env);
  const workers = [await stage.startWorker(env), await stage.startWorker(env)];
  const loads: Loads = [stage.openLoad(), stage.openLoad(api)];
  const perSecond = stage.bySize({ small: 10, normal: 30, full: 50 });
  const stops = loads.map((load) => load.keepPushing(perSecond));
  // Some seconds' worth: the first pushes wait for connections, and for code that is compiled.
  const many = 3 * perSecond;
  await awaitState(
    'calls come',
    () => loads.every((load) => load.acknowledged.size > many) && stage.recorder.calls.length > many,
  );
  return { api, workers, loads, stop: async () => void (await Promise.all(stops.map((stop) => stop()))) };
}

// By when a platform's own client has to say that the queues' engine is away.
const clientMs = 1_200;

/** Producers are told soon that what they push was not taken; the API takes events without the queues' engine. */
export function requireQuickRefusals(stage: Stage, [byQueue, byHttp]: Loads): void {
  const maxMs = Math.round(Math.max(0, ...byQueue.refusals.map(({ tookMs }) => tookMs)));
  stage.require(byQueue.refusals.length > 0, "a producer's error did not come");
  stage.requireWithin(clientMs, maxMs, "a producer's error");
  stage.note(`a producer's error came ${byQueue.refusals.length} times, after ${maxMs} ms at most`);
  stage.require(byHttp.refusals.length === 0, `the API refused ${byHttp.refusals.length} pushes`);
}
