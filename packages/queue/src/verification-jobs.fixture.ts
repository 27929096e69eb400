import { randomUUID } from 'node:crypto';
import { createVerificationJob, type VerificationJobData, verificationQueue } from './jobs.js';
import type { Queues } from './producer.js';

/** The part of a verification job that tests use. */
export type VerificationJob = { data: VerificationJobData };

export const createIds = (count: number): string[] => Array.from({ length: count }, () => randomUUID());

/** Enqueues verifications in one call, due in `delay` milliseconds. */
export async function enqueueVerifications(queues: Queues, ids: string[], delay = 0): Promise<void> {
  const jobs = ids.map(createVerificationJob).map((job) => ({ ...job, opts: { ...job.opts, delay } }));
  await queues.open(verificationQueue).addBulk(jobs);
}
