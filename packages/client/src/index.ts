export { createClient, type RingbackClient } from './client.js';
export {
  ApiError,
  type ApiErrorType,
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RingbackError,
  TimeoutError,
  UnavailableError,
  ValidationError,
} from './errors.js';
export type { ProducedEvent, Producer, RcsInbound, RcsStatus, SmsReport } from './event.js';
export type { components, operations, paths } from './generated/openapi.js';
export { createHttpProducer, type HttpProducer, type HttpProducerSettings } from './http-producer.js';
export type { List, Page } from './list.js';
export { verifyCallback } from './middleware.js';
export { createQueueProducer, type QueueProducerSettings } from './queue-producer.js';
export type { PushedEvent } from './resources/events.js';
export type { OutcomePage } from './resources/platform.js';
export type { ChangeOptions } from './resources/webhooks.js';
export type { CallbackHeaders, ReceivedCallback, Verified, VerifyOptions } from './signature-checks.js';
export type { ClientSettings, LastResponse, Query, RequestOptions } from './transport.js';
export type {
  AccessToken,
  Account,
  AccountChanges,
  AccountStatistics,
  Change,
  CreatedAccessToken,
  CreatedAccount,
  CreatedPortalSession,
  Delivery,
  DeliveryDetail,
  EventKind,
  Message,
  NewAccessToken,
  NewAccount,
  NewPortalSession,
  NewPreview,
  NewSubscription,
  NewTestCall,
  NewWebhook,
  Outcome,
  Preview,
  Replay,
  RetrievedWebhook,
  Returned,
  SavedAccount,
  SavedSubscription,
  SigningSecret,
  Subscription,
  TestCall,
  Verification,
  Webhook,
  WebhookChanges,
  WebhookStatistics,
} from './types.js';
export { verify } from './verify.js';
