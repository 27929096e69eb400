import {
  batched,
  batchSize,
  type Database,
  type TakenOver,
  takeOverJobless,
  takeOverJobs,
  takeOverParked,
  type Waker,
} from '@ringback/database';
import type { Backend, PreviousQueueName } from '@ringback/queue';
import { errorFields, type Logger, withTimeout } from '@ringback/runtime';
import { consume, type Consumer, type Handler } from '../jobs/consumers.js';
import { idOf } from '../jobs/job-data.js';
import type { PoisonJobs } from '../jobs/poison-jobs.js';
import { regularly } from './regularly.js';

export type TakeoverDeps = { db: Database; backend: Backend; waker: Waker; log: Logger; poisonJobs: PoisonJobs };

const everyMs = 5_000;
const concurrency = 50;
const closeWithinMs = 1_000;

/**
 * Takes over what the release before left waiting: the jobs in its delivery queues as they become due, and rows that wait
 * without a job. A job is only ever in one worker's hands, so workers of both releases may run side by side. Runs until the
 * returned function is called. To be removed with the release after this one, with the columns that it reads.
 */
export function startTakeover(deps: TakeoverDeps): () => Promise<void> {
  const { db, backend, waker, log } = deps;
  let stopped = false;
  const consumers = new Map<PreviousQueueName, Consumer>();
  const note = (taken: TakenOver[]): number => {
    waker.wake(taken);
    return taken.reduce((sum, { count }) => sum + count, 0);
  };
  const take = batched(
    async (ids: string[]) => {
      note(await takeOverJobs(db, ids));
      return ids.map(() => undefined);
    },
    { maxSize: batchSize },
  );
  const handler: Handler = {
    suspectAfter: 100,
    async handle({ data }) {
      await take(idOf(data, 'deliveryId'));
      return { type: 'done' };
    },
    // Without its job the delivery is found by its row.
    giveUp: () => Promise.resolve(),
  };
  const onError = (error: Error) => log.error('takeover.failed', errorFields(error));
  const open = async (name: PreviousQueueName) => {
    await resume(deps, name, onError);
    consumers.set(name, consume(deps, name, { concurrency, handler }));
  };
  const follow = async (names: PreviousQueueName[]) => {
    for (const name of names) if (!consumers.has(name)) await open(name);
    for (const [name, consumer] of consumers)
      if (!names.includes(name)) {
        consumers.delete(name);
        await withTimeout(closeWithinMs, consumer.close(), () => consumer.close(true));
      }
  };
  const look = async () => {
    const names = await backend.previousQueues();
    await follow(names);
    let count = 0;
    const acts = names.length === 0 ? [takeOverParked, takeOverJobless] : [takeOverParked];
    for (const act of acts) {
      for (let more = -1; more !== 0 && !stopped; count += Math.max(0, more)) more = note(await act(db));
    }
    if (count > 0) log.info('takeover.taken', { count });
  };
  const safely = () => look().catch(onError);
  const stop = regularly(everyMs, safely, safely);
  return async () => {
    stopped = true;
    await stop();
    await withTimeout(closeWithinMs, follow([]), () => undefined);
  };
}

/** Nothing is taken out of a paused queue, and the commands of this release do not know its name. */
async function resume(
  { backend, log }: TakeoverDeps,
  name: PreviousQueueName,
  onError: (error: Error) => void,
): Promise<void> {
  const queue = backend.openQueue(name, onError);
  try {
    if (!(await queue.isPaused())) return;
    await queue.resume();
    log.warn('takeover.resumed', { queue: name });
  } finally {
    await queue.close();
  }
}
