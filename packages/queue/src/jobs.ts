import type { JobsOptions } from 'bullmq';

export type VerificationJobData = { verificationId: string };
export type TestCallJobData = { testCallId: string };

/** The data of a job in an event queue, as a platform pushes it. Any field may be missing or invalid. */
export type EventJobData = {
  account_id?: string;
  webhook_id?: string;
  identity?: string;
  event_id?: string;
  payload: unknown;
};

type NewJob<Data> = { name: string; data: Data; opts?: JobsOptions };

/**
 * The options of every job. Verifications and test calls are pushed with them. Workers give them to events, in exchange
 * for the options of the producer. Ringback decides about retries, so BullMQ's own limit of attempts is too high to be
 * reached.
 */
export const jobOptions: JobsOptions = { attempts: 1_000_000, backoff: { type: 'custom' }, stackTraceLimit: 0 };

const verificationPrefix = 'verify-';

export const verificationIdOf = (jobId: string) => jobId.slice(verificationPrefix.length);

// These job ids contain only UUIDs that Ringback chose: an id that equals one of BullMQ's own keys would break the
// queue.
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
 * Creates the job of an event, as a platform pushes it, but a payload that is an object becomes JSON text. On
 * PostgreSQL, BullMQ stores a job's data as jsonb, which reorders the keys of an object and rejects NUL. Text arrives
 * unchanged.
 */
export function createEventJob({ name, data }: { name: string; data: EventJobData }): NewJob<EventJobData> {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null;
  // Callers may push values that the type does not allow.
  const hasObject = isObject(data) && isObject(data.payload);
  return { name, data: hasObject ? { ...data, payload: JSON.stringify(data.payload) } : data };
}
