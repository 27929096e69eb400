import type { IQueueBackend, Job, JobJson, Processor, withBackend, WorkerOptions } from 'bullmq';
import type { WorkerHandle } from './backend.js';
import { createIngressJob } from './ingress-job.js';
import { isIngress } from './names.js';

/** BullMQ's Worker on one of its engines. */
type WorkerClass<Engine extends IQueueBackend, Connection> = ReturnType<
  typeof withBackend<Engine, Connection>
>['Worker'];
type EagerWorkerHandle = WorkerHandle & { on(event: 'error', listener: (error: Error) => void): unknown };

// Jobs that are started before BullMQ's own loop has to process them.
const maxStartedAhead = 8;

/**
 * Creates a worker that starts each job when it is fetched. BullMQ's Worker fetches jobs one by one until none waits or its
 * concurrency is reached, and starts the first one only then: if jobs arrive faster than it fetches, they wait for seconds,
 * longer than their locks last. It overrides protected members of BullMQ, whose version is pinned; eager-worker.test.ts
 * checks the behaviour that it depends on.
 */
export function createEagerWorker<Engine extends IQueueBackend, Connection>(
  Worker: WorkerClass<Engine, Connection>,
  name: string,
  process: Processor,
  options: WorkerOptions<Connection>,
): EagerWorkerHandle {
  const started = new WeakMap<Job, Promise<unknown>>();
  let startedAhead = 0;
  let isEmpty = false;

  class EagerWorker extends Worker {
    protected override async moveToActive(token: string, workerName?: string) {
      // After an empty fetch, BullMQ has waited for a marker of a new job, which comes only once. So it has to fetch.
      if (startedAhead >= maxStartedAhead && !isEmpty) return undefined as never;
      return super.moveToActive(token, workerName);
    }

    protected override createJob(json: JobJson, id: string) {
      const create = (data: JobJson) => super.createJob(data, id);
      return isIngress(name) ? createIngressJob(json, create) : create(json);
    }

    protected override async nextJobFromJobData(data?: JobJson, id?: string, token?: string) {
      const job = await super.nextJobFromJobData(data, id, token);
      isEmpty = job === undefined;
      // The worker's options decide which finished jobs are kept, not the producer's.
      delete job?.opts.removeOnComplete;
      delete job?.opts.removeOnFail;
      // BullMQ fails a job with a deferred failure without processing it.
      if (job !== undefined && !job.deferredFailure) start(job);
      return job;
    }
  }

  const start = (job: Job) => {
    startedAhead++;
    const run = Promise.resolve().then(() => process(job, job.token));
    // The processor below returns this promise, and handles its error, later.
    run.catch(() => undefined);
    started.set(job, run);
  };
  const awaitStarted: Processor = (job, token) => {
    const run = started.get(job);
    if (run === undefined) return process(job, token);
    startedAhead--;
    return run;
  };
  return new EagerWorker(name, awaitStarted, options);
}
