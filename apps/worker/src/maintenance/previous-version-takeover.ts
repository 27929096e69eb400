import {
  createBatcher,
  defaultBatchSize,
  type Database,
  type TakenOver,
  takeOverWithLostJob,
  takeOverJobs,
  takeOverWithoutJob,
  type Waker,
} from '@ringback/ledger';
import type { QueueEngine, PreviousQueueName } from '@ringback/queue';
import { errorFields, type Logger, withTimeout } from '@ringback/process';
import { startConsumer, type Consumer, type JobHandler } from '../jobs/consumer.js';
import { readId } from '../jobs/read-id.js';
import type { JobIsolation } from '../jobs/job-isolation.js';
import type { MaintenanceService } from './maintenance-service.js';

export type TakeoverDeps = {
  db: Database;
  engine: QueueEngine;
  waker: Waker;
  log: Logger;
  jobIsolation: JobIsolation;
};

const concurrency = 50;
const maxCloseMs = 1_000;

/**
 * Takes over the deliveries of the previous version. A delivery that has a job in a delivery queue is taken over when
 * the job becomes due. Workers of both versions may run at the same time, because a job runs in one worker only. The
 * next version removes this service, together with the columns that it reads.
 */
export function createTakeoverService(deps: TakeoverDeps): MaintenanceService {
  const { db, engine, waker, log } = deps;
  const consumers = new Map<PreviousQueueName, Consumer>();
  let hasLoggedCompletion = false;
  let unloggedCount = 0;
  /** Wakes the dispatchers, and counts the deliveries that were taken over. Returns their number. */
  const wakeAndCount = (takenOver: TakenOver[]): number => {
    waker.wake(takenOver);
    const count = takenOver.reduce((sum, webhook) => sum + webhook.count, 0);
    unloggedCount += count;
    return count;
  };
  /** Logs the count. Called when nothing is left to take over; logs once, and again after more was taken over. */
  const logCompletion = () => {
    if (hasLoggedCompletion && unloggedCount === 0) return;
    log.info('takeover.completed', { count: unloggedCount });
    hasLoggedCompletion = true;
    unloggedCount = 0;
  };
  const takeOverJob = createBatcher(
    async (ids: string[]) => {
      wakeAndCount(await takeOverJobs(db, ids));
      return ids.map(() => undefined);
    },
    { maxSize: defaultBatchSize },
  );
  const handler: JobHandler = {
    // These jobs only run a statement, which does not crash a worker. If other work crashes workers, isolating these
    // jobs would not help, and running them one at a time would take too long.
    isolateAfterCrashes: 100,
    async handle({ data }) {
      await takeOverJob(readId(data, 'deliveryId'));
      return { type: 'complete' };
    },
    // Without its job, the delivery is taken over by `takeOverWithLostJob`.
    deadLetter: () => Promise.resolve(),
  };
  const onError = (error: Error) => log.error('takeover.failed', errorFields(error));
  const startConsuming = async (name: PreviousQueueName) => {
    await resumeQueue(deps, name, onError);
    consumers.set(name, startConsumer(deps, name, { concurrency, handler }));
  };
  /** Consumes these queues, and closes the consumers of all others. */
  const consumeOnly = async (names: PreviousQueueName[]) => {
    for (const name of names) if (!consumers.has(name)) await startConsuming(name);
    for (const [name, consumer] of consumers)
      if (!names.includes(name)) {
        consumers.delete(name);
        await withTimeout(maxCloseMs, consumer.close(), () => consumer.close(true));
      }
  };
  const run = async (stopping: AbortSignal) => {
    const names = await engine.listPreviousQueues();
    await consumeOnly(names);
    const takeOvers = names.length === 0 ? [takeOverWithoutJob, takeOverWithLostJob] : [takeOverWithoutJob];
    for (const takeOverSome of takeOvers) {
      let hasMore = true;
      while (hasMore && !stopping.aborted) hasMore = wakeAndCount(await takeOverSome(db)) > 0;
    }
    if (names.length === 0 && !stopping.aborted) logCompletion();
  };
  const close = () => withTimeout(maxCloseMs, consumeOnly([]), () => undefined);
  return { name: 'takeover', intervalMs: 5_000, run, runAtStart: run, close };
}

/** Resumes a queue if it is paused, because operators cannot: this version's commands do not know its name. */
async function resumeQueue(
  { engine, log }: TakeoverDeps,
  name: PreviousQueueName,
  onError: (error: Error) => void,
): Promise<void> {
  const queue = engine.openQueue(name, onError);
  try {
    if (!(await queue.isPaused())) return;
    await queue.resume();
    log.warn('takeover.resumed', { queue: name });
  } finally {
    await queue.close();
  }
}
