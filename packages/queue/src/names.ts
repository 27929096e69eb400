import type { Channel } from '@ringback/callbacks';

/** Where platforms push events. These names are a contract and never change. */
export const ingressQueues = { sms: 'sms-events', rcs: 'rcs-events' } as const;

export const isIngress = (queue: string) => Object.values<string>(ingressQueues).includes(queue);

/** Where deliveries wait for their next attempt; a flood in one channel does not delay the other. */
export const deliveryQueues = { sms: 'sms-deliveries', rcs: 'rcs-deliveries' } as const;

/** Where verification challenges wait. */
export const verificationQueue = 'verifications';

/** Where test calls wait: somebody waits for them, so challenges of hanging receivers must not stand before them. */
export const testCallQueue = 'test-calls';

export const queueNames = [
  ingressQueues.sms,
  ingressQueues.rcs,
  deliveryQueues.sms,
  deliveryQueues.rcs,
  verificationQueue,
  testCallQueue,
] as const;

export type QueueName = (typeof queueNames)[number];

/** A queue under its name in the engine: a delivery queue may be split, and its further shards end in a number. */
export type ShardName = QueueName | `${(typeof deliveryQueues)[Channel]}-${number}`;

/** The job of one delivery; everything else stands in its row. */
export type DeliveryJob = { deliveryId: string };
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
