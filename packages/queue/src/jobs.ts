import type { JobsOptions } from 'bullmq';
import type { IngressJob, TestCallJob, VerificationJob } from './names.js';

type NewJob<Data> = { name: string; data: Data; opts?: JobsOptions };

/** The challenge's row and the policy limit its attempts, so BullMQ gets no limit. */
const repeating: JobsOptions = {
  attempts: 1_000_000,
  backoff: { type: 'custom' },
  stackTraceLimit: 0,
};

const verificationPrefix = 'verify-';

// A job id never contains text from outside, which could break a whole queue.
export const verificationOfJob = (jobId: string) => jobId.slice(verificationPrefix.length);

export const verificationJob = (verificationId: string): NewJob<VerificationJob> => ({
  name: 'verify',
  data: { verificationId },
  opts: { ...repeating, jobId: `${verificationPrefix}${verificationId}` },
});

export const testCallJob = (testCallId: string): NewJob<TestCallJob> => ({
  name: 'test',
  data: { testCallId },
  opts: { ...repeating, jobId: `test-${testCallId}` },
});

/**
 * The job of an event as a platform pushes it, with its payload as text. On PostgreSQL, BullMQ stores data as jsonb, which
 * reorders keys and refuses NUL, so only text arrives unchanged.
 */
export function eventJob({ name, data }: { name: string; data: IngressJob }): NewJob<IngressJob> {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null;
  // Callers may push values that the type does not allow.
  const hasObject = isObject(data) && isObject(data.payload);
  return { name, data: hasObject ? { ...data, payload: JSON.stringify(data.payload) } : data };
}
