import { randomBytes } from 'node:crypto';
import {
  passesChallenge,
  composeVerificationRequest,
  type Outcome,
  retryPolicyFor,
  type RetrySettings,
} from '@ringback/rules';
import type { VerificationResult, VerificationTask } from '@ringback/ledger';
import type { JobResult } from '@ringback/queue';
import type { Logger } from '@ringback/process';
import type { Sender } from '../send/send.js';
import { type HasUnreadableSecret, unreadableSecretWaitMs } from '../attempt/unreadable-secrets.js';
import type { VerificationQuota } from './verification-quota.js';
import { redactOutcome } from '../attempt/redact-result.js';

export type VerificationDeps = {
  /** Limits the concurrent requests of an account. */
  quota: VerificationQuota;
  load(verificationId: string): Promise<VerificationTask | null>;
  record(task: VerificationTask, result: VerificationResult): Promise<boolean>;
  end(verificationId: string, reason: string): Promise<void>;
  hasUnreadableSecret: HasUnreadableSecret;
  send: Sender['send'];
  log: Logger;
  retries: RetrySettings;
  version: string;
};

const maxResponseBytes = 64 * 1024;

/**
 * Makes the next attempt of a verification, on the retry schedule of RCS. The receiver passes if it responds with 200
 * and echoes the challenge. Makes no attempt but defers the job if the attempt is not due, the account has no permit,
 * or no key decrypts a secret. Ends the verification without an attempt if its webhook was deleted or has no
 * verification code, or a newer verification replaced it.
 */
export async function attemptVerification(deps: VerificationDeps, verificationId: string): Promise<JobResult> {
  const task = await deps.load(verificationId);
  if (task?.state !== 'pending') return { type: 'complete' };
  if (task.dueInMs > 0) return { type: 'defer', waitMs: task.dueInMs };
  const permit = deps.quota.acquire(task.accountId);
  if ('waitMs' in permit) return { type: 'defer', waitMs: permit.waitMs };
  return sendAndRecord(deps, task).finally(permit.release);
}

async function sendAndRecord(deps: VerificationDeps, task: VerificationTask): Promise<JobResult> {
  const endReason = endReasonOf(task);
  if (endReason === null && deps.hasUnreadableSecret(task)) {
    return { type: 'defer', waitMs: unreadableSecretWaitMs * deps.retries.timeScale };
  }
  const code = endReason === null ? task.verificationCode : null;
  if (endReason !== null || code === null) {
    await deps.end(task.id, endReason ?? 'webhook has no verification code');
    return { type: 'complete' };
  }
  const attemptNumber = task.attemptCount + 1;
  const challenge = randomBytes(24).toString('base64url');
  const startedAt = new Date();
  const fields = {
    verificationCode: code,
    challenge,
    attemptNumber,
    startedAt,
    version: deps.version,
  };
  const request = composeVerificationRequest({ ...task, ...fields, verificationId: task.id });
  const { outcome, responseBody } = await deps.send(request, maxResponseBytes);
  const hasPassed = outcome.type === 'response' && passesChallenge(outcome.status, responseBody ?? '', challenge);
  const result = hasPassed
    ? { state: 'passed' as const, reason: null, waitMs: null }
    : resultOfFailure(deps, redactOutcome(request.url, outcome), attemptNumber);
  await deps.record(task, result);
  const ids = { verification_id: task.id, webhook_id: task.webhookId };
  const errorCode = outcome.type === 'response' ? {} : { code: outcome.code };
  deps.log.info('verification.attempted', {
    ...ids,
    attempt_number: attemptNumber,
    ...result,
    outcome: outcome.type,
    ...errorCode,
  });
  return result.waitMs === null ? { type: 'complete' } : { type: 'defer', waitMs: result.waitMs };
}

/** Why the verification ends without a further attempt; null if it may go on. */
function endReasonOf({ isDeleted, isNewest }: VerificationTask): string | null {
  if (isDeleted) return 'webhook deleted';
  return isNewest ? null : 'a newer verification replaced it';
}

function resultOfFailure({ retries }: VerificationDeps, outcome: Outcome, attemptNumber: number): VerificationResult {
  const policy = retryPolicyFor('rcs', retries);
  const reason = outcome.type === 'response' ? describeStatus(outcome.status) : `${outcome.type} (${outcome.code})`;
  if (attemptNumber >= policy.maxAttempts) return { state: 'failed', reason, waitMs: null };
  return { state: 'pending', reason, waitMs: policy.waitMs(attemptNumber) };
}

const describeStatus = (status: number) =>
  status === 200 ? 'the response did not echo the challenge' : `responded with ${status} instead of 200`;
