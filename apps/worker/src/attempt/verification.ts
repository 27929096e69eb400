import { randomBytes } from 'node:crypto';
import { challengePassed, composeChallenge, type Outcome, policyFor, type RetrySettings } from '@ringback/callbacks';
import type { VerificationResult, VerificationTask } from '@ringback/database';
import type { Logger } from '@ringback/runtime';
import type { JobEnd } from '../jobs/job-end.js';
import type { Sender } from '../send/send.js';
import { type IsSealed, sealedWaitMs } from './sealed.js';
import type { Shares } from './shares.js';
import { shownOutcome } from './shown-call.js';

export type VerifyDeps = {
  /** What an account may have in hand at once. */
  shares: Shares;
  load(verificationId: string): Promise<VerificationTask | null>;
  record(task: VerificationTask, result: VerificationResult): Promise<boolean>;
  end(verificationId: string, reason: string): Promise<void>;
  isSealed: IsSealed;
  send: Sender['send'];
  log: Logger;
  retries: RetrySettings;
  version: string;
};

const readBytes = 64 * 1024;

/**
 * Makes the next attempt of a verification challenge, on the schedule of RCS: the receiver has to answer 200 with the
 * challenge that it was sent.
 */
export async function verify(deps: VerifyDeps, verificationId: string): Promise<JobEnd> {
  const task = await deps.load(verificationId);
  if (task?.state !== 'pending') return { type: 'done' };
  if (task.dueInMs > 0) return { type: 'early', waitMs: task.dueInMs };
  const share = deps.shares.take(task.accountId);
  if ('waitMs' in share) return { type: 'early', waitMs: share.waitMs };
  return attempt(deps, task).finally(share.leave);
}

async function attempt(deps: VerifyDeps, task: VerificationTask): Promise<JobEnd> {
  const obstacle = obstacleOf(task);
  if (obstacle === null && deps.isSealed(task)) {
    return { type: 'early', waitMs: sealedWaitMs * deps.retries.timeScale };
  }
  const token = obstacle === null ? task.token : null;
  if (obstacle !== null || token === null) {
    await deps.end(task.id, obstacle ?? 'webhook has no token');
    return { type: 'done' };
  }
  const number = task.attempts + 1;
  const challenge = randomBytes(24).toString('base64url');
  const at = new Date();
  const run = { verificationId: task.id, token, challenge, attempt: number, at, version: deps.version };
  const request = composeChallenge({ ...task, ...run });
  const { outcome, answer } = await deps.send(request, readBytes);
  const passed = outcome.type === 'response' && challengePassed(outcome.status, answer ?? '', challenge);
  const result = passed
    ? { state: 'passed' as const, reason: null, waitMs: null }
    : failure(deps, shownOutcome(request.url, outcome), number);
  await deps.record(task, result);
  const ids = { verification_id: task.id, webhook_id: task.webhookId };
  const code = outcome.type === 'response' ? {} : { code: outcome.code };
  deps.log.info('verification.attempted', { ...ids, attempt: number, ...result, outcome: outcome.type, ...code });
  return result.waitMs === null ? { type: 'done' } : { type: 'again', waitMs: result.waitMs };
}

function obstacleOf({ deleted, latest }: VerificationTask): string | null {
  if (deleted) return 'webhook deleted';
  return latest ? null : 'a newer run took its place';
}

function failure({ retries }: VerifyDeps, outcome: Outcome, attempt: number): VerificationResult {
  const policy = policyFor('rcs', retries);
  const reason = outcome.type === 'response' ? describeStatus(outcome.status) : `${outcome.type} (${outcome.code})`;
  if (attempt >= policy.maxAttempts) return { state: 'failed', reason, waitMs: null };
  return { state: 'pending', reason, waitMs: policy.waitMs(attempt) };
}

const describeStatus = (status: number) =>
  status === 200 ? 'the answer did not repeat the challenge' : `answered ${status} in place of 200`;
