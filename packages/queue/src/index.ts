export { DelayedError, type Job } from 'bullmq';
export type { QueueEngine, QueueHandle, WorkerHandle, WorkerSettings } from './queue-engine.js';
export type { CountRequest, RequestCount } from './redis/redis-request-counter.js';
export { maxDataBytes } from './bullmq-patches/fetch-scripts.js';
export {
  eventQueues,
  isEventQueue,
  type QueueName,
  queueNames,
  testCallQueue,
  verificationQueue,
} from './queue-names.js';
export type { EventJobData, VerificationJobData } from './jobs.js';
export { openQueueEngine, type QueueSettings } from './open-queue-engine.js';
export { createQueues, openQueues, type Queues } from './queues.js';
export type { PreviousQueueName } from './previous-queues.js';
export { isQueueUnavailable } from './is-queue-unavailable.js';
export { isUnsafeEvictionPolicy } from './redis/unsafe-eviction-policy.js';
export { UnreadableData } from './event-queue/unreadable-data.js';
export type { EventQueueState } from './event-queue/event-queue-state.js';
export { type QueueMetricsDeps, registerQueueMetrics } from './metrics.js';
