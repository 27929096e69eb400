import type { JobsOptions } from 'bullmq';
import type { IngressJob, TestCallJob, VerificationJob } from './names.js';

type Made<Data> = { name: string; data: Data; opts?: JobsOptions };

/** How often an attempt is made stands in the challenge's row and in the policy, so BullMQ gets no limit of its own. */
const repeating: JobsOptions = {
  attempts: 1_000_000,
  backoff: { type: 'custom' },
  stackTraceLimit: 0,
};

const verificationPrefix = 'verify-';

// Ids are ours alone: foreign text as a job id can break a whole queue.
export const verificationOfJob = (jobId: string) => jobId.slice(verificationPrefix.length);

export const verificationJob = (verificationId: string): Made<VerificationJob> => ({
  name: 'verify',
  data: { verificationId },
  opts: { ...repeating, jobId: `${verificationPrefix}${verificationId}` },
});

export const testCallJob = (testCallId: string): Made<TestCallJob> => ({
  name: 'test',
  data: { testCallId },
  opts: { ...repeating, jobId: `test-${testCallId}` },
});

/**
 * An event as a platform pushes it, its payload as text: PostgreSQL keeps a job's data as jsonb, which sorts keys and
 * has no NUL, so that only a text arrives as it was sent.
 */
export function eventJob({ name, data }: { name: string; data: IngressJob }): Made<IngressJob> {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null;
  // Tests and careless callers push anything at all.
  const hasObject = isObject(data) && isObject(data.payload);
  return { name, data: hasObject ? { ...data, payload: JSON.stringify(data.payload) } : data };
}
