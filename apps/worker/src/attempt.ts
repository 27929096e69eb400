import {
  type CallbackInput,
  composeCallback,
  judge,
  type Naming,
  noRetries,
  type Outcome,
  overloadOf,
  type RetrySettings,
  type SkipReason,
  type Verdict,
} from '@ringback/rules';
import {
  type AttemptFields,
  type AttemptRecord,
  type CallbackSecrets,
  type DeliveryTask,
  type LeaseResult,
  type SecretDecrypter,
  skipReason,
  unreadableSecretWaitMs,
} from '@ringback/ledger';
import { errorFields, type Logger, type Tracer } from '@ringback/process';
import { LargePayloads } from './large-payloads.js';
import type { Permit } from './limits/limited-webhook.js';
import type { ConcurrencyLimiter } from './limits/limiter.js';
import type { WorkerMetrics } from './metrics.js';
import { resultFields, recordedFields, type SentCallback } from './recorded-fields.js';
import type { Recorder } from './recorder.js';
import type { OutgoingRequest } from './sender/connections.js';
import type { Sender, SendResult } from './sender/send.js';

export type AttempterDeps = {
  secrets: Pick<SecretDecrypter, 'decrypt'>;
  limiter: Pick<ConcurrencyLimiter, 'acquire'>;
  recorder: Pick<Recorder, 'load' | 'loadPayload' | 'payloadBytes' | 'record' | 'end' | 'release'>;
  sender: Pick<Sender, 'send'>;
  metrics: Pick<WorkerMetrics, 'callbackStarted' | 'callbackEnded' | 'observeAttempt'>;
  /** Undefined when tracing is off. */
  tracer: Tracer | undefined;
  log: Logger;
};

export type AttemptSettings = {
  retries: RetrySettings;
  requireVerification: boolean;
  /** Nothing is sent: what would be sent is skipped. */
  isDeliveryOff: boolean;
  naming: Naming;
};

// A delivery that was loaded longer ago is loaded again before its request is sent.
const maxTaskAgeMs = 250;

/**
 * Times of `performance.now()`. `loadedAtMonotonicMs`: when the leased delivery was loaded. `sendByMonotonicMs`: the
 * latest start of its request, which renewing the lease does not move.
 */
export type LeaseTimes = { loadedAtMonotonicMs: number; sendByMonotonicMs: number };

const done: LeaseResult = { type: 'done' };

type EndedAttempt = {
  attemptNumber: number;
  startedAt: Date;
  endedAtMonotonicMs: number;
  verdict: Verdict;
};

/** Makes the attempts of leased deliveries. */
export class Attempter {
  readonly #deps: AttempterDeps;
  readonly #settings: AttemptSettings;
  readonly #largePayloads: LargePayloads;

  constructor(deps: AttempterDeps, settings: AttemptSettings) {
    this.#deps = deps;
    this.#settings = settings;
    this.#largePayloads = new LargePayloads(deps.recorder);
  }

  /**
   * Makes the next attempt of a leased delivery once it has a permit, and records it. Otherwise, the delivery is
   *
   * - skipped, if its webhook may not get callbacks or delivery is off
   * - released, without using up an attempt, if there is no permit, the event was deleted, the webhook is on hold, no
   *   key decrypts its secrets, or `sendByMonotonicMs` has passed
   * - left alone, if the lease was lost
   *
   * Throws only for internal errors.
   */
  async attempt(task: DeliveryTask, times: LeaseTimes): Promise<LeaseResult> {
    const permit = await this.#deps.limiter.acquire(task.webhookId, task.accountId);
    if (permit === null) return this.#release(task);
    try {
      const { payload } = task;
      if (payload !== null) return await this.#attemptWithPayload(task, { payload }, { times, permit });
      return await this.#largePayloads.use(task, times.sendByMonotonicMs, (large) =>
        // The event was deleted, and the next claim fails the delivery; or the worker holds too many payloads.
        large === undefined ? this.#release(task) : this.#attemptWithPayload(task, large, { times, permit }),
      );
    } finally {
      permit.release();
    }
  }

  async #attemptWithPayload(
    leased: DeliveryTask,
    payload: Pick<CallbackInput, 'payload' | 'encodedPlainBody'>,
    { times, permit }: { times: LeaseTimes; permit: Permit },
  ): Promise<LeaseResult> {
    const { recorder } = this.#deps;
    const { retries, naming } = this.#settings;
    const isUpToDate = performance.now() - times.loadedAtMonotonicMs < maxTaskAgeMs;
    const task = isUpToDate ? leased : await recorder.load(leased.id);
    // If the lease expired while the delivery waited, another worker may hold it.
    if (task?.state !== 'pending' || task.leasedAt !== leased.leasedAt) return done;
    // Loading takes long while PostgreSQL is unavailable.
    if (performance.now() > times.sendByMonotonicMs) return this.#release(task);

    const reason = skipReason(task, this.#settings) ?? (this.#settings.isDeliveryOff ? 'delivery is off' : null);
    if (reason !== null) return this.#skip(task, reason);
    if (task.isOnHold) return this.#release(task);
    const secrets = this.#deps.secrets.decrypt(task);
    if (secrets === null) return this.#release(task, unreadableSecretWaitMs * retries.timeScale);

    const attemptNumber = task.attemptCount + 1;
    const startedAt = new Date();
    const callback = composeCallback(callbackInput(task, { ...payload, secrets, attemptNumber, startedAt, naming }));
    if (!permit.tryStartRequest()) return this.#release(task);
    const { url, headers, body } = callback;
    const sent = await this.#send({ url, headers, body, ca: task.ca });
    const endedAtMonotonicMs = performance.now();
    // Recording time must not count against the receiver.
    const pauseMs = permit.reportRequestEnd({
      durationMs: sent.durationMs,
      hasResponse: sent.outcome.type === 'response',
      overload: overloadOf(sent.outcome, retries),
    });
    if (pauseMs !== null) this.#deps.log.info('webhook.overloaded', { ...idsOf(task), pause_ms: Math.round(pauseMs) });

    const verdict = judge(task.channel, sent.outcome, attemptNumber, task.isResend ? noRetries : retries);
    const ended: EndedAttempt = { attemptNumber, startedAt, endedAtMonotonicMs, verdict };
    const isRecorded = await recorder.record(recordOf(task, this.#fieldsOf(task, { callback, secrets, sent }), ended));
    const { outcome, durationMs } = sent;
    this.#report(task, { attemptNumber, startedAt, outcome, durationMs, verdict: verdict.type, isRecorded });
    return verdict.type === 'retry' ? { type: 'dueIn', waitMs: verdict.waitMs } : done;
  }

  async #send(request: OutgoingRequest): Promise<SendResult> {
    const { metrics, sender } = this.#deps;
    metrics.callbackStarted();
    try {
      return await sender.send(request);
    } finally {
      metrics.callbackEnded();
    }
  }

  /** An outcome that is known must be recorded, whatever is wrong with the details of the attempt. */
  #fieldsOf(task: DeliveryTask, sentCallback: SentCallback): AttemptFields {
    try {
      return recordedFields(task, sentCallback, this.#settings.naming);
    } catch (error) {
      this.#deps.log.error('attempt.unstorable', { delivery_id: task.id, ...errorFields(error) });
      return resultFields(sentCallback.callback.shownUrl, sentCallback.sent);
    }
  }

  async #skip(task: DeliveryTask, reason: SkipReason): Promise<LeaseResult> {
    const { id, leasedAt } = task;
    const isSkipped = await this.#deps.recorder.end({ id, leasedAt, state: 'skipped', reason });
    if (isSkipped) this.#deps.log.info('delivery.skipped', { ...idsOf(task), reason });
    return done;
  }

  async #release(task: DeliveryTask, waitMs = 0): Promise<LeaseResult> {
    await this.#deps.recorder.release(task, waitMs);
    return waitMs > 0 ? { type: 'dueIn', waitMs } : { type: 'dueNow' };
  }

  /** Logs, counts and traces an attempt. */
  #report(task: DeliveryTask, attempt: ReportedAttempt): void {
    const { log, metrics, tracer } = this.#deps;
    logAttempt(log, task, attempt);
    metrics.observeAttempt({ ...attempt, channel: task.channel, receivedAt: task.receivedAt });
    if (tracer) traceAttempt(tracer, task, attempt);
  }
}

type AttemptInput = Pick<CallbackInput, 'payload' | 'encodedPlainBody' | 'attemptNumber' | 'startedAt' | 'naming'> & {
  secrets: CallbackSecrets;
};

/** All fields are named, because V8 takes 30 µs to spread an object of this size into another one. */
function callbackInput(
  { id: deliveryId, eventName, eventId, receivedAt, accountId, webhookId, uri, bodyTemplate, signing }: DeliveryTask,
  { payload, encodedPlainBody, secrets, attemptNumber, startedAt, naming }: AttemptInput,
): CallbackInput {
  const { bearer, userinfo, signingSecrets } = secrets;
  return {
    deliveryId,
    eventName,
    eventId,
    receivedAt,
    accountId,
    webhookId,
    uri,
    bodyTemplate,
    signing,
    payload,
    encodedPlainBody,
    bearer,
    userinfo,
    signingSecrets,
    attemptNumber,
    startedAt,
    naming,
  };
}

function recordOf(
  task: DeliveryTask,
  fields: AttemptFields,
  { verdict, attemptNumber, startedAt, endedAtMonotonicMs }: EndedAttempt,
): AttemptRecord {
  return {
    deliveryId: task.id,
    number: attemptNumber,
    event: task.eventName,
    kind: task.isResend ? 'resend' : 'scheduled',
    ...fields,
    state: verdict.type === 'retry' ? 'pending' : verdict.type,
    waitMs: verdict.type === 'retry' ? verdict.waitMs : null,
    startedAt,
    endedAtMonotonicMs,
  };
}

/** What logs, metrics and traces say of an attempt. */
type ReportedAttempt = {
  attemptNumber: number;
  /** When the attempt started, by this machine's clock. */
  startedAt: Date;
  outcome: Outcome;
  durationMs: number;
  verdict: Verdict['type'];
  isRecorded: boolean;
};

/** The ids that each log line of a delivery has. */
const idsOf = (task: DeliveryTask) => ({
  delivery_id: task.id,
  event_id: task.eventId,
  webhook_id: task.webhookId,
  account_id: task.accountId,
});

function logAttempt(
  log: Logger,
  task: DeliveryTask,
  { attemptNumber, outcome, durationMs, verdict, isRecorded }: ReportedAttempt,
): void {
  const attempt = { ...idsOf(task), attempt_number: attemptNumber };
  const statusOrCode = outcome.type === 'response' ? { status: outcome.status } : { code: outcome.code };
  log.info('delivery.attempted', {
    ...attempt,
    outcome: outcome.type,
    ...statusOrCode,
    duration_ms: durationMs,
    verdict,
    ...(isRecorded ? {} : { not_recorded: true }),
  });
  if (verdict !== 'failed' || !isRecorded) return;
  // After a failed resend, a delivery may still be delivered.
  log.warn(task.isResend ? 'delivery.resend_failed' : 'delivery.failed', attempt);
}

/** Records an attempt as a span in its event's trace, without urls, addresses, bodies or headers. */
function traceAttempt(tracer: Tracer, task: DeliveryTask, attempt: ReportedAttempt): void {
  const { outcome, verdict, durationMs, startedAt } = attempt;
  const result =
    outcome.type === 'response' ? { 'http.response.status_code': outcome.status } : { 'error.type': outcome.type };
  tracer.record({
    eventId: task.eventId,
    name: 'delivery.attempt',
    kind: 'client',
    isRoot: false,
    startedAt: startedAt.getTime(),
    endedAt: startedAt.getTime() + durationMs,
    hasFailed: verdict !== 'delivered',
    attributes: {
      'ringback.delivery_id': task.id,
      'ringback.event_id': task.eventId,
      'ringback.webhook_id': task.webhookId,
      'ringback.account_id': task.accountId,
      'ringback.channel': task.channel,
      'ringback.verdict': verdict,
      'ringback.attempt': attempt.attemptNumber,
      ...result,
    },
  });
}
