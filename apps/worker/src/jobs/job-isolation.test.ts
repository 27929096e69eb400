import { expect, test } from '@jest/globals';
import type { Job } from '@ringback/queue';
import type { JobResult } from './job-result.js';
import { createJobIsolation } from './job-isolation.js';

type Progress = Job['progress'];

/** A job whose progress survives the process, as it does in a queue. */
function makeJob(progress: Progress = 0) {
  const job = { progress, updateProgress: async (value: Progress) => void (job.progress = value) };
  return job as typeof job & Job;
}

const complete = async (): Promise<JobResult> => ({ type: 'complete' });
const never = new Promise<never>(() => undefined);
const unexpected = () => Promise.reject(new Error('unexpected'));

/** Runs the job in a process that does not crash. Resolves with what happened. */
async function runOnce(job: Job, run: () => Promise<JobResult>): Promise<string> {
  let reason = 'it was run';
  const deadLetter = async (why: string) => void (reason = why);
  await createJobIsolation().runAlone(job, { run, deadLetter });
  return reason;
}

/** Starts the job in a process that crashes before the job ends. */
async function crash(job: Job): Promise<void> {
  await new Promise<void>((started) => {
    const run = () => {
      started();
      return never;
    };
    void createJobIsolation().runAlone(job, { run, deadLetter: unexpected });
  });
}

test('a job that crashed its process twice when it ran alone is dead-lettered with the reason', async () => {
  const job = makeJob();
  await crash(job);
  await crash(job);
  expect(await runOnce(job, unexpected)).toBe('every worker that processed it crashed');
});

test('a job that crashed its process once when it ran alone is run again', async () => {
  const job = makeJob();
  await crash(job);
  expect(await runOnce(job, complete)).toBe('it was run');
});

test('after a job has ended by a deferral, its crashes are counted from 0 again', async () => {
  const job = makeJob();
  await crash(job);
  expect(await runOnce(job, async () => ({ type: 'defer', waitMs: 1 }))).toBe('it was run');
  await crash(job);
  expect(await runOnce(job, complete)).toBe('it was run');
});

test('runs that throw do not count as crashes', async () => {
  const job = makeJob();
  for (let times = 0; times < 2; times++)
    await expect(runOnce(job, () => Promise.reject(new Error('internal error')))).rejects.toThrow('internal error');
  expect(await runOnce(job, complete)).toBe('it was run');
});

test('jobs run one at a time in their order, and one that throws does not stop the next', async () => {
  const jobIsolation = createJobIsolation();
  const order: string[] = [];
  const runs = ['a', 'b', 'c'].map((name) =>
    jobIsolation.runAlone(makeJob(), {
      deadLetter: unexpected,
      async run() {
        order.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`${name} ends`);
        if (name === 'b') throw new Error('internal error');
        return { type: 'complete' };
      },
    }),
  );
  const ends = await Promise.allSettled(runs);
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test.each<[Progress]>([['half'], [true], [{}], [{ starts: 'x' }]])(
  'progress %j counts as no start',
  async (progress) => {
    expect(await runOnce(makeJob(progress), complete)).toBe('it was run');
  },
);
