export { DelayedError, type Job } from 'bullmq';
export type { Backend, QueueHandle, WorkerHandle, WorkerSettings } from './backend.js';
export type { CountRequest, RequestCount } from './redis-request-counter.js';
export { maxDataBytes } from './ingress-script.js';
export {
  type IngressJob,
  ingressQueues,
  isIngress,
  type QueueName,
  queueNames,
  type VerificationJob,
  testCallQueue,
  verificationQueue,
} from './names.js';
export { openBackend, openQueues, type Queues, type QueueSettings } from './queues.js';
export type { PreviousQueueName } from './previous-queues.js';
export { isQueueUnavailable } from './unavailable.js';
export { isUnsafeEvictionPolicy } from './unsafe-eviction-policy.js';
export { UnreadableData } from './unreadable-data.js';
export type { IngressState } from './ingress-state.js';
