import { randomBytes } from 'node:crypto';
import {
  adviceFor,
  passesChallenge,
  composeVerificationRequest,
  type Naming,
  parseUrl,
  retryPolicyFor,
  type RetrySettings,
} from '@ringback/rules';
import {
  type Database,
  endVerification,
  loadVerification,
  recordVerification,
  type RetryWhileUnavailable,
  type SecretDecrypter,
  unreadableSecretWaitMs,
  type VerificationResult,
  type VerificationTask,
} from '@ringback/ledger';
import type { Logger } from '@ringback/process';
import { type JobHandler, type JobResult, readId } from '@ringback/queue';
import type { WorkerConfig } from './config.js';
import { maskResponseHeaders, redactOutcome } from './recorded-fields.js';
import { proxyFailureOf } from './sender/classify-error.js';
import type { Sender, SendResult } from './sender/send.js';

type VerificationDeps = {
  db: Database;
  secrets: SecretDecrypter;
  sender: Sender;
  log: Logger;
  retryWhileUnavailable: RetryWhileUnavailable;
};

type AttemptDeps = VerificationDeps & {
  quota: VerificationQuota;
  retries: RetrySettings;
  naming: Naming;
};

const maxVerificationsPerAccount = 16;

/** Creates the handler for the queue `verifications`. Each of its jobs makes the attempts of one verification. */
export function createVerificationHandler(config: WorkerConfig, deps: VerificationDeps): JobHandler {
  const { db } = deps;
  const attemptDeps: AttemptDeps = {
    ...deps,
    quota: new VerificationQuota({ maxPerAccount: maxVerificationsPerAccount, timeoutMs: config.callbackTimeoutMs }),
    retries: config.retries,
    naming: config.naming,
  };
  return {
    handle: ({ data }) => attemptVerification(attemptDeps, readId(data, 'verificationId')),
    giveUp: ({ data }, reason) => endVerification(db, readId(data, 'verificationId'), reason),
  };
}

const maxResponseBytes = 64 * 1024;
// While the operator's proxy fails, which uses up no attempt.
const proxyWaitMs = 15_000;

/**
 * Makes the next attempt of a verification, on the retry schedule of RCS: the receiver must respond with 200 and echo
 * the challenge. The job waits if the attempt is not due, the account has no permit, or no key decrypts a secret. The
 * verification ends without an attempt if its webhook was deleted, has no verification code, or has a newer
 * verification.
 */
async function attemptVerification(deps: AttemptDeps, verificationId: string): Promise<JobResult> {
  const { db, retryWhileUnavailable } = deps;
  const task = await retryWhileUnavailable(() => loadVerification(db, verificationId));
  if (task?.state !== 'pending') return { type: 'complete' };
  if (task.dueInMs > 0) return { type: 'defer', waitMs: task.dueInMs };
  const permit = deps.quota.acquire(task.accountId);
  if ('waitMs' in permit) return { type: 'defer', waitMs: permit.waitMs };
  return sendAndRecord(deps, task).finally(permit.release);
}

async function sendAndRecord(deps: AttemptDeps, task: VerificationTask): Promise<JobResult> {
  const { db, retryWhileUnavailable, sender, log, naming } = deps;
  const end = async (reason: string): Promise<JobResult> => {
    await retryWhileUnavailable(() => endVerification(db, task.id, reason));
    return { type: 'complete' };
  };
  if (task.isDeleted) return end('webhook deleted');
  if (!task.isNewest) return end('a newer verification replaced it');
  const secrets = deps.secrets.decrypt(task, { needsCode: true });
  if (secrets === null) return { type: 'defer', waitMs: unreadableSecretWaitMs * deps.retries.timeScale };
  const { verificationCode } = secrets;
  if (verificationCode === null) return end('webhook has no verification code');
  const attemptNumber = task.attemptCount + 1;
  const challenge = randomBytes(24).toString('base64url');
  const startedAt = new Date();
  const fields = { ...secrets, verificationCode, challenge, attemptNumber, startedAt, naming };
  const request = composeVerificationRequest({ ...task, ...fields, verificationId: task.id });
  const sent = await sender.send({ ...request, ca: task.ca }, maxResponseBytes).catch((error: unknown) => {
    if (proxyFailureOf(error) === null) throw error;
    return null;
  });
  if (sent === null) return { type: 'defer', waitMs: proxyWaitMs };
  const { outcome, responseBody, responseHeaders } = sent;
  const hasPassed = outcome.type === 'response' && passesChallenge(outcome.status, responseBody ?? '', challenge);
  const result = hasPassed
    ? { state: 'passed' as const, reason: null, advice: null, waitMs: null }
    : resultOfFailure(deps, {
        url: request.shownUrl,
        outcome,
        responseHeaders:
          responseHeaders &&
          withoutCode(maskResponseHeaders(responseHeaders, secrets, task.uri), request.shownUrl, verificationCode),
        attemptNumber,
      });
  await retryWhileUnavailable(() => recordVerification(db, task, result));
  log.info('verification.attempted', {
    verification_id: task.id,
    webhook_id: task.webhookId,
    attempt_number: attemptNumber,
    outcome: outcome.type,
    ...(outcome.type === 'response' ? { status: outcome.status } : { code: outcome.code }),
    state: result.state,
    reason: result.reason,
    wait_ms: result.waitMs,
  });
  return result.waitMs === null ? { type: 'complete' } : { type: 'defer', waitMs: result.waitMs };
}

type FailedAttempt = Pick<SendResult, 'outcome' | 'responseHeaders'> & { url: string; attemptNumber: number };

function resultOfFailure({ retries }: AttemptDeps, { attemptNumber, url, ...sent }: FailedAttempt): VerificationResult {
  const policy = retryPolicyFor('rcs', retries);
  const outcome = redactOutcome(url, sent.outcome);
  const reason = outcome.type === 'response' ? describeStatus(outcome.status) : `${outcome.type} (${outcome.code})`;
  const { responseHeaders } = sent;
  const advice = adviceFor({ purpose: 'verification', outcome, url, responseHeaders, at: new Date() });
  if (attemptNumber >= policy.maxAttempts) return { state: 'failed', reason, advice, waitMs: null };
  return { state: 'pending', reason, advice, waitMs: policy.waitMs(attemptNumber) };
}

/**
 * The headers of a response, with the address of a redirect as the webhook's owner may enter it. A redirect usually
 * repeats the query of the request, which ends with the verification code, so only the webhook's own query is left.
 * There is no address if the code is elsewhere in it.
 */
function withoutCode(
  { location, ...headers }: Record<string, string>,
  url: string,
  code: string,
): Record<string, string> {
  const target = location === undefined ? null : parseUrl(location, url);
  if (target === null) return headers;
  const ownQuery = new URL(url).search.replace(/[?&]token=[^&]*$/, '');
  target.search = target.search === ownQuery || target.search.startsWith(`${ownQuery}&`) ? ownQuery : '';
  target.hash = '';
  const shown = [target.href, decode(target.href), decode(decode(target.href))];
  return shown.some((text) => text.includes(code)) ? headers : { ...headers, location: target.href };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const describeStatus = (status: number) =>
  status === 200 ? 'the response did not echo the challenge' : `responded with ${status} instead of 200`;

/** Permission for one attempt of a verification. It must be released. */
type VerificationPermit = { release(): void };

type QuotaOptions = { maxPerAccount: number; timeoutMs: number; now?: () => number };

/**
 * Limits the concurrent verification requests of each account in this worker to `maxPerAccount`. A request takes at
 * most `timeoutMs`. Callers that have to wait get staggered waits, so that a caller usually gets its permit at the
 * second try.
 */
export class VerificationQuota {
  readonly #options: Required<QuotaOptions>;
  /** `waitsUntilMonotonicMs`: the end of the latest wait that a caller got. */
  readonly #accounts = new Map<string, { inFlight: number; waitsUntilMonotonicMs: number }>();

  constructor({ now = () => performance.now(), ...options }: QuotaOptions) {
    this.#options = { ...options, now };
  }

  /**
   * Returns a permit or, when the account's quota is exhausted, how long the caller should wait before it tries again.
   */
  acquire(accountId: string): VerificationPermit | { waitMs: number } {
    const { maxPerAccount, timeoutMs, now } = this.#options;
    const account = this.#accounts.get(accountId) ?? { inFlight: 0, waitsUntilMonotonicMs: 0 };
    this.#accounts.set(accountId, account);
    if (account.inFlight >= maxPerAccount) {
      account.waitsUntilMonotonicMs = Math.max(account.waitsUntilMonotonicMs, now()) + timeoutMs / maxPerAccount;
      return { waitMs: account.waitsUntilMonotonicMs - now() };
    }
    account.inFlight++;
    return {
      release: () => {
        account.inFlight--;
        if (account.inFlight === 0) this.#accounts.delete(accountId);
      },
    };
  }
}
