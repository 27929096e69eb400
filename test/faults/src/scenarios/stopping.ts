import { setTimeout as sleep } from 'node:timers/promises';
import { awaitState } from '../await-state.js';
import type { Program } from '../program.js';
import type { Stage, Scenario } from '../scenario.js';
import { redisOf } from './redis.js';

const maxStopMs = 12_000;
const giveUpMs = 60_000;

/** A worker that gets SIGTERM completes its calls. No event is lost and no call is repeated. */
export const sigterm: Scenario = {
  name: 'sigterm',
  requiresNoErrors: true,
  title: 'three workers are stopped with SIGTERM in turn under load: no event is lost and no callback is made twice',
  backends: ['redis', 'postgres'],
  async run(stage) {
    stage.recorder.behave(() => ({ status: 200, delayMs: 300 }));
    const workers: Program[] = [];
    const workerCount = stage.bySize({ test: 2, small: 3, normal: 3, full: 3 });
    while (workers.length < workerCount) workers.push(await stage.startWorker());
    const load = stage.createLoad();
    const stop = load.keepPushing(stage.bySize({ test: 30, small: 50, normal: 100, full: 100 }));
    for (let round = 0; round < stage.bySize({ test: 1, small: 2, normal: 4, full: 9 }); round++) {
      const index = round % workers.length;
      const before = stage.recorder.calls.length;
      await awaitState('calls arrive', () => stage.recorder.calls.length > before + 20);
      await stopWorker(stage, workers[index]);
      workers[index] = await stage.startWorker();
    }
    await stop();
    await stage.settle(load);
  },
};

/** A worker whose calls all hang stops after their time limit. */
export const sigtermHanging: Scenario = {
  name: 'sigterm-hanging',
  requiresNoErrors: true,
  env: { CALLBACK_TIMEOUT_MS: '3000' },
  title: 'workers are stopped with SIGTERM while every call hangs: they stop in time',
  backends: ['redis', 'postgres'],
  async run(stage) {
    const worker = await stage.startWorker();
    stage.recorder.behave(() => 'hang');
    const load = stage.createLoad();
    await load.push(200);
    await awaitState('20 calls hang', () => stage.recorder.calls.length >= 20);
    await stopWorker(stage, worker);
    stage.recorder.behave(() => ({ status: 200 }));
    await stage.startWorker();
    await stage.settle(load, { withinMs: 90_000 });
  },
};

/** A worker that gets SIGTERM while Redis is down does not wait for Redis. */
export const sigtermAway: Scenario = {
  name: 'sigterm-without-redis',
  title: 'a worker with calls in flight is stopped with SIGTERM while Redis is unavailable: it stops in time',
  backends: ['redis'],
  async run(stage) {
    const redis = redisOf(stage);
    stage.recorder.behave(() => ({ status: 200, delayMs: 1_000 }));
    const worker = await stage.startWorker();
    const load = stage.createLoad();
    await load.push(200);
    await awaitState('20 calls arrived', () => stage.recorder.calls.length >= 20);
    await redis.kill();
    await stopWorker(stage, worker);
    await redis.start();
    await stage.startWorker();
    await stage.settle(load, { withinMs: 90_000 });
  },
};

async function stopWorker(stage: Stage, worker: Program | undefined): Promise<void> {
  const startedAt = performance.now();
  const ending = await Promise.race([worker?.end('SIGTERM'), sleep(giveUpMs, 'no exit', { ref: false })]);
  const tookMs = Math.round(performance.now() - startedAt);
  stage.require(ending === 0, `a worker ended with ${ending} on SIGTERM`);
  stage.requireWithin(maxStopMs, tookMs, 'the stop of a worker');
  if (ending === 0) stage.recordFault(`SIGTERM, ended after ${tookMs} ms`);
}
