import { awaitState } from '../await-state.js';
import { readDeliveries } from '../ledger.js';
import type { Program } from '../program.js';
import type { ScenarioContext, Scenario } from '../scenario.js';

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
