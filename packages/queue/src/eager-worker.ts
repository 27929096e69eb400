import type { IQueueBackend, Job, JobJson, Processor, withBackend, WorkerOptions } from 'bullmq';
import type { WorkerHandle } from './backend.js';
import { createIngressJob } from './ingress-job.js';
import { isIngress } from './names.js';

/** BullMQ's Worker on one of its engines. */
type WorkerClass<Engine extends IQueueBackend, Connection> = ReturnType<
  typeof withBackend<Engine, Connection>
>['Worker'];
type Opened = WorkerHandle & { on(event: 'error', listener: (error: Error) => void): unknown };

// So many jobs are begun before BullMQ is made to look at them.
const mostAhead = 8;

/**
 * A worker that begins a job as soon as it has it. BullMQ itself fetches, one by one, until nothing waits or its whole
 * concurrency is fetched, and only then begins with the first: where a fetch takes longer than it takes for the next job
 * to come, jobs lie about for seconds, and longer than their locks hold. Overrides protected members of BullMQ, whose
 * version is pinned; eager-worker.test.ts holds what is relied on.
 */
export function openEagerWorker<Engine extends IQueueBackend, Connection>(
  Worker: WorkerClass<Engine, Connection>,
  name: string,
  process: Processor,
  options: WorkerOptions<Connection>,
): Opened {
  const begun = new WeakMap<Job, Promise<unknown>>();
  let ahead = 0;
  let isEmpty = false;

  class EagerWorker extends Worker {
    protected override async moveToActive(token: string, workerName?: string) {
      // Never right after nothing was found: then BullMQ waited for a sign of a job, which comes once.
      if (ahead >= mostAhead && !isEmpty) return undefined as never;
      return super.moveToActive(token, workerName);
    }

    protected override createJob(json: JobJson, id: string) {
      const create = (data: JobJson) => super.createJob(data, id);
      return isIngress(name) ? createIngressJob(json, create) : create(json);
    }

    protected override async nextJobFromJobData(data?: JobJson, id?: string, token?: string) {
      const job = await super.nextJobFromJobData(data, id, token);
      isEmpty = job === undefined;
      // What is kept of jobs is the worker's to say, and not that of whoever pushed one.
      delete job?.opts.removeOnComplete;
      delete job?.opts.removeOnFail;
      // One that has failed already is not processed.
      if (job !== undefined && !job.deferredFailure) begin(job);
      return job;
    }
  }

  const begin = (job: Job) => {
    ahead++;
    const run = Promise.resolve().then(() => process(job, job.token));
    // Whoever is told of it comes later.
    run.catch(() => undefined);
    begun.set(job, run);
  };
  return new EagerWorker(
    name,
    (job, token) => {
      const run = begun.get(job);
      if (run === undefined) return process(job, token);
      ahead--;
      return run;
    },
    options,
  );
}
