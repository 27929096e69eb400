import { awaitState } from '../await-state.js';
import type { Stage, Story } from '../story.js';

/** An API process that is killed answers for nothing that is not in the ledger, and platforms push the rest again. */
export const apiKilled: Story = {
  name: 'api-killed',
  title: 'kill -9 of the API repeatedly under load: no acknowledged event is lost',
  backends: ['redis', 'postgres'],
  play: (stage) => endUnderLoad(stage, 'SIGKILL'),
};

/** One that is asked to stop ends well, and what it did not answer for is pushed again. */
export const apiStopped: Story = {
  name: 'api-stopped',
  title: 'SIGTERM of the API repeatedly under load: no acknowledged event is lost',
  backends: ['redis', 'postgres'],
  play: (stage) => endUnderLoad(stage, 'SIGTERM'),
};

async function endUnderLoad(stage: Stage, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  stage.recorder.behave(() => ({ status: 200, delayMs: 20 }));
  await stage.startWorker();
  let api = await stage.startApi();
  const { port: PORT } = new URL(api.baseUrl);
  // Whoever comes next listens where platforms push.
  const load = stage.openLoad(api);
  const stop = load.keepPushing(stage.bySize({ small: 40, normal: 80, full: 120 }));
  for (let round = 0; round < stage.bySize({ small: 3, normal: 6, full: 15 }); round++) {
    const before = load.acknowledged.size;
    await awaitState('events are taken', () => load.acknowledged.size > before + 30);
    // Batches are under way, too.
    const batches = load.push(200, { batch: 100 });
    await awaitState('a batch is under way', () => load.acknowledged.size > before + 40, { everyMs: 5 });
    const how = await api.end(signal);
    stage.require(how === (signal === 'SIGKILL' ? signal : 0), `the API ended with ${how} on ${signal}`);
    stage.recordFault(`${signal} of the API ${api.pid}`);
    api = await stage.startApi({ PORT });
    await batches;
  }
  await stop();
  stage.require(load.refusals.length > 0, 'no platform noticed');
  stage.note(`${load.refusals.length} pushes were repeated`);
  await stage.settle(load);
}
