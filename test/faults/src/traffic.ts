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
  const perSecond = stage.sized({ small: 10, usual: 30, full: 50 });
  const stops = loads.map((load) => load.keepPushing(perSecond));
  // Some seconds' worth: the first pushes wait for connections, and for code that is compiled.
  const many = 3 * perSecond;
  await awaitState(
    'calls come',
    () => loads.every((load) => load.acknowledged.size > many) && stage.recorder.calls.length > many,
  );
  return { api, workers, loads, stop: async () => void (await Promise.all(stops.map((stop) => stop()))) };
}

// By when a platform's own client, and the API, have to say that the queues' engine is away.
const [clientMs, apiMs] = [1_200, 1_500];

/** Producers are told soon that what they push was not taken. */
export function requireQuickRefusals(stage: Stage, [byQueue, byHttp]: Loads): void {
  const bounds = [
    { load: byQueue, withinMs: clientMs, what: "a producer's error" },
    { load: byHttp, withinMs: apiMs, what: 'a refusal of the API' },
  ];
  for (const { load, withinMs, what } of bounds) {
    const longestMs = Math.round(Math.max(0, ...load.refusals.map(({ tookMs }) => tookMs)));
    stage.require(load.refusals.length > 0, `${what} did not come`);
    stage.requireWithin(withinMs, longestMs, what);
    stage.note(`${what} came ${load.refusals.length} times, after ${longestMs} ms at most`);
  }
}
