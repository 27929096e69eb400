import { newChangeRow } from '../changes.js';
import type { Database } from '../connection/database.js';
import type { Prisma, Verification } from '../generated/client.js';
import { VerificationState } from '../generated/enums.js';
import { isUuid, lowestId } from '../sql/ids.js';
import { encryptedSecrets, type EncryptedSecrets, encryptedSecretsOf } from './callback-secrets.js';
import { boolean, enumOf, integer, text, uuid } from '../sql/columns.js';
import { statement } from '../sql/statement.js';

export type VerificationTask = {
  id: string;
  state: Verification['state'];
  /** The number of recorded attempts. */
  attemptCount: number;
  /** The time until the next attempt is due; 0 if it is due, or if none follows. */
  dueInMs: number;
  /** Whether it is the newest verification of its webhook. */
  isNewest: boolean;
  accountId: string;
  webhookId: string;
  uri: string;
  ca: string | null;
  signing: boolean;
  /** The secrets of the request, as they are stored. `SecretDecrypter` decrypts them. */
  encrypted: EncryptedSecrets;
  isDeleted: boolean;
};

/** What an attempt of a verification changes. `waitMs`: the time until the next attempt; null when there is none. */
export type VerificationResult = {
  state: Verification['state'];
  reason: string | null;
  advice: string | null;
  waitMs: number | null;
};

/**
 * Stores a new verification of a webhook, and records it in the change history. The newest verification decides whether
 * the webhook is verified.
 */
export async function startVerification(db: Database, accountId: string, webhookId: string): Promise<Verification> {
  return (await db.prisma()).$transaction((tx) => startVerificationInTransaction(tx, db, { accountId, id: webhookId }));
}

/** As `startVerification`, in the caller's transaction. */
export async function startVerificationInTransaction(
  tx: Pick<Prisma.TransactionClient, 'verification' | 'change'>,
  db: Database,
  { accountId, id }: { accountId: string; id: string },
): Promise<Verification> {
  const change = newChangeRow(db, { accountId, action: 'verification.started', objectId: id });
  const started = await tx.verification.create({ data: { webhook: { connect: { id, accountId } } } });
  await tx.change.create({ data: change });
  return started;
}

/** The newest verification of a webhook of the account. Null when there is none. */
export async function findVerification(
  db: Database,
  accountId: string,
  webhookId: string,
): Promise<Verification | null> {
  return (await db.prisma()).verification.findFirst({
    where: { webhookId, webhook: { accountId } },
    orderBy: { id: 'desc' },
  });
}

const loadStatement = statement<{
  id: string;
}>(`SELECT v.id, v.state, v.attempt_count AS "attemptCount", w.id AS "webhookId", w.uri, w.tls_ca AS ca, w.signing,
    a.id AS "accountId", ${encryptedSecrets.sql},
    w.deleted_at IS NOT NULL AS "isDeleted",
    COALESCE(GREATEST(0, CEIL(EXTRACT(EPOCH FROM v.next_attempt_at - clock_timestamp()) * 1000)), 0)::int AS "dueInMs",
    NOT EXISTS (SELECT 1 FROM verifications n WHERE n.webhook_id = v.webhook_id AND n.id > v.id) AS "isNewest"
  FROM verifications v JOIN webhooks w ON w.id = v.webhook_id JOIN accounts a ON a.id = w.account_id
  WHERE v.id = $id`).returns({
  id: uuid,
  state: enumOf('verification_state', VerificationState),
  attemptCount: integer,
  webhookId: uuid,
  uri: text,
  ca: text.orNull,
  signing: boolean,
  accountId: uuid,
  ...encryptedSecrets.columns,
  isDeleted: boolean,
  dueInMs: integer,
  isNewest: boolean,
});

/** A verification and the current data of its webhook. Null when no verification has this id. */
export async function loadVerification(db: Database, id: string): Promise<VerificationTask | null> {
  if (!isUuid(id)) return null;
  const row = await loadStatement.row(db.pool, { id });
  return row ? { ...row, encrypted: encryptedSecretsOf(row) } : null;
}

type RecordParameters = VerificationResult & { id: string; attemptCount: number };

const recordStatement = statement<RecordParameters>(
  `UPDATE verifications SET state = $state, reason = $reason, advice = $advice, attempt_count = attempt_count + 1, updated_at = clock_timestamp(),
    next_attempt_at = clock_timestamp() + $waitMs::float8 * interval '1 millisecond'
  WHERE id = $id AND attempt_count = $attemptCount AND state = 'pending'`,
);

/**
 * Records the attempt that follows `attemptCount` earlier ones. False if another process has recorded it, or the
 * verification has ended.
 */
export async function recordVerification(
  db: Database,
  { id, attemptCount }: Pick<VerificationTask, 'id' | 'attemptCount'>,
  { state, reason, advice, waitMs }: VerificationResult,
): Promise<boolean> {
  return (await recordStatement.run(db.pool, { id, attemptCount, state, reason, advice, waitMs })) === 1;
}

const endStatement = statement<{ id: string; reason: string }>(
  `UPDATE verifications SET state = 'failed', reason = $reason, advice = NULL, next_attempt_at = NULL, updated_at = clock_timestamp()
    WHERE id = $id AND state = 'pending'`,
);

/**
 * Ends a pending verification as failed without an attempt, for example because a newer one replaced it or its webhook
 * was deleted.
 */
export async function endVerification(db: Database, id: string, reason: string): Promise<void> {
  if (isUuid(id)) await endStatement.run(db.pool, { id, reason });
}

/** A position in the list of pending verifications, which is ordered by due time. As an argument, null is the start. */
export type VerificationCursor = { at: string; id: string } | null;

/**
 * A page of the ids of pending verifications. Each should have a job in the verification queue. `position` is where the
 * next page starts. It is null if this page is not full, because no page follows then.
 */
export type PendingVerifications = { ids: string[]; position: VerificationCursor };

type PageParameters = { at: string; id: string; overdueMs: number; limit: number };

const pageStatement = statement<PageParameters>(`SELECT id, next_attempt_at::text AS at FROM verifications
  WHERE state = 'pending' AND (next_attempt_at, id) > ($at::timestamptz, $id::uuid)
    AND next_attempt_at < clock_timestamp() - $overdueMs::float8 * interval '1 millisecond'
  ORDER BY next_attempt_at, id LIMIT $limit`).returns({ id: uuid, at: text });

// Stands in for Infinity, which an interval cannot hold: no verification becomes due later than this.
const maxDelayMs = 100 * 365 * 86_400_000;

/**
 * The next page of pending verifications after a position, ordered by due time. It contains those that have been due
 * for longer than `overdueMs`; -Infinity selects all. Uses the index `verifications_pending_idx`.
 */
export async function findPendingVerifications(
  db: Database,
  after: VerificationCursor,
  { overdueMs, limit }: { overdueMs: number; limit: number },
): Promise<PendingVerifications> {
  const { at, id } = after ?? { at: '-infinity', id: lowestId };
  const rows = await pageStatement.rows(db.pool, { at, id, overdueMs: Math.max(overdueMs, -maxDelayMs), limit });
  const last = rows.at(-1);
  return { ids: rows.map((row) => row.id), position: last && rows.length === limit ? last : null };
}
