import type { Job } from '@ringback/queue';
import type { JobResult } from './job-result.js';

export type IsolatedJobHandler = {
  run(): Promise<JobResult>;
  deadLetter(reason: string): Promise<void>;
};

export type JobIsolation = { runAlone(job: Job, handler: IsolatedJobHandler): Promise<JobResult> };

const maxUnendedStarts = 2;

/**
 * Runs jobs whose workers have crashed repeatedly, one at a time in this process. This separates the job that crashes
 * its worker from jobs that only ran at the same time. Each start is stored in the job's progress before the job runs.
 * A job whose last two starts did not end is dead-lettered. Jobs that are not isolated run at the same time.
 */
export function createJobIsolation(): JobIsolation {
  let previous: Promise<unknown> = Promise.resolve();
  const run = async (job: Job, handler: IsolatedJobHandler): Promise<JobResult> => {
    const starts = unendedStartsOf(job);
    if (starts >= maxUnendedStarts) {
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
      const current = previous.then(() => run(job, handler));
      previous = current.catch(() => undefined);
      return current;
    },
  };
}

/** How often the job was started in isolation without ending. */
function unendedStartsOf({ progress }: Job): number {
  if (typeof progress !== 'object' || progress === null) return 0;
  const starts: unknown = Reflect.get(progress, 'starts');
  return typeof starts === 'number' ? starts : 0;
}
