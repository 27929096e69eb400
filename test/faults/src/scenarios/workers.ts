import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../program.js';
import { sabotaged } from '../sabotage.js';
import { awaitState, type Scenario, type ScenarioContext } from '../scenario.js';
import { readDeliveries } from '../settle.js';
import { redisOf } from './redis.js';

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

const maxCrashes = 4;

/** A delivery whose callback crashes the worker fails after at most four crashes. Other deliveries are not affected. */
export const poison: Scenario = {
  name: 'poison',
  title: 'a callback that crashes its worker each time fails, and the others are delivered',
  backends: ['redis', 'postgres'],
  async run(context) {
    const bad = await context.addWebhook('/poison');
    const [poisoned, load] = [context.createLoad(), context.createLoad()];
    const crashing = await startCrashingWorker(context);
    try {
      await poisoned.push(1, { webhooks: [bad] });
      const stop = load.keepPushing(context.bySize({ small: 5, normal: 10, full: 10 }));
      const isFinal = () => hasFinalDelivery(context, poisoned.acknowledged);
      await awaitState('the poison delivery is final', isFinal, { withinMs: 150_000, everyMs: 500 });
      await stop();
    } finally {
      await crashing.stop();
    }
    const crashes = crashing.count();
    context.require(crashes > 0 && crashes <= maxCrashes, `the poison callback was made ${crashes} times`);
    const excludedMessageIds = new Set(poisoned.acknowledged.keys());
    const [row] = (await readDeliveries(context)).filter(({ message }) => excludedMessageIds.has(message));
    const isFailed = row?.state === 'failed' && row.reason !== null;
    context.require(isFailed, `the poison delivery is ${row?.state}, ${row?.reason}`);
    context.note(`failed after ${crashes} crashes: ${row?.reason}`);
    // A crash repeats the other callbacks in flight.
    await context.settle(load, { maxDuplicates: 50 * crashes, excludedMessageIds });
  },
};

/**
 * Starts a worker that the poison callback kills, and a new worker after each kill. Only one worker runs at a time, so
 * the running one made the call. `count` counts the crashes, and `stop` stops the restarts.
 */
async function startCrashingWorker(context: ScenarioContext): Promise<{ count(): number; stop(): Promise<void> }> {
  let worker: Program = await context.startWorker();
  let [crashes, isOver] = [0, false];
  context.recorder.behave(({ path }) => {
    if (path !== '/poison') return { status: 200, delayMs: 20 };
    crashes++;
    void worker.end('SIGKILL');
    return 'hang';
  });
  const restartAfterCrashes = async () => {
    while (!isOver) {
      await awaitState('the worker ends', () => isOver || worker.ending() !== undefined, { withinMs: 600_000 });
      if (isOver) return;
      context.recordFault(`the worker ${worker.pid} was killed by its callback`);
      worker = await context.startWorker();
    }
  };
  const restarting = restartAfterCrashes();
  // `stop` rejects with the error.
  restarting.catch(() => undefined);
  return {
    count: () => crashes,
    async stop() {
      isOver = true;
      await restarting;
    },
  };
}

async function hasFinalDelivery(context: ScenarioContext, messages: Map<string, number>): Promise<boolean> {
  const rows = await readDeliveries(context);
  return rows.some(({ message, state }) => messages.has(message) && state !== 'pending');
}

const library = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`;

/** A worker with a wrong clock would make retries at the wrong time, so it does not start. */
export const clockOff: Scenario = {
  name: 'clock-off',
  title: 'a worker whose clock differs by 10 minutes does not start; another worker delivers',
  backends: ['redis', 'postgres'],
  skipReason: () => (existsSync(library) ? undefined : 'faketime is not installed'),
  async run(context) {
    for (const [offset, word] of [
      ['+600', 'ahead of'],
      ['-600', 'behind'],
    ] as const) {
      const started = context.startWorker({ LD_PRELOAD: library, FAKETIME: `${offset}s` });
      const message = await started.then(
        () => 'it started',
        (error: Error) => error.message,
      );
      const isRefused =
        message.includes(`ended with 1 `) && new RegExp(`is (599|60[01]) s ${word} the database's`).test(message);
      context.require(isRefused, `a worker whose clock is ${offset} s off: ${message}`);
      if (isRefused) context.recordFault(`a worker whose clock is 600 s ${word} the database's did not start`);
    }
    await context.startWorker();
    context.recorder.behave(({ attempt }) => ({ status: attempt === 1 ? 500 : 200 }));
    const load = context.createLoad();
    await load.push(50);
    await context.settle(load);
  },
};
