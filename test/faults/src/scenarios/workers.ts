import { setTimeout as sleep } from 'node:timers/promises';
import { awaitState } from '../await-state.js';
import { readDeliveries } from '../ledger.js';
import type { Program } from '../program.js';
import { sabotaged } from '../sabotage.js';
import type { ScenarioContext, Scenario } from '../scenario.js';

/** Workers are killed in turn under load. No event is lost, and only calls in flight are repeated. */
export const kill9: Scenario = {
  name: 'kill-9',
  requiresNoErrors: true,
  title: 'three workers are killed in turn under load: no event is lost',
  backends: ['redis', 'postgres'],
  webhooks: 20,
  async run(context) {
    const kills = context.bySize({ test: 1, small: 3, normal: 6, full: 15 });
    const perSecond = context.bySize({ test: 30, small: 40, normal: 80, full: 120 });
    context.recorder.behave(({ attempt, message }) => ({
      status: attempt === 1 && message.charCodeAt(0) % 10 === 0 ? 500 : 200,
      delayMs: 100,
    }));
    const workers: Program[] = [];
    const workerCount = context.bySize({ test: 2, small: 3, normal: 3, full: 3 });
    while (workers.length < workerCount) workers.push(await context.startWorker());
    const load = context.createLoad();
    const stop = load.keepPushing(perSecond);
    let inFlight = 0;
    for (let kill = 0; kill < kills; kill++) {
      inFlight += await killUnderLoad(context, workers, kill % workers.length);
    }
    await stop();
    const maxDuplicates = 25 * Math.max(2, kills);
    const { duplicates, recoveryMs } = await context.settle(load, { withinMs: 120_000, maxDuplicates });
    context.requireWithin(20_000, recoveryMs, 'recovery');
    context.note(`${inFlight} calls were in flight at the kills, ${duplicates} repeated`);
  },
};

/** Workers are killed while webhooks are over their rate limits, which hold across all workers and crashes. */
export const kill9RateLimited: Scenario = {
  name: 'kill-9-rate-limited',
  requiresNoErrors: true,
  title: 'two workers are killed in turn while webhooks are over their rate limits: the limits hold',
  backends: ['redis', 'postgres'],
  webhooks: 0,
  async run(context) {
    const kills = context.bySize({ small: 2, normal: 4, full: 10 });
    const rateLimit = 10;
    const paths = ['/limited/1', '/limited/2', '/limited/3'];
    const webhooks = await Promise.all(paths.map((path) => context.addWebhook(path, { rateLimit })));
    context.recorder.behave(() => ({ status: 200, delayMs: 100 }));
    const workers = [await context.startWorker(), await context.startWorker()];
    const load = context.createLoad();
    const stop = load.keepPushing(rateLimit * paths.length * 2, webhooks);
    for (let kill = 0; kill < kills; kill++) await killUnderLoad(context, workers, kill % workers.length);
    await stop();
    // Calls in flight at a kill are repeated. The rates are those of all other calls.
    const { duplicates } = await context.settle(load, { withinMs: 180_000, maxDuplicates: 25 * kills });
    const rates = paths.map((webhookPath) => {
      const times = context.recorder.calls.filter(({ path }) => path === webhookPath).map(({ at }) => at);
      return (times.length - 1 - duplicates) / ((Math.max(...times) - Math.min(...times)) / 1_000);
    });
    context.note(`${rates.map((rate) => rate.toFixed(1)).join(', ')} calls/s with a limit of ${rateLimit}`);
    context.require(Math.max(...rates) <= rateLimit * 1.1, 'a rate limit was exceeded');
  },
};

/** A worker is frozen until its locks and leases have expired. The other worker takes over its deliveries. */
export const frozen: Scenario = {
  name: 'worker-frozen',
  title: 'one of two workers is frozen for 25 s repeatedly under load: no event is lost',
  backends: ['redis', 'postgres'],
  async run(context) {
    const freezes = context.bySize({ small: 1, normal: 2, full: 6 });
    context.recorder.behave(({ attempt, message }) => ({
      status: attempt === 1 && message.charCodeAt(0) % 10 === 0 ? 500 : 200,
      delayMs: 100,
    }));
    const workers = [await context.startWorker(), await context.startWorker()];
    const load = context.createLoad();
    const stop = load.keepPushing(40);
    for (let freeze = 0; freeze < freezes; freeze++) {
      const { pid } = workers[freeze % 2] ?? workers[0]!;
      await awaitCalls(context);
      const before = new Set(load.acknowledged.keys());
      process.kill(pid, 'SIGSTOP');
      await sleep(25_000);
      await awaitState('the other worker takes over', async () => (await countPending(context, before)) === 0);
      process.kill(pid, 'SIGCONT');
      context.recordFault(`the worker ${pid} was frozen`);
    }
    await sleep(3_000);
    await stop();
    const { duplicates } = await context.settle(load, { withinMs: 120_000, maxDuplicates: 25 * freezes });
    context.note(`${duplicates} repeated`);
  },
};

async function countPending(context: ScenarioContext, messages: ReadonlySet<string>): Promise<number> {
  const rows = await readDeliveries(context);
  return rows.filter(({ message, state }) => messages.has(message) && state === 'pending').length;
}

/** The ledger holds the due time of each retry, so a wrong backoff in BullMQ makes no retry early, late or lost. */
export const brokenBackoff: Scenario = {
  name: 'broken-backoff',
  title: 'workers give BullMQ no retry delays: retries are made on time',
  backends: ['redis', 'postgres'],
  async run(context) {
    context.recorder.behave(({ attempt, message }) => ({ status: attempt <= message.charCodeAt(0) % 4 ? 500 : 200 }));
    await context.startWorker(sabotaged('no-backoff'));
    context.recordFault('the backoff strategy returns undefined');
    const load = context.createLoad();
    await load.push(context.bySize({ small: 100, normal: 400, full: 2_000 }));
    await context.settle(load);
    context.note(`${context.recorder.calls.length} calls of ${load.acknowledged.size} events`);
  },
};

/**
 * Kills a worker after new calls arrived, and starts another one. Resolves with the number of calls in the 100 ms
 * before the kill: an estimate of the calls in flight.
 */
async function killUnderLoad(context: ScenarioContext, workers: Program[], index: number): Promise<number> {
  const victim = workers[index];
  if (victim === undefined) throw new Error(`there is no worker ${index}`);
  await awaitCalls(context);
  await sleep(200);
  const recent = context.recorder.calls.filter(({ at }) => at > Date.now() - 100).length;
  workers[index] = await replaceKilled(context, victim);
  return recent;
}

async function awaitCalls({ recorder }: ScenarioContext): Promise<void> {
  const before = recorder.calls.length;
  await awaitState('calls arrive', () => recorder.calls.length > before + 10, { withinMs: 40_000, everyMs: 10 });
}

/** Kills a worker and starts another one. */
export async function replaceKilled(context: ScenarioContext, victim: Program): Promise<Program> {
  const ending = await victim.end('SIGKILL');
  if (ending === 'SIGKILL') context.recordFault(`kill -9 of ${victim.pid}`);
  return context.startWorker();
}
