import { setTimeout as sleep } from 'node:timers/promises';
import { awaitState } from '../await-state.js';
import { readDeliveries } from '../ledger.js';
import type { Program } from '../program.js';
import { sabotaged } from '../sabotage.js';
import type { Stage, Story } from '../story.js';

/** Workers are killed in turn under load: nothing is lost, repeats are at most what was in flight. */
export const kill9: Story = {
  name: 'kill-9',
  calm: true,
  title: 'kill -9 of three workers in turn under load: no event is lost',
  backends: ['redis', 'postgres'],
  webhooks: 20,
  async play(stage) {
    const kills = stage.bySize({ test: 1, small: 3, normal: 6, full: 15 });
    const perSecond = stage.bySize({ test: 30, small: 40, normal: 80, full: 120 });
    stage.recorder.behave(({ attempt, message }) => ({
      status: attempt === 1 && message.charCodeAt(0) % 10 === 0 ? 500 : 200,
      delayMs: 100,
    }));
    const workers: Program[] = [];
    for (let index = 0; index < stage.bySize({ test: 2, small: 3, normal: 3, full: 3 }); index++)
      workers.push(await stage.startWorker());
    const load = stage.openLoad();
    const stop = load.keepPushing(perSecond);
    let inFlight = 0;
    for (let kill = 0; kill < kills; kill++) {
      inFlight += await killUnderLoad(stage, workers, kill % workers.length);
    }
    await stop();
    const { duplicates } = await stage.settle(load, { withinMs: 120_000, maxDuplicates: 25 * Math.max(2, kills) });
    stage.requireWithin(20_000, stage.recoveryS() * 1_000, 'recovery');
    stage.note(`${inFlight} calls were in flight at the kills, ${duplicates} repeated`);
  },
};

/** The same where the webhooks have rate limits, which hold over all workers and whatever happens to them. */
export const kill9RateLimited: Story = {
  name: 'kill-9-rate-limited',
  calm: true,
  title: 'kill -9 of two workers in turn while webhooks are over their rate limits: the limits hold',
  backends: ['redis', 'postgres'],
  webhooks: 0,
  async play(stage) {
    const kills = stage.bySize({ small: 2, normal: 4, full: 10 });
    const rateLimit = 10;
    const paths = ['/limited/1', '/limited/2', '/limited/3'];
    const webhooks = await Promise.all(paths.map((path) => stage.addWebhook(path, { rateLimit })));
    stage.recorder.behave(() => ({ status: 200, delayMs: 100 }));
    const workers = [await stage.startWorker(), await stage.startWorker()];
    const load = stage.openLoad();
    const stop = load.keepPushing(rateLimit * paths.length * 2, webhooks);
    for (let kill = 0; kill < kills; kill++) await killUnderLoad(stage, workers, kill % workers.length);
    await stop();
    // What a worker died of is called again beside the limit.
    const { duplicates } = await stage.settle(load, { withinMs: 180_000, maxDuplicates: 25 * kills });
    const rates = paths.map((wanted) => {
      const times = stage.recorder.calls.filter(({ path }) => path === wanted).map(({ at }) => at);
      return (times.length - 1 - duplicates) / ((Math.max(...times) - Math.min(...times)) / 1_000);
    });
    stage.note(`${rates.map((rate) => rate.toFixed(1)).join(', ')} calls/s where ${rateLimit} are allowed`);
    stage.require(Math.max(...rates) <= rateLimit * 1.1, 'a rate limit was exceeded');
  },
};

/** A worker that stands still for longer than its locks and leases hold finds that others did its work, and goes on. */
export const frozen: Story = {
  name: 'worker-frozen',
  title: 'one of two workers is frozen for 25 s repeatedly under load: no event is lost',
  backends: ['redis', 'postgres'],
  async play(stage) {
    const freezes = stage.bySize({ small: 1, normal: 2, full: 6 });
    stage.recorder.behave(({ attempt, message }) => ({
      status: attempt === 1 && message.charCodeAt(0) % 10 === 0 ? 500 : 200,
      delayMs: 100,
    }));
    const workers = [await stage.startWorker(), await stage.startWorker()];
    const load = stage.openLoad();
    const stop = load.keepPushing(40);
    for (let freeze = 0; freeze < freezes; freeze++) {
      const { pid } = workers[freeze % 2] ?? workers[0]!;
      await callsCome(stage);
      const before = new Set(load.acknowledged.keys());
      process.kill(pid, 'SIGSTOP');
      await sleep(25_000);
      // What it had in hand, others have done by now.
      const left = (await readDeliveries(stage)).filter((row) => before.has(row.message) && row.state === 'pending');
      stage.require(left.length === 0, `${left.length} deliveries waited for the worker that stood still`);
      process.kill(pid, 'SIGCONT');
      stage.recordFault(`the worker ${pid} stood still`);
    }
    await sleep(3_000);
    await stop();
    const { duplicates } = await stage.settle(load, { withinMs: 120_000, maxDuplicates: 25 * freezes });
    stage.note(`${duplicates} repeated`);
  },
};

/** The ledger knows when a retry is due, so that a backoff that goes wrong in BullMQ makes none early, late or lost. */
export const brokenBackoff: Story = {
  name: 'broken-backoff',
  title: 'BullMQ gets no backoff from workers: retries are made on time',
  backends: ['redis', 'postgres'],
  async play(stage) {
    stage.recorder.behave(({ attempt, message }) => ({ status: attempt <= message.charCodeAt(0) % 4 ? 500 : 200 }));
    await stage.startWorker(sabotaged('no-backoff'));
    stage.recordFault('no backoff is defined');
    const load = stage.openLoad();
    await load.push(stage.bySize({ small: 100, normal: 400, full: 2_000 }));
    await stage.settle(load);
    const starts = stage.recorder.calls.length;
    stage.note(`${starts} calls of ${load.acknowledged.size} events`);
  },
};

/** Kills a worker as soon as calls have come since the last kill, and starts another in its place. */
async function killUnderLoad(stage: Stage, workers: Program[], index: number): Promise<number> {
  const victim = workers[index];
  if (victim === undefined) throw new Error('there is no such worker');
  await callsCome(stage);
  await sleep(200);
  const recent = stage.recorder.calls.filter(({ at }) => at > Date.now() - 100).length;
  workers[index] = await replaceKilled(stage, victim);
  return recent;
}

async function callsCome({ recorder }: Stage): Promise<void> {
  const before = recorder.calls.length;
  await awaitState('calls come', () => recorder.calls.length > before + 10, { withinMs: 40_000, everyMs: 10 });
}

/** Kills a worker, and resolves with another in its place. */
export async function replaceKilled(stage: Stage, victim: Program): Promise<Program> {
  const how = await victim.end('SIGKILL');
  if (how === 'SIGKILL') stage.recordFault(`kill -9 of ${victim.pid}`);
  return stage.startWorker();
}
