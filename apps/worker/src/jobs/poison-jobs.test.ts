import { expect, test } from '@jest/globals';
import type { Job } from 'bullmq';
import type { JobEnd } from './job-end.js';
import { createPoisonJobs } from './poison-jobs.js';

type Progress = Job['progress'];

/** A job whose progress outlives the process, as it does in a queue. */
function makeJob(progress: Progress = 0) {
  const job = { progress, updateProgress: async (value: Progress) => void (job.progress = value) };
  return job as typeof job & Job;
}

const done = async (): Promise<JobEnd> => ({ type: 'done' });
const never = new Promise<never>(() => undefined);
const unexpected = () => Promise.reject(new Error('unexpected'));

/** What an engine does with it in a process that lives. */
async function runOnce(job: Job, run: () => Promise<JobEnd>): Promise<string> {
  let reason = 'it was run';
  const giveUp = async (why: string) => void (reason = why);
  await createPoisonJobs().run(job, { run, giveUp });
  return reason;
}

/** The process dies of the job, or while it has it in hand. */
async function die(job: Job): Promise<void> {
  await new Promise<void>((started) => {
    const run = () => {
      started();
      return never;
    };
    void createPoisonJobs().run(job, { run, giveUp: unexpected });
  });
}

test('one whose process dies of it twice more is given up, with the reason, and not started', async () => {
  const job = makeJob();
  await die(job);
  await die(job);
  expect(await runOnce(job, unexpected)).toBe('its worker died every time it was started');
});

test('one whose process died once more is run, and done', async () => {
  const job = makeJob();
  await die(job);
  expect(await runOnce(job, done)).toBe('it was run');
});

test('one that came to an end is no suspect for what it was before', async () => {
  const job = makeJob();
  await die(job);
  expect(await runOnce(job, async () => ({ type: 'early', waitMs: 1 }))).toBe('it was run');
  await die(job);
  expect(await runOnce(job, done)).toBe('it was run');
});

test('they run one at a time, in their order, and one that fails is in nobody’s way', async () => {
  const poisonJobs = createPoisonJobs();
  const order: string[] = [];
  const runs = ['a', 'b', 'c'].map((name) =>
    poisonJobs.run(makeJob(), {
      giveUp: unexpected,
      async run() {
        order.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`${name} ends`);
        if (name === 'b') throw new Error('our trouble');
        return { type: 'done' };
      },
    }),
  );
  const ends = await Promise.allSettled(runs);
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test.each<[Progress]>([['half'], [true], [{}], [{ starts: 'x' }]])(
  'progress %j is nobody’s start',
  async (progress) => {
    expect(await runOnce(makeJob(progress), done)).toBe('it was run');
  },
);
