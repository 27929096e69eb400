import { randomBytes } from 'node:crypto';
import {
  adviceFor,
  composeVerificationRequest,
  type Naming,
  parseUrl,
  passesChallenge,
  retryPolicyFor,
  type RetrySettings,
} from '@ringback/rules';
import {
  type CallbackSecrets,
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
import { maskHeaders, secretsOf } from './mask-secrets.js';
import { redactOutcome } from './recorded-fields.js';
import { proxyFailureOf } from './sender/classify-error.js';
import type { Sender, SendResult } from './sender/send.js';
import { VerificationQuota } from './verification-quota.js';

type VerificationDeps = {
  db: Database;
  secrets: SecretDecrypter;
  sender: Sender;
  log: Logger;
  retryWhileUnavailable: RetryWhileUnavailable;
};

type CodeSecrets = CallbackSecrets & { verificationCode: string };

/** A request of a verification that got a result. `shownUrl`: its URL without the secrets. */
type SentChallenge = { sent: SendResult; challenge: string; shownUrl: string; attemptNumber: number };

const maxVerificationsPerAccount = 16;
const maxResponseBytes = 64 * 1024;
// While the operator's proxy fails, which uses up no attempt.
const proxyWaitMs = 15_000;

/** Handles the queue `verifications`. Each of its jobs makes the attempts of one verification. */
export class VerificationHandler implements JobHandler {
  readonly #deps: VerificationDeps;
  readonly #quota: VerificationQuota;
  readonly #retries: RetrySettings;
  readonly #naming: Naming;

  constructor({ callbackTimeoutMs, retries, naming }: WorkerConfig, deps: VerificationDeps) {
    this.#deps = deps;
    this.#quota = new VerificationQuota({ maxPerAccount: maxVerificationsPerAccount, timeoutMs: callbackTimeoutMs });
    this.#retries = retries;
    this.#naming = naming;
  }

  /** Makes the next attempt of a verification. The job waits if it is not due, or if the account has no permit. */
  async handle({ data }: { data: unknown }): Promise<JobResult> {
    const { db, retryWhileUnavailable } = this.#deps;
    const id = readId(data, 'verificationId');
    const task = await retryWhileUnavailable(() => loadVerification(db, id));
    if (task?.state !== 'pending') return { type: 'complete' };
    if (task.dueInMs > 0) return { type: 'defer', waitMs: task.dueInMs };
    const permit = this.#quota.acquire(task.accountId);
    if ('waitMs' in permit) return { type: 'defer', waitMs: permit.waitMs };
    return this.#attempt(task).finally(permit.release);
  }

  giveUp({ data }: { data: unknown }, reason: string): Promise<void> {
    return endVerification(this.#deps.db, readId(data, 'verificationId'), reason);
  }

  /**
   * Makes an attempt, on the retry schedule of RCS: the receiver must respond with 200 and echo the challenge. Waits
   * without one while no key decrypts a secret, and while the operator's proxy fails.
   */
  async #attempt(task: VerificationTask): Promise<JobResult> {
    if (task.isDeleted) return this.#end(task, 'webhook deleted');
    if (!task.isNewest) return this.#end(task, 'a newer verification replaced it');
    const secrets = this.#deps.secrets.decrypt(task, { needsCode: true });
    if (secrets === null) return { type: 'defer', waitMs: unreadableSecretWaitMs * this.#retries.timeScale };
    const { verificationCode } = secrets;
    if (verificationCode === null) return this.#end(task, 'webhook has no verification code');
    const codeSecrets = { ...secrets, verificationCode };
    const sent = await this.#send(task, codeSecrets);
    if (sent === null) return { type: 'defer', waitMs: proxyWaitMs };
    const result = this.#judge(task, codeSecrets, sent);
    await this.#record(task, sent, result);
    return result.waitMs === null ? { type: 'complete' } : { type: 'defer', waitMs: result.waitMs };
  }

  /** Ends a verification that makes no more attempts. */
  async #end({ id }: VerificationTask, reason: string): Promise<JobResult> {
    const { db, retryWhileUnavailable } = this.#deps;
    await retryWhileUnavailable(() => endVerification(db, id, reason));
    return { type: 'complete' };
  }

  /** Sends a challenge. Resolves with null if the operator's proxy failed. */
  async #send(task: VerificationTask, secrets: CodeSecrets): Promise<SentChallenge | null> {
    const attemptNumber = task.attemptCount + 1;
    const challenge = randomBytes(24).toString('base64url');
    const fields = { ...secrets, challenge, attemptNumber, startedAt: new Date(), naming: this.#naming };
    const request = composeVerificationRequest({ ...task, ...fields, verificationId: task.id });
    try {
      const sent = await this.#deps.sender.send({ ...request, ca: task.ca }, maxResponseBytes);
      return { sent, challenge, shownUrl: request.shownUrl, attemptNumber };
    } catch (error) {
      if (proxyFailureOf(error) === null) throw error;
      return null;
    }
  }

  /** What an attempt changes: the verification has passed, has failed, or goes on with another attempt. */
  #judge({ uri }: VerificationTask, secrets: CodeSecrets, challenged: SentChallenge): VerificationResult {
    const { sent, challenge, shownUrl: url, attemptNumber } = challenged;
    const { outcome: unredacted, responseBody, responseHeaders } = sent;
    if (unredacted.type === 'response' && passesChallenge(unredacted.status, responseBody ?? '', challenge))
      return { state: 'passed', reason: null, advice: null, waitMs: null };
    const outcome = redactOutcome(url, unredacted);
    const reason = outcome.type === 'response' ? describeStatus(outcome.status) : `${outcome.type} (${outcome.code})`;
    const advice = adviceFor({
      purpose: 'verification',
      outcome,
      url,
      responseHeaders:
        responseHeaders && withoutCode(maskHeaders(responseHeaders, secretsOf(secrets, uri)), url, secrets),
      at: new Date(),
    });
    const policy = retryPolicyFor('rcs', this.#retries);
    if (attemptNumber >= policy.maxAttempts) return { state: 'failed', reason, advice, waitMs: null };
    return { state: 'pending', reason, advice, waitMs: policy.waitMs(attemptNumber) };
  }

  async #record(
    task: VerificationTask,
    { sent: { outcome }, attemptNumber }: SentChallenge,
    result: VerificationResult,
  ): Promise<void> {
    const { db, log, retryWhileUnavailable } = this.#deps;
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
  }
}

/**
 * The headers of a response, with the address of a redirect as the webhook's owner may enter it. A redirect usually
 * repeats the query of the request, which ends with the verification code, so only the webhook's own query is left.
 * There is no address if the code is elsewhere in it.
 */
function withoutCode(
  { location, ...headers }: Record<string, string>,
  url: string,
  { verificationCode }: CodeSecrets,
): Record<string, string> {
  const target = location === undefined ? null : parseUrl(location, url);
  if (target === null) return headers;
  const ownQuery = new URL(url).search.replace(/[?&]token=[^&]*$/, '');
  target.search = target.search === ownQuery || target.search.startsWith(`${ownQuery}&`) ? ownQuery : '';
  target.hash = '';
  const shown = [target.href, decode(target.href), decode(decode(target.href))];
  return shown.some((text) => text.includes(verificationCode)) ? headers : { ...headers, location: target.href };
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
