import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Program, usageOf } from '../program.js';
import type { Scenario } from '../scenario.js';
import { replaceKilled } from './workers.js';

const minuteMs = 60_000;
const perSecond = 50;
const failingShare = 0.05;
const kills = 12;
const restarts = 3;
const samples = 120;
// The heap of Node.js grows this much in an hour without a leak.
const maxMbPerHour = 10;
// Empty queues have fewer keys.
const maxKeysAtRest = 100;

/** An hour of steady load with regular faults. No event is lost, and no memory or Redis key leaks. */
export const soak: Scenario = {
  name: 'soak',
  title: 'an hour of 50 events/s, 5 % of calls failing, a worker killed every 5 min, Redis every 20 min',
  backends: ['redis', 'postgres'],
  webhooks: 20,
  maxMs: 90 * minuteMs,
  async run(context) {
    const { redis } = context;
    const lastsMs = context.bySize({ small: 3 * minuteMs, normal: 60 * minuteMs, full: 60 * minuteMs });
    context.recorder.behave(({ delivery, attempt }) => ({
      status: fails(delivery, attempt) ? 500 : 200,
      delayMs: 20,
    }));
    const api = await context.startApi();
    const observed = await context.startWorker();
    let victim = await context.startWorker();
    const loads = [context.createLoad(), context.createLoad(api)];
    const stops = loads.map((load) => load.keepPushing(perSecond / loads.length));
    const memory = { API: watchMemory(api), worker: watchMemory(observed) };
    const tickMs = lastsMs / samples;
    for (let tick = 1; tick <= samples; tick++) {
      await sleep(tickMs);
      for (const { sample } of Object.values(memory)) sample();
      if (tick % (samples / kills) === 0) victim = await replaceKilled(context, victim);
      if (redis === undefined || tick % (samples / restarts) !== 0) continue;
      await redis.kill();
      await sleep(1_000);
      await redis.start();
      context.recordFault('Redis was killed and restarted');
    }
    await Promise.all(stops.map((stop) => stop()));
    await context.settle(loads, { withinMs: 120_000, maxDuplicates: 25 * kills });
    for (const [name, { growth }] of Object.entries(memory)) {
      const { nowMb, mbPerHour } = growth(lastsMs);
      context.note(`memory of the ${name}: ${nowMb.toFixed(0)} MB, growth ${mbPerHour.toFixed(1)} MB an hour`);
      // In a shorter run the growth is not significant.
      if (lastsMs >= 60 * minuteMs) context.require(mbPerHour <= maxMbPerHour, `the memory of the ${name} grows`);
    }
    if (redis === undefined) return;
    const keys = Number((await redis.command('DBSIZE')).slice(1));
    context.note(`${keys} keys in Redis`);
    context.require(keys <= maxKeysAtRest, `${keys} keys are left in Redis`);
  },
};

function fails(delivery: string, attempt: number): boolean {
  const [byte = 0] = createHash('sha256').update(`${delivery} ${attempt}`).digest();
  return byte < 256 * failingShare;
}

/**
 * Samples the memory of a process. Its growth is the slope of a line through the minima of the last eight twelfths of
 * the time.
 */
function watchMemory({ pid, ending }: Program) {
  const mb: number[] = [];
  return {
    sample: () => void (ending() === undefined && mb.push(usageOf(pid).rssMb)),
    growth(lastsMs: number) {
      const length = Math.ceil(mb.length / 12);
      const parts = Array.from({ length: 12 }, (_, index) =>
        Math.min(...mb.slice(index * length, (index + 1) * length)),
      );
      const points = parts.slice(4);
      const [middle, mean] = [(points.length - 1) / 2, points.reduce((sum, value) => sum + value, 0) / points.length];
      const up = points.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
      const across = points.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
      return { nowMb: mb.at(-1) ?? 0, mbPerHour: (up / across / (lastsMs / 12)) * 3_600_000 };
    },
  };
}
