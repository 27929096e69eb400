export type { Attempt, Delivery, Event, PlatformScope, Scope, Subscription, Verification } from './generated/client.js';

export {
  clockAheadMs,
  actingAs,
  findLostSettings,
  warmPool,
  openDatabase,
  pingDatabase,
  requireWritable,
  type Actor,
  type Database,
} from './connection/database.js';
export {
  createRetryWhileUnavailable,
  StoppingError,
  isTransientDatabaseError,
  isStatementTimeout,
  type RetryWhileUnavailable,
} from './connection/database-errors.js';
export { Batcher } from './connection/batch.js';
export { runExclusively } from './connection/lock.js';
export { UnreadableSecretError } from './connection/secrets.js';
export { requireReadableSecrets, reencryptSecrets } from './connection/stored-secrets.js';
export { isUuid } from './sql/ids.js';
export type { CursorPageRequest, PageCursor } from './sql/pages.js';

// Accounts, and who may act for them
export {
  accountStatuses,
  createAccount,
  ExternalIdTakenError,
  findAccount,
  putAccount,
  rotateCallbackToken,
  setOtherInstallation,
  statusOf,
  updateAccount,
  type Account,
  type AccountStatus,
  type AccountUpdate,
  type NewAccount,
} from './accounts/accounts.js';
export { deleteAccount, PendingDeliveriesError } from './accounts/account-deletion.js';
export { findAccountIds, listAccounts, type AccountFilter } from './accounts/account-list.js';
export {
  createAccessToken,
  createPlatformToken,
  createAccessTokenFinder,
  createPlatformTokenFinder,
  listAccessTokens,
  listAccessTokensUnrevokedFirst,
  listPlatformTokens,
  platformScopes,
  revokeAccessToken,
  revokePlatformToken,
  scopes,
  TooManyTokensError,
  type AccessToken,
  type PlatformToken,
} from './accounts/tokens.js';
export {
  endPortalSession,
  deleteExpiredPortalSessions,
  createPortalBearerFinder,
  createPortalLinkExchanger,
  maxPortalSessions,
  createPortalSession,
  SuspendedAccountError,
  TooManyPortalSessionsError,
  UnknownWebhooksError,
  isPortalBearer,
  type PortalSession,
  type NewPortalSession,
  type CreatedPortalSession,
} from './accounts/portal-sessions.js';
export { createRequestCounter, deleteOldRequestWindows } from './accounts/request-windows.js';
export {
  changeActions,
  deleteOldChanges,
  listChanges,
  listNewestChanges,
  type Change,
  type ChangeFilter,
} from './changes.js';

// Webhooks
export {
  TooManyWebhooksError,
  UserinfoError,
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
export { listWebhooks, type WebhookFilter } from './webhooks/webhook-list.js';
export type { NewWebhook, Webhook } from './webhooks/webhook-fields.js';
export { type CallbackSecrets, SecretDecrypter, unreadableSecretWaitMs } from './webhooks/callback-secrets.js';
export { getOrCreateSigningSecret, rotateSigningSecret, type SigningSecret } from './webhooks/signing-secrets.js';
export {
  findSubscription,
  listSubscribedEvents,
  listSubscriptions,
  maxSubscribers,
  subscribe,
  TooManySubscribersError,
  unsubscribe,
  type NewSubscription,
} from './webhooks/subscriptions.js';
export {
  findPendingVerifications,
  endVerification,
  findVerification,
  loadVerification,
  recordVerification,
  startVerification,
  type PendingVerifications,
  type VerificationCursor,
  type VerificationResult,
  type VerificationTask,
} from './webhooks/verifications.js';
export {
  clearFailingSince,
  listUnnotifiedPauses,
  markPauseNotified,
  type AutoPauseRules,
  type UnnotifiedPause,
} from './webhooks/pauses.js';

// Events on their way in
export {
  ingestBatch,
  ingestEvents,
  type EventCounts,
  reportIngested,
  parseRawEvent,
  rejectRawEvent,
  rejectUnstorable,
  retryRejectedEvent,
  type IngestDeps,
  type IngestResult,
  type RawEvent,
} from './events/ingest-events.js';
export { storeEvents, suspendedReason, type LeaseRequest, type StoreResult } from './events/store-events.js';
export { findEvent, listNewestEvents, listRejectedEvents, type EventFilter } from './events/events.js';

export { SnapshotWatch } from './connection/old-snapshots.js';

// Deliveries on their way out
export {
  type Due,
  type DueCursor,
  type DueKey,
  earlierDueAt,
  listDueWebhooks,
  measureLag,
  scanDue,
  unknownDueAt,
} from './deliveries/due.js';
export { announcePaces, type PaceAnnouncement } from './deliveries/announced-paces.js';
export { wakeAccount, Waker, WakeUpListener } from './deliveries/wake-ups.js';
export { claimDue, type ClaimRequest, type ClaimResult, leaseDue } from './deliveries/claims.js';
export {
  type DeliveryEnd,
  endDeliveries,
  type Lease,
  releaseLeases,
  renewLeases,
  rescueExpiredLeases,
  type LeaseRelease,
} from './deliveries/leases.js';
export {
  isFirstAttempt,
  loadPayload,
  readPayloadBytes,
  loadTasks,
  skipReason,
  type DeliveryTask,
  type LeaseResult,
  type TaskWithPayload,
} from './deliveries/delivery-tasks.js';
export { recordAttempts, type AttemptFields, type AttemptRecord } from './deliveries/attempts.js';
export {
  ExpiredCursorError,
  findNewestOutcomePosition,
  ForeignCursorError,
  formatOutcomeCursor,
  outcomeTypes,
  parseOutcomeCursor,
  readOutcomes,
  type OutcomeRow,
  type OutcomeCursor,
  type OutcomePage,
  type OutcomeType,
} from './deliveries/outcomes.js';
export { continueOutcomePositions, findOldestWriter } from './deliveries/outcome-positions.js';
export { findReaderCursor, storeReaderCursor } from './deliveries/outcome-readers.js';
export {
  listNewestDeliveries,
  findDelivery,
  findAccountOfDelivery,
  findMessageTimeline,
  listDeliveries,
  countWaiting,
  type BriefAttempt,
  type DeliveryDetail,
  type LoggedDelivery,
  type MessageTimeline,
  type WaitingCount,
} from './deliveries/deliveries.js';
export type { DeliveryFilter } from './deliveries/delivery-search.js';
export { resendDelivery, scheduleNow } from './deliveries/resend.js';
export {
  listRunningReplays,
  stepReplay,
  cancelReplay,
  countDeliveries,
  findReplay,
  findAccountOfReplay,
  listReplays,
  startReplay,
  TooManyReplaysError,
  type Replay,
} from './deliveries/replays.js';
export {
  endTestCall,
  findTestCallResult,
  recordTestCall,
  insertTestCall,
  claimTestCall,
  type TestCallAttempt,
  type TestCallResult,
} from './deliveries/test-calls.js';

// What is counted and looked after
export {
  countsByError,
  countsByDuration,
  decodeDurationMs,
  countsByResult,
  countsByStatus,
  sumCounts,
  type CodeCounts,
} from './statistics/codes.js';
export {
  nextCoarserResolution,
  countBuckets,
  minuteRetentionDays,
  resolutions,
  listBucketStarts,
  widenToBuckets,
  type BucketRange,
  type Resolution,
} from './statistics/ranges.js';
export { deleteOldStatistics, rollUpStatistics, rebuildStatistics } from './statistics/count-statistics.js';
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
  findUnknownVerifications,
  listIdlePendingVerifications,
  type Finding,
  type LedgerCounts,
} from './audit.js';
// Moving in and out
export { exportLines } from './moving/export-lines.js';
export type { ImportResult } from './moving/import-batch.js';
export { Importer, type ImportLine } from './moving/importer.js';

export { findMigrationGap, migrate, requireMigrations } from './migrations.js';
export { dropPartitions, createPartitions, measurePartitionsAhead } from './partitions.js';
