export type { Attempt, Delivery, Event, Scope, Subscription, Verification } from './generated/client.js';

export { clockAheadMs } from './connection/clock.js';
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
} from './connection/open.js';
export {
  createRetryWhileUnavailable,
  type RetryWhileUnavailable,
  StoppingError,
} from './connection/retry-while-unavailable.js';
export { isTransientDatabaseError, isStatementTimeout, isUnstorableTextError } from './connection/database-errors.js';

export { createBatcher, defaultBatchSize } from './sql/batch.js';
export type { CursorPageRequest, PageCursor } from './sql/pages.js';
export { isUuid } from './sql/uuid.js';

export { requireReadableSecrets } from './secrets/require-readable-secrets.js';
export { reencryptSecrets } from './secrets/reencrypt-secrets.js';
export { UnreadableSecretError } from './secrets/secrets.js';

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
export { endPortalSession } from './accounts/end-portal-session.js';
export { deleteExpiredPortalSessions } from './accounts/expired-portal-sessions.js';
export {
  createPortalBearerFinder,
  createPortalLinkExchanger,
  type PortalSession,
} from './accounts/find-portal-session.js';
export {
  maxPortalSessions,
  type NewPortalSession,
  type CreatedPortalSession,
  createPortalSession,
  TooManyPortalSessionsError,
  UnknownWebhooksError,
} from './accounts/create-portal-session.js';
export { isPortalBearer } from './accounts/portal-session-state.js';
export { createRequestCounter, type RequestCount } from './accounts/request-counter.js';
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
} from './webhooks/pausing.js';
export {
  findPendingVerifications,
  type PendingVerifications,
  type VerificationPosition,
} from './webhooks/pending-verifications.js';
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
export { TooManyWebhooksError } from './webhooks/max-webhooks.js';
export { listWebhooks, type WebhookFilter } from './webhooks/webhook-list.js';
export type { NewWebhook, Webhook } from './webhooks/webhook-row.js';
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

export { findEvent, storeEvents, storeRetriedEvent } from './events/events.js';
export type { LeaseRequest } from './events/store-candidates.js';
export type { IngestState, StoreResult } from './events/store-result.js';
export { type EventFilter, listNewestEvents } from './events/list-newest-events.js';
export { listRejectedEvents, rejectEvent } from './events/rejected-events.js';

export { claimDue, type ClaimRequest } from './deliveries/claims.js';
export type { WebhookChannel } from './deliveries/webhook-channel.js';
export type { AttemptRecord } from './deliveries/attempt-records.js';
export { endDelivery, failLeasedDelivery } from './deliveries/end-delivery.js';
export { listNewestDeliveries } from './deliveries/list-newest-deliveries.js';
export { loadPayload, loadTasks } from './deliveries/load-tasks.js';
export type { TaskWithPayload, DeliveryTask } from './deliveries/delivery-task.js';
export type { DeliveryFilter } from './deliveries/delivery-filter.js';
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
} from './deliveries/delivery-log.js';
export { type DuePosition, listDueWebhooks, scanDue } from './deliveries/due-webhooks.js';
export { countWaiting, type WaitingCount } from './deliveries/count-waiting.js';
export { type Lag, measureLag } from './deliveries/lag.js';
export { recordAttempts } from './deliveries/record-attempts.js';
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
} from './test-calls/test-calls.js';

export { listRunningReplays, stepReplay } from './replays/replay-step.js';
export {
  cancelReplay,
  countDeliveries,
  countRunningReplays,
  findReplay,
  findAccountOfReplay,
  listReplays,
  type Replay,
  startReplay,
} from './replays/replays.js';
export { resendDelivery } from './replays/resend.js';
export { resendOrMakeDue } from './replays/resend-or-make-due.js';

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

export { findMigrationGap, migrate, requireMigrations } from './migrations.js';
export { dropPartitions, createPartitions } from './partitions.js';

// Stores events from every source. `createRawEventIngester` validates what platforms push to a queue or a broker, and
// stores invalid data as rejected events. `ingestEvents` takes only valid events, from callers that validate them with
// `parseEvent` (such as the API, which refuses invalid ones with a 422) or build them. Both functions store an event as
// rejected if its account or webhook is unknown.
export { type DirectLeasing, ingestEvents, type IngestDeps, type IngestResult, logIngested } from './ingest-events.js';
export { createRawEventIngester, type RawEvent, type RawEventDeps, rejectRawEvent } from './raw-events.js';
export { retryRejectedEvent } from './retry-rejected-event.js';
