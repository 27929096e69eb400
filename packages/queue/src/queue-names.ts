/** The queues into which platforms push events. These names are a contract and never change. */
export const eventQueues = { sms: 'sms-events', rcs: 'rcs-events' } as const;

export const isEventQueue = (queue: string) => Object.values<string>(eventQueues).includes(queue);

/** The queue of verifications. */
export const verificationQueue = 'verifications';

/**
 * The queue of test calls. It is not that of verifications, because an API request waits for each test call, and slow
 * verifications must not delay the request.
 */
export const testCallQueue = 'test-calls';

export const queueNames = [eventQueues.sms, eventQueues.rcs, verificationQueue, testCallQueue] as const;

export type QueueName = (typeof queueNames)[number];
