export type { ProducedEvent, Producer, RcsInbound, RcsStatus, SmsReport } from './event.js';
export { type HttpProducer, type HttpProducerSettings, type PushedEvent, createHttpProducer } from './http-producer.js';
export { verifyCallback } from './middleware.js';
export { ApiError, type ClientSettings, createClient, type RingbackClient, unwrap } from './create-client.js';
export type { components, operations, paths } from './generated/openapi.js';
export { createQueueProducer, type QueueProducerSettings } from './queue-producer.js';
export type { CallbackHeaders, ReceivedCallback, Verified, VerifyOptions } from './signature-checks.js';
export { verify } from './verify.js';
