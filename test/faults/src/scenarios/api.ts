import { awaitState } from '../await-state.js';
import type { ScenarioContext, Scenario } from '../scenario.js';

/**
 * The API acknowledges only events that are stored. Platforms repeat pushes that a killed API process did not
 * acknowledge.
 */
export const apiKilled: Scenario = {
  name: 'api-killed',
  title: 'the API is killed repeatedly under load: no acknowledged event is lost',
  backends: ['redis', 'postgres'],
  run: (context) => endUnderLoad(context, 'SIGKILL'),
};

/** An API process that gets SIGTERM exits with 0. Platforms repeat pushes that it did not acknowledge. */
export const apiStopped: Scenario = {
  name: 'api-stopped',
  title: 'the API is stopped with SIGTERM repeatedly under load: no acknowledged event is lost',
  backends: ['redis', 'postgres'],
  run: (context) => endUnderLoad(context, 'SIGTERM'),
};

async function endUnderLoad(context: ScenarioContext, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  context.recorder.behave(() => ({ status: 200, delayMs: 20 }));
  await context.startWorker();
  let api = await context.startApi();
  // The next process listens on the same port.
  const { port: PORT } = new URL(api.baseUrl);
  const load = context.createLoad(api);
  const stop = load.keepPushing(context.bySize({ small: 40, normal: 80, full: 120 }));
  for (let round = 0; round < context.bySize({ small: 3, normal: 6, full: 15 }); round++) {
    const before = load.acknowledged.size;
    await awaitState('events are acknowledged', () => load.acknowledged.size > before + 30);
    const batches = load.push(200, { batch: 100 });
    await awaitState('a batch is being pushed', () => load.acknowledged.size > before + 40, { everyMs: 5 });
    const ending = await api.end(signal);
    context.require(ending === (signal === 'SIGKILL' ? signal : 0), `the API ended with ${ending} on ${signal}`);
    context.recordFault(`${signal} of the API ${api.pid}`);
    api = await context.startApi({ PORT });
    await batches;
  }
  await stop();
  context.require(load.failures.length > 0, 'no push failed');
  context.note(`${load.failures.length} pushes were repeated`);
  await context.settle(load);
}
