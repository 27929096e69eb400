import { awaitState } from './await-state.js';
import type { Load } from './load.js';
import type { Program } from './program.js';
import type { Stage } from './story.js';
import type { Api } from './world.js';

/** Two workers and an API, and platforms that push by queue and over HTTP; both have got through.
 * Four of sixteen first attempts fail, when there are to be failures. */
export async function openTraffic(
  stage: Stage,
  { failing = true, env = {} }: { failing?: boolean; env?: NodeJS.ProcessEnv } = {},
): Promise<{ api: Api; workers: Program[]; loads: Load[]; stop(): Promise<void> }> {
  stage.recorder.behave(({ attempt, message }) => ({
    status: failing && attempt === 1 && /^[0-3]/.test(message) ? 500 : 200,
    delayMs: 50,
  }));
  const api = await stage.startApi(env);
  const workers = [await stage.startWorker(env), await stage.startWorker(env)];
  const loads = [stage.openLoad(), stage.openLoad(api)];
  const perSecond = stage.sized({ small: 10, usual: 30, full: 50 });
  const stops = loads.map((load) => load.keepPushing(perSecond));
  await awaitState(
    'calls come',
    () => loads.every((load) => load.acknowledged.size > 5) && stage.recorder.calls.length > 20,
  );
  return { api, workers, loads, stop: async () => void (await Promise.all(stops.map((stop) => stop()))) };
}

/** Producers are told soon that what they push was not taken. */
export function requireQuickRefusals(stage: Stage, loads: Load[]): void {
  const [refusals] = [loads.flatMap((load) => load.refusals)];
  const longestMs = Math.round(Math.max(0, ...refusals.map(({ tookMs }) => tookMs)));
  stage.require(
    loads.every((load) => load.refusals.length > 0),
    'the producers did not notice',
  );
  stage.requireWithin(1_200, longestMs, "a producer's error");
  stage.note(`${refusals.length} pushes were refused, after ${longestMs} ms at most`);
}
