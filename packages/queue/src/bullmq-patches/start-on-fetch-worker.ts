import type { IQueueBackend, Job, JobJson, Processor, withBackend, WorkerOptions } from 'bullmq';
import { readEventJob } from '../event-queue/event-job.js';
import type { WorkerHandle } from '../queue-engine.js';
import { isEventQueue } from '../queue-names.js';
import { createFetchTracker, type FetchTracker } from './fetch-tracker.js';

/** BullMQ's Worker on one of its backends. */
type WorkerClass<Backend extends IQueueBackend, Connection> = ReturnType<
  typeof withBackend<Backend, Connection>
>['Worker'];
type StartOnFetchWorkerHandle = WorkerHandle & { on(event: 'error', listener: (error: Error) => void): unknown };

// While this many started jobs wait for BullMQ's own loop to ask for them, the worker fetches another only if it must.
const maxStartedAhead = 8;

/**
 * Creates a worker that starts each job as soon as it is fetched. BullMQ's own Worker first fetches jobs one by one
 * until none waits or its concurrency is reached, and only then starts them. If jobs arrive faster than it fetches, the
 * fetched ones wait for seconds, longer than their locks last. The worker overrides protected members of BullMQ, whose
 * version is pinned; start-on-fetch-worker.test.ts checks the behaviour of BullMQ that this depends on.
 */
export function createStartOnFetchWorker<Backend extends IQueueBackend, Connection>(
  Worker: WorkerClass<Backend, Connection>,
  name: string,
  processJob: Processor,
  { tracker = createFetchTracker(), ...options }: WorkerOptions<Connection> & { tracker?: FetchTracker },
): StartOnFetchWorkerHandle {
  const runs = new WeakMap<Job, Promise<unknown>>();
  let startedAheadCount = 0;

  class StartOnFetchWorker extends Worker {
    protected override async moveToActive(token: string, workerName?: string) {
      const mustFetch = tracker.mustFetch();
      // Without a job, BullMQ's loop asks for one that was started.
      if (startedAheadCount >= maxStartedAhead && !mustFetch) return undefined as never;
      // This has the effect of an empty fetch, after which BullMQ waits for a marker.
      if (tracker.isEmpty() && !mustFetch) return this.nextJobFromJobData() as never;
      return super.moveToActive(token, workerName);
    }

    protected override createJob(json: JobJson, id: string) {
      const create = (data: JobJson) => super.createJob(data, id);
      return isEventQueue(name) ? readEventJob(json, create) : create(json);
    }

    protected override async nextJobFromJobData(data?: JobJson, id?: string, token?: string) {
      const job = await super.nextJobFromJobData(data, id, token);
      tracker.noteFetch(job !== undefined);
      // The worker decides which finished jobs are kept, not the producer.
      delete job?.opts.removeOnComplete;
      delete job?.opts.removeOnFail;
      // A job with a deferred failure is not processed: BullMQ fails it.
      if (job !== undefined && !job.deferredFailure) start(job);
      return job;
    }
  }

  const start = (job: Job) => {
    startedAheadCount++;
    const run = Promise.resolve().then(() => processJob(job, job.token));
    // `awaitStarted` returns this promise later, and BullMQ then handles its error.
    run.catch(() => undefined);
    runs.set(job, run);
  };
  const awaitStarted: Processor = (job, token) => {
    const run = runs.get(job);
    if (run === undefined) return processJob(job, token);
    startedAheadCount--;
    return run;
  };
  return new StartOnFetchWorker(name, awaitStarted, options);
}
