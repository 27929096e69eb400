import type { Channel } from '@ringback/callbacks';

/** The queues into which platforms push events. These names are a contract and never change. */
export const ingressQueues = { sms: 'sms-events', rcs: 'rcs-events' } as const;

export const isIngress = (queue: string) => Object.values<string>(ingressQueues).includes(queue);

/** The queue of verification challenges. */
export const verificationQueue = 'verifications';

/**
 * The queue of test calls. It is separate because an API request waits for each test call, and slow challenges must not
 * delay it.
 */
export const testCallQueue = 'test-calls';

export const queueNames = [ingressQueues.sms, ingressQueues.rcs, verificationQueue, testCallQueue] as const;

export type QueueName = (typeof queueNames)[number];

export type VerificationJobData = { verificationId: string };
export type TestCallJobData = { testCallId: string };

/** The data of a job in an ingress queue, as a platform pushes it. Any field may be missing or invalid. */
export type IngressJobData = {
  account_id?: string;
  webhook_id?: string;
  identity?: string;
  event_id?: string;
  payload: unknown;
};

export type { Channel };
