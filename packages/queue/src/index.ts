export { Consumer, type ConsumerOptions, type JobHandler, type JobResult } from './consumer.js';
export {
  type CountRequest,
  isQueueUnavailable,
  type QueueEngine,
  type QueueHandle,
  type RequestCount,
} from './engine.js';
export { FairOrder, type FairOrderDeps, type FairOrderLimits } from './fair-order.js';
export { maxDataBytes, UnreadableData } from './job-connection.js';
export type { JobCounts, QueueHealth } from './health.js';
export {
  type EventJobData,
  eventQueues,
  isEventQueue,
  type QueueName,
  queueNames,
  readId,
  testCallQueue,
  type VerificationJobData,
  verificationQueue,
} from './jobs.js';
export { type QueueMetricsDeps, registerQueueMetrics } from './metrics.js';
export { openQueueEngine, openQueues, Queues, type QueueSettings } from './producer.js';
export { isUnsafeEvictionPolicy } from './redis/redis-engine.js';
