export { DelayedError, type Job } from 'bullmq';
export type { QueueEngine, QueueHandle, WorkerHandle, WorkerSettings } from './queue-engine.js';
export type { CountRequest, RequestCount } from './redis/redis-request-counter.js';
export { maxDataBytes } from './bullmq-patches/fetch-scripts.js';
export {
  ingressQueues,
  isIngressQueue,
  type QueueName,
  queueNames,
  testCallQueue,
  verificationQueue,
} from './queue-names.js';
export type { IngressJobData, VerificationJobData } from './jobs.js';
export { openQueueEngine, type QueueSettings } from './open-queue-engine.js';
export { createQueues, openQueues, type Queues } from './queues.js';
export type { PreviousQueueName } from './previous-queues.js';
export { isQueueUnavailable } from './is-queue-unavailable.js';
export { isUnsafeEvictionPolicy } from './redis/unsafe-eviction-policy.js';
export { UnreadableData } from './ingress/unreadable-data.js';
export type { IngressState } from './ingress/ingress-state.js';
