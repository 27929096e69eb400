export { type Account, createAccount, findAccount, listAccounts } from './accounts.js';
export {
  type Attempt,
  type AttemptRecord,
  type Delivery,
  type CallableTask,
  type DeliveryTask,
  type DeliveryWithAttempts,
  endDelivery,
  failLeased,
  listDeliveries,
  loadDeliveries,
  loadPayload,
  recordAttempts,
} from './deliveries.js';
export type { DeliveryFilter } from './delivery-filter.js';
export {
  type BriefAttempt,
  type DeliveryDetail,
  findDelivery,
  findDeliveryOwner,
  findMessage,
  listDeliveryLog,
  type LoggedDelivery,
  type LogPage,
  type MessageEvent,
  type MessageTimeline,
} from './delivery-log.js';
export {
  acceptEvents,
  type Acceptance,
  type Event,
  findEvent,
  type LeaseRequest,
  acceptRejectedEvent,
} from './events.js';
export { listRejectedEvents, rejectEvent } from './rejected-events.js';
export {
  type AuditCounts,
  countLedger,
  type Finding,
  findLedgerFaults,
  findUnknownVerifications,
  listIdlePendingVerifications,
} from './audit.js';
export { type Change, type ChangeFilter, dropChanges, listChanges, listNewestChanges } from './list-changes.js';
export { type ChangeAction, changeActions, type ChangedField } from './log-change.js';
export { batched, batchSize, type BatchOptions } from './batch.js';
export { clockAheadMs } from './clock.js';
export { claimDue, type Claimed, type ClaimRequest, type WebhookChannel } from './claims.js';
export { type Release, releaseLeases, renewLeases, type Rescue, rescueExpiredLeases } from './leases.js';
export { type DuePosition, type DueScan, listDueWebhooks, scanDue } from './due-webhooks.js';
export { createRequestCounter, type RequestCount } from './request-counter.js';
export { type Lag, measureLag } from './lag.js';
export { runAlone } from './lock.js';
export type { LogCursor } from './log-page.js';
export { migrate } from './migrate.js';
export { findMigrationGap, requireMigrations } from './migration-gap.js';
export {
  type Actor,
  actingAs,
  type Database,
  type DatabaseOptions,
  hasJit,
  openConnections,
  openDatabase,
  pingDatabase,
} from './open.js';
export { dropPartitions, createPartitions } from './partitions.js';
export { type TakenOver, takeOverJobless, takeOverJobs, takeOverParked } from './previous-release.js';
export { createWaker, listenForWakeUps, type Waker, type WakeUps } from './wake-ups.js';
export {
  clearFailingSince,
  listUnnotifiedPauses,
  markPauseNotified,
  type AutoPauseRules,
  type UnnotifiedPause,
} from './pausing.js';
export { findPendingVerifications, type PendingPage, type Position } from './pending-verifications.js';
export { endPortalSession } from './end-portal-session.js';
export { deleteExpiredPortalSessions } from './expired-portal-sessions.js';
export { createPortalBearerFinder, createPortalLinkFinder, type PortalSession } from './find-portal-session.js';
export {
  maxPortalSessions,
  type NewPortalSession,
  type OpenedPortalSession,
  openPortalSession,
  TooManyPortalSessionsError,
  UnknownWebhooksError,
} from './open-portal-session.js';
export { isPortalBearer } from './portal-session-state.js';
export { listRunningReplays, type ReplayStep, stepReplay } from './replay-step.js';
export {
  cancelReplay,
  countDeliveries,
  countRunningReplays,
  findReplay,
  findReplayOwner,
  listReplays,
  type Replay,
  startReplay,
} from './replays.js';
export { hastenDelivery, resendDelivery } from './resend.js';
export { checkSecrets, type ResealCounts, resealSecrets } from './reseal.js';
export { createRetryWhileUnavailable, type RetryWhileUnavailable, StoppingError } from './retry-while-unavailable.js';
export { SecretError, type SecretKey } from './secrets.js';
export { getOrCreateSigningSecret, rotateSigningSecret, type SigningSecret } from './signing-secrets.js';
export { findStatisticFaults } from './statistic-audit.js';
export {
  type CodeCounts,
  errorsOf,
  latenciesOf,
  latencyMs,
  resultsOf,
  statusesOf,
  sumCounts,
} from './statistic-codes.js';
export { foldStatistics } from './statistic-folding.js';
export {
  type BucketRange,
  coarser,
  countBuckets,
  keptMinutesDays,
  type Resolution,
  resolutions,
  startsOf,
  widen,
} from './statistic-ranges.js';
export { dropStatistics } from './statistic-retention.js';
export {
  countWaiting,
  readStatistics,
  type StatisticBucket,
  type StatisticFilter,
  type Waiting,
} from './statistics.js';
export { readWebhookStatistics, type WebhookStatistics } from './statistics-of-webhooks.js';
export {
  findSubscription,
  listSubscribedEvents,
  listSubscriptions,
  maxSubscribers,
  type NewSubscription,
  subscribe,
  TooManySubscribersError,
  type Subscription,
  unsubscribe,
} from './subscriptions.js';
export {
  endTestCall,
  findTestResult,
  recordTestCall,
  startTestCall,
  takeTestCall,
  type TestAttempt,
  type TestResult,
} from './test-calls.js';
export {
  type AccessToken,
  countAccessTokens,
  createAccessToken,
  createPlatformToken,
  createTokenFinder,
  createPlatformTokenFinder,
  listAccessTokens,
  listNewestAccessTokens,
  listPlatformTokens,
  type NewToken,
  type PlatformToken,
  revokeAccessToken,
  revokePlatformToken,
  type Scope,
  scopes,
} from './tokens.js';
export { isDatabaseUnavailable, isTooSlow, isUnstorable } from './unavailable.js';
export { isUuid } from './uuid.js';
export {
  endVerification,
  findVerification,
  loadVerification,
  recordVerification,
  startVerification,
  type Verification,
  type VerificationResult,
  type VerificationTask,
} from './verifications.js';
export { listWebhooks, type WebhookFilter } from './webhook-list.js';
export { TooManyWebhooksError } from './webhook-capacity.js';
export type { NewWebhook, Webhook } from './webhook-row.js';
export {
  CallbackTokenError,
  createWebhook,
  deactivateWebhook,
  editWebhook,
  findWebhook,
  findWebhookOwner,
  releaseWebhook,
  restoreWebhook,
  type WebhookChanges,
} from './webhooks.js';
