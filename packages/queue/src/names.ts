import type { Channel } from '@ringback/callbacks';

/** Where platforms push events. These names are a contract and never change. */
export const ingressQueues = { sms: 'sms-events', rcs: 'rcs-events' } as const;

export const isIngress = (queue: string) => Object.values<string>(ingressQueues).includes(queue);

/** Where verification challenges wait. */
export const verificationQueue = 'verifications';

/** Where test calls wait: somebody waits for them, so challenges of hanging receivers must not stand before them. */
export const testCallQueue = 'test-calls';

export const queueNames = [ingressQueues.sms, ingressQueues.rcs, verificationQueue, testCallQueue] as const;

export type QueueName = (typeof queueNames)[number];

export type VerificationJob = { verificationId: string };
export type TestCallJob = { testCallId: string };

/** The data of a job in an ingress queue, as a platform pushes it. Nothing about it is certain. */
export type IngressJob = {
  account_id?: string;
  webhook_id?: string;
  identity?: string;
  event_id?: string;
  payload: unknown;
};

export type { Channel };
