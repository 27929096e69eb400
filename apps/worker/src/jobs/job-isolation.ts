import type { Job } from '@ringback/queue';
import type { JobResult } from './job-result.js';

export type IsolatedJobHandler = {
  run(): Promise<JobResult>;
  deadLetter(reason: string): Promise<void>;
};

export type JobIsolation = { runAlone(job: Job, handler: IsolatedJobHandler): Promise<JobResult> };

const maxStarts = 2;

/**
 * Runs jobs whose workers have crashed repeatedly, one at a time. This separates the job that crashes its worker from
 * jobs that only ran at the same time. Each start is stored in the job's progress before the job runs; a job that was
 * started twice and never ended is dead-lettered. Other jobs run at the same time.
 */
export function createJobIsolation(): JobIsolation {
  let last: Promise<unknown> = Promise.resolve();
  const run = async (job: Job, handler: IsolatedJobHandler): Promise<JobResult> => {
    const starts = startsOf(job);
    if (starts >= maxStarts) {
      await handler.deadLetter('every worker that processed it crashed');
      return { type: 'complete' };
    }
    await job.updateProgress({ starts: starts + 1 });
    try {
      const result = await handler.run();
      // The job will run again, and its worker did not crash.
      if (result.type !== 'complete') await job.updateProgress({ starts: 0 });
      return result;
    } catch (error) {
      await job.updateProgress({ starts: 0 }).catch(() => undefined);
      throw error;
    }
  };
  return {
    runAlone(job, handler) {
      const current = last.then(() => run(job, handler));
      last = current.catch(() => undefined);
      return current;
    },
  };
}

function startsOf({ progress }: Job): number {
  if (typeof progress !== 'object' || progress === null) return 0;
  const starts: unknown = Reflect.get(progress, 'starts');
  return typeof starts === 'number' ? starts : 0;
}
