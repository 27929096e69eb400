import { setTimeout as sleep } from 'node:timers/promises';
import { awaitArrival, exactness } from '../arrival.js';
import { now } from '../clock.js';
import { type Pushed, pushBurst, toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result } from '../result.js';
import { type Stack, startStack } from '../stack.js';

const webhooks = 100;
const warmUpEvents = 2_000;
// Code that is not compiled yet is slower: so much of what is delivered is not counted.
const notCounted = 0.2;
const checkEveryMs = 50;
const maxMs = 600_000;

/** Taking events in, and delivering them, each by a worker that does nothing else, one after the other. */
export async function intake(options: BenchOptions): Promise<Result> {
  const stack = await startStack({ ...options, workers: 0 });
  try {
    const target = toWebhooks(stack.queues, await stack.makeWebhooks('intake', webhooks));
    await stack.scaleTo(1, { WORKER_ROLES: 'ingest' });
    options.say('warming up');
    const early = await pushBurst(target, Math.min(warmUpEvents, options.events));
    await awaitTaken(stack, early.size);
    options.say(`${options.events} events are taken in`);
    const before = stack.usage();
    const startedAt = now();
    const pushed = await pushBurst(target, options.events);
    await awaitTaken(stack, early.size + pushed.size, options.at);
    const takenPerSecond = (pushed.size / (now() - startedAt)) * 1_000;
    const workerUs = (stack.usage().worker.cpuUs - before.worker.cpuUs) / pushed.size;
    await stack.scaleTo(0);
    options.say('they are delivered');
    await stack.scaleTo(1, { WORKER_ROLES: 'deliver' });
    const { row, perSecond } = await measureDrain(stack, new Map([...early, ...pushed]), options);
    return {
      scenario: 'intake',
      title: `Intake: ${options.events} events, taken in and delivered by a worker each`,
      rows: [
        { work: 'delivering', ratio: 1, 'events/s': perSecond, ...row },
        { work: 'taking in', ratio: takenPerSecond / perSecond, 'events/s': takenPerSecond, 'worker µs': workerUs },
      ],
    };
  } finally {
    await stack.stop();
  }
}

/** Waits until so many deliveries stand in the ledger. */
async function awaitTaken({ db }: Stack, wanted: number, at: (share: number) => void = () => undefined): Promise<void> {
  for (const startedAt = now(); now() - startedAt < maxMs; await sleep(checkEveryMs)) {
    const { rows } = await db.pool.query<{ taken: number }>('SELECT count(*)::int AS taken FROM deliveries');
    const taken = rows[0]?.taken ?? 0;
    if (taken >= wanted) return;
    at(taken / wanted);
  }
  throw new Error(`${wanted} events were not taken in within ${maxMs / 1_000} s`);
}

async function measureDrain(stack: Stack, wanted: Pushed, { at }: Pick<BenchOptions, 'at'>) {
  const arrived = await awaitArrival(stack, wanted, { at });
  const times = (await stack.receiver.report()).times.toSorted((one, other) => one - other);
  const first = Math.floor(times.length * notCounted);
  const lastedMs = (times.at(-1) ?? 0) - (times[first] ?? 0);
  return { row: exactness(arrived), perSecond: ((times.length - 1 - first) / lastedMs) * 1_000 };
}
