export type { ProducedEvent, Producer, RcsInbound, RcsStatus, SmsReport } from './event.js';
export { type HttpProducerSettings, openHttpProducer } from './http-producer.js';
export { verifyCallback } from './middleware.js';
export { ApiError, type ClientSettings, openClient, type RingbackClient, unwrap } from './open-client.js';
export type { components, operations, paths } from './openapi.js';
export { openQueueProducer, type QueueProducerSettings } from './queue-producer.js';
export { type CallbackHeaders, type ReceivedCallback, verify, type Verified, type VerifyOptions } from './verify.js';
