import { setTimeout as sleep } from 'node:timers/promises';
import { awaitState } from '../await-state.js';
import type { Program } from '../program.js';
import type { Stage, Story } from '../story.js';

/** Workers are killed in turn under load: nothing is lost, repeats are at most what was in flight. */
export const kill9: Story = {
  name: 'kill-9',
  title: 'kill -9 of three workers in turn, under load',
  backends: ['redis', 'postgres'],
  webhooks: 20,
  async play(stage) {
    const kills = stage.sized({ test: 1, small: 3, usual: 6, full: 15 });
    const perSecond = stage.sized({ test: 30, small: 40, usual: 80, full: 120 });
    stage.recorder.behave(({ attempt, message }) => ({
      status: attempt === 1 && message.charCodeAt(0) % 10 === 0 ? 500 : 200,
      delayMs: 100,
    }));
    const workers: Program[] = [];
    for (let index = 0; index < stage.sized({ test: 2, small: 3, usual: 3, full: 3 }); index++)
      workers.push(await stage.startWorker());
    const load = stage.openLoad();
    const stop = load.keepPushing(perSecond);
    let inFlight = 0;
    for (let kill = 0; kill < kills; kill++) {
      inFlight += await killUnderLoad(stage, workers, kill % workers.length);
    }
    await stop();
    const { duplicates } = await stage.settle(load, { withinMs: 120_000, mostDuplicates: 25 * 2 * kills });
    stage.note(`${inFlight} calls were in flight at the kills, ${duplicates} repeated`);
  },
};

/** Kills a worker as soon as calls have come since the last kill, and starts another in its place. */
async function killUnderLoad(stage: Stage, workers: Program[], index: number): Promise<number> {
  const { recorder } = stage;
  const victim = workers[index];
  if (victim === undefined) throw new Error('there is no such worker');
  const before = recorder.calls.length;
  await awaitState('calls come', () => recorder.calls.length > before + 10, { withinMs: 40_000, everyMs: 10 });
  await sleep(200);
  const recent = recorder.calls.filter(({ at }) => at > Date.now() - 100).length;
  const how = await victim.end('SIGKILL');
  if (how === 'SIGKILL') stage.landed(`kill -9 of ${victim.pid}`);
  workers[index] = await stage.startWorker();
  return recent;
}
