import { awaitState } from '../await-state.js';
import type { Stage, Scenario } from '../scenario.js';

/**
 * The API acknowledges only events that are stored. Platforms repeat pushes that a killed API process did not
 * acknowledge.
 */
export const apiKilled: Scenario = {
  name: 'api-killed',
  title: 'the API is killed repeatedly under load: no acknowledged event is lost',
  backends: ['redis', 'postgres'],
  run: (stage) => endUnderLoad(stage, 'SIGKILL'),
};

/** An API process that gets SIGTERM exits with 0. Platforms repeat pushes that it did not acknowledge. */
export const apiStopped: Scenario = {
  name: 'api-stopped',
  title: 'the API is stopped with SIGTERM repeatedly under load: no acknowledged event is lost',
  backends: ['redis', 'postgres'],
  run: (stage) => endUnderLoad(stage, 'SIGTERM'),
};

async function endUnderLoad(stage: Stage, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  stage.recorder.behave(() => ({ status: 200, delayMs: 20 }));
  await stage.startWorker();
  let api = await stage.startApi();
  // The next process listens on the same port.
  const { port: PORT } = new URL(api.baseUrl);
  const load = stage.createLoad(api);
  const stop = load.keepPushing(stage.bySize({ small: 40, normal: 80, full: 120 }));
  for (let round = 0; round < stage.bySize({ small: 3, normal: 6, full: 15 }); round++) {
    const before = load.acknowledged.size;
    await awaitState('events are acknowledged', () => load.acknowledged.size > before + 30);
    const batches = load.push(200, { batch: 100 });
    await awaitState('a batch is being pushed', () => load.acknowledged.size > before + 40, { everyMs: 5 });
    const ending = await api.end(signal);
    stage.require(ending === (signal === 'SIGKILL' ? signal : 0), `the API ended with ${ending} on ${signal}`);
    stage.recordFault(`${signal} of the API ${api.pid}`);
    api = await stage.startApi({ PORT });
    await batches;
  }
  await stop();
  stage.require(load.failures.length > 0, 'no push failed');
  stage.note(`${load.failures.length} pushes were repeated`);
  await stage.settle(load);
}
