import type { JobsOptions } from 'bullmq';
import type { Channel, DeliveryJob, IngressJob, TestCallJob, VerificationJob } from './names.js';

/** `attempts`: how many were made; 0 when absent. */
export type QueuedDelivery = { id: string; channel: Channel; dueInMs: number; attempts?: number };

type Made<Data> = { name: string; data: Data; opts?: JobsOptions };

/**
 * How often an attempt is made and when stands in the delivery's row and in the policy; BullMQ only has to wait and
 * to repeat, so it is given no limit of its own. What all jobs have in common is the worker's to say: each of these
 * bytes is kept for every retry that waits.
 */
const repeating: JobsOptions = {
  attempts: 1_000_000,
  backoff: { type: 'custom' },
  stackTraceLimit: 0,
};

const deliveryPrefix = 'deliver-';
const verificationPrefix = 'verify-';

/** BullMQ takes jobs with a priority after all those without one. */
export const retryPriority = 1;

// Ids are ours alone: foreign text as a job id can break a whole queue.
export const deliveryJobId = (deliveryId: string) => `${deliveryPrefix}${deliveryId}`;
export const deliveryOfJob = (jobId: string) => jobId.slice(deliveryPrefix.length);
export const verificationOfJob = (jobId: string) => jobId.slice(verificationPrefix.length);

export function deliveryJob({ id, dueInMs, attempts = 0 }: QueuedDelivery): Made<DeliveryJob> {
  const priority = attempts > 0 ? { priority: retryPriority } : {};
  const opts = { ...repeating, jobId: deliveryJobId(id), delay: dueInMs, ...priority };
  return { name: 'deliver', data: { deliveryId: id }, opts };
}

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
