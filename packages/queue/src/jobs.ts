import type { JobsOptions } from 'bullmq';
import type { IngressJobData, TestCallJobData, VerificationJobData } from './queue-names.js';

type NewJob<Data> = { name: string; data: Data; opts?: JobsOptions };

/**
 * The options with which workers run every job; producers of events send none. Ringback decides about retries, not BullMQ,
 * whose own limit of attempts is never reached.
 */
export const jobOptions: JobsOptions = { attempts: 1_000_000, backoff: { type: 'custom' }, stackTraceLimit: 0 };

const verificationPrefix = 'verify-';

// Job ids never contain text from outside: an id that is one of BullMQ's own keys would break the queue.
export const verificationIdOf = (jobId: string) => jobId.slice(verificationPrefix.length);

export const createVerificationJob = (verificationId: string): NewJob<VerificationJobData> => ({
  name: 'verify',
  data: { verificationId },
  opts: { ...jobOptions, jobId: `${verificationPrefix}${verificationId}` },
});

export const createTestCallJob = (testCallId: string): NewJob<TestCallJobData> => ({
  name: 'test',
  data: { testCallId },
  opts: { ...jobOptions, jobId: `test-${testCallId}` },
});

/**
 * The job of an event, as a platform pushes it, with the payload as JSON text. On PostgreSQL, BullMQ stores a job's data as
 * jsonb, which reorders keys and rejects NUL, so only text arrives unchanged.
 */
export function createEventJob({ name, data }: { name: string; data: IngressJobData }): NewJob<IngressJobData> {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null;
  // Callers may push values that the type does not allow.
  const hasObject = isObject(data) && isObject(data.payload);
  return { name, data: hasObject ? { ...data, payload: JSON.stringify(data.payload) } : data };
}
