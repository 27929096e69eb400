import type { Job } from 'bullmq';
import type { JobEnd } from './job-end.js';

export type PoisonJobActs = {
  run(): Promise<JobEnd>;
  giveUp(reason: string): Promise<void>;
};

export type PoisonJobs = { run(job: Job, acts: PoisonJobActs): Promise<JobEnd> };

const mostStarts = 2;

/**
 * Runs jobs whose workers died again and again: one at a time, so that the one that kills is told from those that only
 * were there, and with each start written down before it happens. One that was started alone twice and never ended is
 * given up.
 */
export function createPoisonJobs(): PoisonJobs {
  let last: Promise<unknown> = Promise.resolve();
  const run = async (job: Job, acts: PoisonJobActs): Promise<JobEnd> => {
    const starts = startsOf(job);
    if (starts >= mostStarts) {
      await acts.giveUp('its worker died every time it was started');
      return { type: 'done' };
    }
    await job.updateProgress({ starts: starts + 1 });
    const end = await acts.run();
    if (end.type !== 'done') await job.updateProgress({ starts: 0 });
    return end;
  };
  return {
    run(job, acts) {
      const mine = last.then(() => run(job, acts));
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}

function startsOf({ progress }: Job): number {
  if (typeof progress !== 'object' || progress === null) return 0;
  const starts: unknown = Reflect.get(progress, 'starts');
  return typeof starts === 'number' ? starts : 0;
}
