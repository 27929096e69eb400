export type { Attempt, Delivery, Event, Scope, Subscription, Verification } from './generated/client.js';

export { clockAheadMs } from './connection/database.js';
export { runExclusively } from './connection/lock.js';
export {
  type Actor,
  actingAs,
  type Database,
  isJitOn,
  warmPool,
  openDatabase,
  pingDatabase,
  requireWritable,
} from './connection/database.js';
export {
  createRetryWhileUnavailable,
  type RetryWhileUnavailable,
  StoppingError,
} from './connection/database-errors.js';
export { isTransientDatabaseError, isStatementTimeout, isUnstorableTextError } from './connection/database-errors.js';

export { createBatcher, defaultBatchSize } from './connection/batch.js';
export type { CursorPageRequest, PageCursor } from './sql/pages.js';
export { isUuid } from './sql/ids.js';

export { requireReadableSecrets } from './connection/stored-secrets.js';
export { reencryptSecrets } from './connection/stored-secrets.js';
export { UnreadableSecretError } from './connection/secrets.js';

export {
  type Change,
  type ChangeAction,
  changeActions,
  type ChangedField,
  type ChangeFilter,
  deleteOldChanges,
  listChanges,
  listNewestChanges,
} from './changes.js';

export { type Account, createAccount, findAccount, listAccounts } from './accounts/accounts.js';
export { endPortalSession } from './accounts/portal-sessions.js';
export { deleteExpiredPortalSessions } from './accounts/portal-sessions.js';
export { createPortalBearerFinder, createPortalLinkExchanger, type PortalSession } from './accounts/portal-sessions.js';
export {
  maxPortalSessions,
  type NewPortalSession,
  type CreatedPortalSession,
  createPortalSession,
  TooManyPortalSessionsError,
  UnknownWebhooksError,
} from './accounts/portal-sessions.js';
export { isPortalBearer } from './accounts/portal-sessions.js';
export { createRequestCounter, type RequestCount } from './accounts/request-windows.js';
export {
  type AccessToken,
  countUnrevokedAccessTokens,
  createAccessToken,
  createPlatformToken,
  createAccessTokenFinder,
  createPlatformTokenFinder,
  listAccessTokens,
  listAccessTokensUnrevokedFirst,
  listPlatformTokens,
  type PlatformToken,
  revokeAccessToken,
  revokePlatformToken,
  scopes,
} from './accounts/tokens.js';

export {
  clearFailingSince,
  listUnnotifiedPauses,
  markPauseNotified,
  type AutoPauseRules,
  type UnnotifiedPause,
} from './webhooks/pauses.js';
export {
  findPendingVerifications,
  type PendingVerifications,
  type VerificationPosition,
} from './webhooks/verifications.js';
export { getOrCreateSigningSecret, rotateSigningSecret, type SigningSecret } from './webhooks/signing-secrets.js';
export {
  findSubscription,
  listSubscribedEvents,
  listSubscriptions,
  maxSubscribers,
  type NewSubscription,
  subscribe,
  TooManySubscribersError,
  unsubscribe,
} from './webhooks/subscriptions.js';
export {
  endVerification,
  findVerification,
  loadVerification,
  recordVerification,
  startVerification,
  type VerificationResult,
  type VerificationTask,
} from './webhooks/verifications.js';
export { TooManyWebhooksError } from './webhooks/webhooks.js';
export { listWebhooks, type WebhookFilter } from './webhooks/webhook-list.js';
export type { NewWebhook, Webhook } from './webhooks/webhook-fields.js';
export {
  CallbackTokenError,
  createWebhook,
  softDeleteWebhook,
  updateWebhook,
  findWebhook,
  findAccountOfWebhook,
  resumeWebhook,
  restoreWebhook,
  StaleWebhookError,
  type VersionCondition,
  type WebhookUpdate,
} from './webhooks/webhooks.js';

export { findEvent, storeEvents, storeRetriedEvent } from './events/store-events.js';
export type { LeaseRequest } from './events/store-events.js';
export type { IngestState, StoreResult } from './events/store-events.js';
export { type EventFilter, listNewestEvents } from './events/events.js';
export { listRejectedEvents, rejectEvent } from './events/events.js';

export { claimDue, type ClaimRequest } from './deliveries/claims.js';
export type { WebhookChannel } from './deliveries/due.js';
export type { AttemptRecord } from './deliveries/attempts.js';
export { endDelivery, failLeasedDelivery } from './deliveries/leases.js';
export { listNewestDeliveries } from './deliveries/deliveries.js';
export { loadPayload, loadTasks } from './deliveries/delivery-tasks.js';
export type { TaskWithPayload, DeliveryTask } from './deliveries/delivery-tasks.js';
export type { DeliveryFilter } from './deliveries/delivery-search.js';
export {
  type BriefAttempt,
  type DeliveryDetail,
  findDelivery,
  findAccountOfDelivery,
  findMessageTimeline,
  listDeliveries,
  type LoggedDelivery,
  type MessageEvent,
  type MessageTimeline,
} from './deliveries/deliveries.js';
export { type DuePosition, listDueWebhooks, scanDue } from './deliveries/due.js';
export { countWaiting, type WaitingCount } from './deliveries/deliveries.js';
export { type Lag, measureLag } from './deliveries/due.js';
export { recordAttempts } from './deliveries/attempts.js';
export { type LeaseRelease, releaseLeases, renewLeases, rescueExpiredLeases } from './deliveries/leases.js';
export { createWaker, listenForWakeUps, type Waker } from './deliveries/wake-ups.js';

export {
  endTestCall,
  findTestCallResult,
  recordTestCall,
  insertTestCall,
  claimTestCall,
  type TestCallAttempt,
  type TestCallResult,
} from './deliveries/test-calls.js';

export { listRunningReplays, stepReplay } from './deliveries/replays.js';
export {
  cancelReplay,
  countDeliveries,
  countRunningReplays,
  findReplay,
  findAccountOfReplay,
  listReplays,
  type Replay,
  startReplay,
} from './deliveries/replays.js';
export { resendDelivery } from './deliveries/resend.js';
export { resendOrMakeDue } from './deliveries/resend.js';

export {
  type CodeCounts,
  countsByError,
  countsByDuration,
  decodeDurationMs,
  countsByResult,
  countsByStatus,
  sumCounts,
} from './statistics/codes.js';
export {
  deleteOldStatistics,
  foldStatistics,
  type RebuiltStatistics,
  rebuildStatistics,
} from './statistics/count-statistics.js';
export {
  type BucketRange,
  nextCoarserResolution,
  countBuckets,
  minuteRetentionDays,
  type Resolution,
  resolutions,
  listBucketStarts,
  widenToBuckets,
} from './statistics/ranges.js';
export {
  readStatistics,
  readWebhookStatistics,
  type StatisticBucket,
  type StatisticFilter,
  type WebhookStatistics,
} from './statistics/read-statistics.js';

export {
  checkLedger,
  countLedger,
  type Finding,
  findUnknownVerifications,
  type LedgerCounts,
  listIdlePendingVerifications,
} from './audit.js';

export { migrate } from './maintenance/migrate.js';
export { findMigrationGap, requireMigrations } from './maintenance/migration-gap.js';
export { dropPartitions, createPartitions } from './maintenance/partitions.js';

// Stores events from every source. `createRawEventIngester` validates what platforms push to a queue or a broker, and
// stores invalid data as rejected events. `ingestEvents` takes only valid events, from callers that validate them with
// `parseEvent` (such as the API, which refuses invalid ones with a 422) or build them. Both functions store an event as
// rejected if its account or webhook is unknown.
export {
  type DirectLeasing,
  ingestEvents,
  type IngestDeps,
  type IngestResult,
  logIngested,
} from './events/ingest-events.js';
export { createRawEventIngester, type RawEvent, type RawEventDeps, rejectRawEvent } from './events/raw-events.js';
export { retryRejectedEvent } from './events/raw-events.js';
