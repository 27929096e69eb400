import { setTimeout as sleep } from 'node:timers/promises';
import { awaitState } from '../await-state.js';
import type { Program } from '../program.js';
import type { Stage, Story } from '../story.js';
import { redisOf } from './redis.js';

const withinMs = 12_000;

/** Workers that are asked to stop finish what they have in hand: nothing is lost and nothing is called twice. */
export const sigterm: Story = {
  name: 'sigterm',
  calm: true,
  title: 'SIGTERM of three workers in turn under load: no event is lost and no callback is made twice',
  backends: ['redis', 'postgres'],
  async play(stage) {
    stage.recorder.behave(() => ({ status: 200, delayMs: 300 }));
    const workers: Program[] = [];
    for (let index = 0; index < stage.bySize({ test: 2, small: 3, normal: 3, full: 3 }); index++)
      workers.push(await stage.startWorker());
    const load = stage.openLoad();
    const stop = load.keepPushing(stage.bySize({ test: 30, small: 50, normal: 100, full: 100 }));
    for (let round = 0; round < stage.bySize({ test: 1, small: 2, normal: 4, full: 9 }); round++) {
      const index = round % workers.length;
      const before = stage.recorder.calls.length;
      await awaitState('calls come', () => stage.recorder.calls.length > before + 20);
      await endOne(stage, workers[index]);
      workers[index] = await stage.startWorker();
    }
    await stop();
    await stage.settle(load);
  },
};

/** A worker whose calls all hang has to wait for their time limit, and no longer. */
export const sigtermHanging: Story = {
  name: 'sigterm-hanging',
  calm: true,
  env: { CALLBACK_TIMEOUT_MS: '3000' },
  title: 'SIGTERM while every call hangs: workers stop in time',
  backends: ['redis', 'postgres'],
  async play(stage) {
    const worker = await stage.startWorker();
    stage.recorder.behave(() => 'hang');
    const load = stage.openLoad();
    await load.push(200);
    await awaitState('20 calls hang', () => stage.recorder.calls.length >= 20);
    await endOne(stage, worker);
    stage.recorder.behave(() => ({ status: 200 }));
    await stage.startWorker();
    await stage.settle(load, { withinMs: 90_000 });
  },
};

/** A worker that is asked to stop while Redis is away does not wait for it. */
export const sigtermAway: Story = {
  name: 'sigterm-away',
  title: 'SIGTERM of a worker with calls in flight while Redis is unavailable: it stops in time',
  backends: ['redis'],
  async play(stage) {
    const redis = redisOf(stage);
    stage.recorder.behave(() => ({ status: 200, delayMs: 1_000 }));
    const worker = await stage.startWorker();
    const load = stage.openLoad();
    await load.push(200);
    await awaitState('20 calls came', () => stage.recorder.calls.length >= 20);
    await redis.kill();
    await endOne(stage, worker);
    await redis.start();
    await stage.startWorker();
    await stage.settle(load, { withinMs: 90_000 });
  },
};

async function endOne(stage: Stage, worker: Program | undefined): Promise<void> {
  const from = performance.now();
  const how = await Promise.race([worker?.end('SIGTERM'), sleep(withinMs + 3_000, 'nothing', { ref: false })]);
  const tookMs = Math.round(performance.now() - from);
  stage.require(how === 0, `a worker ended with ${how} on SIGTERM`);
  stage.requireWithin(withinMs, tookMs, 'the stop of a worker');
  if (how === 0) stage.recordFault(`SIGTERM, ended after ${tookMs} ms`);
}
