import { setTimeout as sleep } from 'node:timers/promises';
import { awaitState } from '../await-state.js';
import type { Program } from '../program.js';
import type { ScenarioContext, Scenario } from '../scenario.js';
import { redisOf } from './redis.js';

const maxStopMs = 12_000;
const giveUpMs = 60_000;

/** A worker that gets SIGTERM completes its calls. No event is lost and no call is repeated. */
export const sigterm: Scenario = {
  name: 'sigterm',
  requiresNoErrors: true,
  title: 'three workers are stopped with SIGTERM in turn under load: no event is lost and no callback is made twice',
  backends: ['redis', 'postgres'],
  async run(context) {
    context.recorder.behave(() => ({ status: 200, delayMs: 300 }));
    const workers: Program[] = [];
    const workerCount = context.bySize({ test: 2, small: 3, normal: 3, full: 3 });
    while (workers.length < workerCount) workers.push(await context.startWorker());
    const load = context.createLoad();
    const stop = load.keepPushing(context.bySize({ test: 30, small: 50, normal: 100, full: 100 }));
    for (let round = 0; round < context.bySize({ test: 1, small: 2, normal: 4, full: 9 }); round++) {
      const index = round % workers.length;
      const before = context.recorder.calls.length;
      await awaitState('calls arrive', () => context.recorder.calls.length > before + 20);
      await stopWorker(context, workers[index]);
      workers[index] = await context.startWorker();
    }
    await stop();
    await context.settle(load);
  },
};

/** A worker whose calls all hang stops soon after the time limit of the calls. */
export const sigtermHanging: Scenario = {
  name: 'sigterm-hanging',
  requiresNoErrors: true,
  env: { CALLBACK_TIMEOUT_MS: '3000' },
  title: 'a worker is stopped with SIGTERM while every call hangs: it stops in time',
  backends: ['redis', 'postgres'],
  async run(context) {
    const worker = await context.startWorker();
    context.recorder.behave(() => 'hang');
    const load = context.createLoad();
    await load.push(200);
    await awaitState('20 calls hang', () => context.recorder.calls.length >= 20);
    await stopWorker(context, worker);
    context.recorder.behave(() => ({ status: 200 }));
    await context.startWorker();
    await context.settle(load, { withinMs: 90_000 });
  },
};

/** A worker that gets SIGTERM while Redis is down does not wait for Redis. */
export const sigtermAway: Scenario = {
  name: 'sigterm-without-redis',
  title: 'a worker with calls in flight is stopped with SIGTERM while Redis is unavailable: it stops in time',
  backends: ['redis'],
  async run(context) {
    const redis = redisOf(context);
    context.recorder.behave(() => ({ status: 200, delayMs: 1_000 }));
    const worker = await context.startWorker();
    const load = context.createLoad();
    await load.push(200);
    await awaitState('20 calls arrived', () => context.recorder.calls.length >= 20);
    await redis.kill();
    await stopWorker(context, worker);
    await redis.start();
    await context.startWorker();
    await context.settle(load, { withinMs: 90_000 });
  },
};

async function stopWorker(context: ScenarioContext, worker: Program | undefined): Promise<void> {
  const startedAt = performance.now();
  const ending = await Promise.race([worker?.end('SIGTERM'), sleep(giveUpMs, 'no exit', { ref: false })]);
  const tookMs = Math.round(performance.now() - startedAt);
  context.require(ending === 0, `a worker ended with ${ending} on SIGTERM`);
  context.requireWithin(maxStopMs, tookMs, 'the stop of a worker');
  if (ending === 0) context.recordFault(`SIGTERM, ended after ${tookMs} ms`);
}
