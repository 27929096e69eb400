import type { IQueueBackend, Job, JobJson, Processor, withBackend, WorkerOptions } from 'bullmq';
import type { WorkerHandle } from '../queue-engine.js';
import type { IngressFetches } from './fetch-tracker.js';
import { createIngressJob } from '../ingress/ingress-job.js';
import { isIngress } from '../queue-names.js';

/** BullMQ's Worker on one of its engines. */
type WorkerClass<Engine extends IQueueBackend, Connection> = ReturnType<
  typeof withBackend<Engine, Connection>
>['Worker'];
type EagerWorkerHandle = WorkerHandle & { on(event: 'error', listener: (error: Error) => void): unknown };

// The maximum number of jobs that run before BullMQ's own loop asks for them.
const maxStartedAhead = 8;

/**
 * Creates a worker that starts each job as soon as it is fetched. BullMQ's own Worker first fetches jobs one by one
 * until none waits or its concurrency is reached, and only then starts them. If jobs arrive faster than it fetches, the
 * fetched ones wait for seconds, longer than their locks last. This class overrides protected members of BullMQ, whose
 * version is pinned; start-on-fetch-worker.test.ts checks the behaviour that it depends on.
 */
export function createStartOnFetchWorker<Engine extends IQueueBackend, Connection>(
  Worker: WorkerClass<Engine, Connection>,
  name: string,
  processJob: Processor,
  { fetches, ...options }: WorkerOptions<Connection> & { fetches?: () => IngressFetches | undefined },
): EagerWorkerHandle {
  const started = new WeakMap<Job, Promise<unknown>>();
  let startedAhead = 0;
  let isEmpty = false;

  class EagerWorker extends Worker {
    protected override async moveToActive(token: string, workerName?: string) {
      // After an empty fetch, BullMQ waits for a marker that announces a new job. A marker comes only once, so a worker
      // that one has woken must fetch.
      const known = fetches?.();
      const isWoken = known?.isWoken() ?? isEmpty;
      if (startedAhead >= maxStartedAhead && !isWoken) return undefined as never;
      // The queue is known to be empty: this has the effect of an empty fetch, after which BullMQ waits for a marker.
      if (known?.isEmpty() && !isWoken) return this.nextJobFromJobData() as never;
      return super.moveToActive(token, workerName);
    }

    protected override createJob(json: JobJson, id: string) {
      const create = (data: JobJson) => super.createJob(data, id);
      return isIngress(name) ? createIngressJob(json, create) : create(json);
    }

    protected override async nextJobFromJobData(data?: JobJson, id?: string, token?: string) {
      const job = await super.nextJobFromJobData(data, id, token);
      isEmpty = job === undefined;
      // The worker decides which finished jobs are kept, not the producer.
      delete job?.opts.removeOnComplete;
      delete job?.opts.removeOnFail;
      // A job with a deferred failure is not processed: BullMQ fails it.
      if (job !== undefined && !job.deferredFailure) start(job);
      return job;
    }
  }

  const start = (job: Job) => {
    startedAhead++;
    const run = Promise.resolve().then(() => processJob(job, job.token));
    // `awaitStarted` returns this promise later, and then handles its error.
    run.catch(() => undefined);
    started.set(job, run);
  };
  const awaitStarted: Processor = (job, token) => {
    const run = started.get(job);
    if (run === undefined) return processJob(job, token);
    startedAhead--;
    return run;
  };
  return new EagerWorker(name, awaitStarted, options);
}
