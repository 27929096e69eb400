export { DelayedError, type Job } from 'bullmq';
export type { QueueEngine, QueueHandle, WorkerHandle, WorkerSettings } from './queue-engine.js';
export type { CountRequest, RequestCount } from './redis-request-counter.js';
export { maxDataBytes } from './ingress-script.js';
export {
  type IngressJobData,
  ingressQueues,
  isIngress,
  type QueueName,
  queueNames,
  type VerificationJobData,
  testCallQueue,
  verificationQueue,
} from './queue-names.js';
export { openQueueEngine, openQueues, type Queues, type QueueSettings } from './queues.js';
export type { PreviousQueueName } from './previous-queues.js';
export { isQueueUnavailable } from './is-queue-unavailable.js';
export { isUnsafeEvictionPolicy } from './unsafe-eviction-policy.js';
export { UnreadableData } from './unreadable-data.js';
export type { IngressState } from './ingress-state.js';
