import type { JobsOptions } from 'bullmq';

/** The queues into which platforms push events. These names are a contract and never change. */
export const eventQueues = { sms: 'sms-events', rcs: 'rcs-events' } as const;

export const isEventQueue = (queue: string) => Object.values<string>(eventQueues).includes(queue);

export const verificationQueue = 'verifications';

/**
 * The queue of test calls. It is not that of verifications, because an API request waits for each test call, and slow
 * verifications must not delay the request.
 */
export const testCallQueue = 'test-calls';

export const queueNames = [eventQueues.sms, eventQueues.rcs, verificationQueue, testCallQueue] as const;

export type QueueName = (typeof queueNames)[number];

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

const verificationPrefix = 'verify-';

export const verificationIdOf = (jobId: string) => jobId.slice(verificationPrefix.length);

// These job ids contain only UUIDs that Ringback chose: an id that equals one of BullMQ's own keys would break the
// queue.
export const createVerificationJob = (verificationId: string): NewJob<VerificationJobData> => ({
  name: 'verify',
  data: { verificationId },
  opts: { jobId: `${verificationPrefix}${verificationId}`, stackTraceLimit: 0 },
});

export const createTestCallJob = (testCallId: string): NewJob<TestCallJobData> => ({
  name: 'test',
  data: { testCallId },
  opts: { jobId: `test-${testCallId}`, stackTraceLimit: 0 },
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

/**
 * Reads an id from a job's data. Returns an empty string, which matches no row, when the field is missing or not a
 * string.
 */
export function readId(data: unknown, field: string): string {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, field)) return '';
  const id: unknown = Reflect.get(data, field);
  return typeof id === 'string' ? id : '';
}
