import {
  type Database,
  endVerification,
  loadVerification,
  recordVerification,
  type RetryWhileUnavailable,
} from '@ringback/ledger';
import type { JobHandler } from '@ringback/queue';
import { type Logger, readVersion } from '@ringback/process';
import type { WorkerConfig } from '../config.js';
import { readId } from '../jobs/read-id.js';
import type { Sender } from '../send/send.js';
import { createVerificationQuota } from './verification-quota.js';
import { createUnreadableSecretCheck } from '../attempt/unreadable-secrets.js';
import { attemptVerification, type VerificationDeps } from './verification.js';

type HandlerDeps = { db: Database; sender: Sender; log: Logger; retryWhileUnavailable: RetryWhileUnavailable };

const maxVerificationsPerAccount = 16;

/** Creates the handler for the queue `verifications`. Each of its jobs makes the attempts of one verification. */
export function createVerificationHandler(
  config: WorkerConfig,
  { db, sender, log, retryWhileUnavailable }: HandlerDeps,
): JobHandler {
  const deps: VerificationDeps = {
    quota: createVerificationQuota({ maxPerAccount: maxVerificationsPerAccount, timeoutMs: config.callbackTimeoutMs }),
    load: (id) => retryWhileUnavailable(() => loadVerification(db, id)),
    record: (task, result) => retryWhileUnavailable(() => recordVerification(db, task, result)),
    end: (id, reason) => retryWhileUnavailable(() => endVerification(db, id, reason)),
    hasUnreadableSecret: createUnreadableSecretCheck(log),
    send: sender.send,
    log,
    retries: config.retries,
    version: readVersion(),
  };
  return {
    handle: ({ data }) => attemptVerification(deps, readId(data, 'verificationId')),
    deadLetter: ({ data }, reason) => endVerification(db, readId(data, 'verificationId'), reason),
  };
}
