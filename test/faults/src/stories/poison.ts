import { setTimeout as sleep } from 'node:timers/promises';
import { readDeliveries } from '../ledger.js';
import { awaitState } from '../await-state.js';
import type { Story } from '../story.js';

const maxStarts = 4;

/** A callback that kills its worker is given up after four starts, and the others arrive. */
export const poison: Story = {
  name: 'poison',
  title: 'a callback that crashes its worker each time fails, and the others are delivered',
  backends: ['redis', 'postgres'],
  async play(stage) {
    const { recorder } = stage;
    const bad = await stage.addWebhook('/poison');
    const poisoned = stage.openLoad();
    const load = stage.openLoad();
    let worker = await stage.startWorker();
    let [kills, over] = [0, false];
    // There is one worker at a time, so the one that calls is the one to kill.
    recorder.behave(({ path }) => {
      if (path !== '/poison') return { status: 200, delayMs: 20 };
      kills++;
      void worker.end('SIGKILL');
      return 'hang';
    });
    const restarting = (async () => {
      while (!over) {
        await awaitState('the worker ends', () => over || worker.ending() !== undefined, { withinMs: 600_000 });
        if (over) return;
        stage.recordFault(`the worker ${worker.pid} was killed by its callback`);
        worker = await stage.startWorker();
      }
    })();
    await poisoned.push(1, { webhooks: [bad] });
    const stop = load.keepPushing(stage.bySize({ small: 5, normal: 10, full: 10 }));
    await awaitState('the poison has its end', () => hasEnd(stage, poisoned.acknowledged), {
      withinMs: 150_000,
      everyMs: 500,
    });
    await stop();
    over = true;
    await restarting;
    await sleep(0);
    stage.require(kills > 0 && kills <= maxStarts, `the poison was started ${kills} times`);
    const apart = new Set(poisoned.acknowledged.keys());
    const [row] = (await readDeliveries(stage)).filter(({ message }) => apart.has(message));
    stage.require(row?.state === 'failed' && row.reason !== null, `the poison is ${row?.state}, ${row?.reason}`);
    stage.note(`given up after ${kills} starts: ${row?.reason}`);
    // What was in flight beside it at a kill is called again.
    await stage.settle(load, { maxDuplicates: 50 * kills, apart });
  },
};

async function hasEnd(stage: Parameters<Story['play']>[0], messages: Map<string, number>): Promise<boolean> {
  const rows = await readDeliveries(stage);
  return rows.some(({ message, state }) => messages.has(message) && state !== 'pending');
}
