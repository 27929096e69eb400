import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Callback,
  type Channel,
  composeCallback,
  judge,
  noRetries,
  type Outcome,
  plainBody,
  type RetrySettings,
  type Verdict,
} from '@ringback/rules';
import {
  type AttemptRecord,
  type CallbackSecrets,
  type Database,
  type DeliveryTask,
  openSecrets,
  type SealedWebhook,
  UnreadableSecretError,
} from '@ringback/ledger';
import { errorFields, type Logger, setBounded, type Tracer } from '@ringback/process';
import type { Permit } from './limits/limited-webhooks.js';
import type { ConcurrencyLimiter } from './limits/limiter.js';
import type { WorkerMetrics } from './metrics.js';
import { recordedFields } from './recorded-fields.js';
import type { Recorder } from './recorder.js';
import type { Sender, SendResult } from './sender/send.js';

export type AttempterDeps = {
  db: Pick<Database, 'secrets'>;
  limiter: Pick<ConcurrencyLimiter, 'acquire'>;
  recorder: Pick<Recorder, 'load' | 'loadPayload' | 'record' | 'skip' | 'release'>;
  sender: Pick<Sender, 'send'>;
  metrics: Pick<WorkerMetrics, 'countInFlight' | 'observeAttempt'>;
  /** Undefined when tracing is off. */
  tracer: Tracer | undefined;
  log: Logger;
};

export type AttemptSettings = { retries: RetrySettings; requireVerification: boolean; version: string };

// A delivery that was loaded longer ago is loaded again before its request is sent.
const maxTaskAgeMs = 250;

/**
 * Times of `performance.now()`. `loadedAtMonotonicMs`: when the leased delivery was loaded. `sendByMonotonicMs`: the
 * latest start of its request, which renewing the lease does not move.
 */
export type LeaseTimes = { loadedAtMonotonicMs: number; sendByMonotonicMs: number };

/** What is left to do for a delivery after its lease ended. */
export type LeaseResult =
  /** Nothing: the delivery is final, or its lease was lost. */
  | { type: 'done' }
  /** Released without an attempt and without a wait. A claim decides what follows: it leaves out a paused webhook. */
  | { type: 'dueNow' }
  /** The delivery is due after `waitMs`: for a retry, or after a release with a wait. */
  | { type: 'dueIn'; waitMs: number };

const done: LeaseResult = { type: 'done' };

type PermittedAttempt = { task: DeliveryTask; payload: Payload; permit: Permit };

type OpenTask = DeliveryTask & CallbackSecrets;

type EndedAttempt = {
  attemptNumber: number;
  startedAt: Date;
  endedAtMonotonicMs: number;
  sent: SendResult;
  verdict: Verdict;
};

/** Makes the attempts of leased deliveries. */
export class Attempter {
  readonly #deps: AttempterDeps;
  readonly #settings: AttemptSettings;
  readonly #payloads: Payloads;
  readonly #secrets: SecretOpener;
  readonly #send: Sender['send'];

  constructor(deps: AttempterDeps, settings: AttemptSettings) {
    this.#deps = deps;
    this.#settings = settings;
    this.#payloads = new Payloads(deps.recorder);
    this.#secrets = new SecretOpener(deps.db, deps.log);
    this.#send = deps.metrics.countInFlight((request) => deps.sender.send(request));
  }

  /**
   * Makes the next attempt of a leased delivery when the limiter has granted a permit. Skips the delivery when its
   * webhook may not get callbacks. Releases the lease without an attempt when the limiter grants no permit or closes,
   * when the event was deleted, when the webhook is paused, when no key decrypts its secrets, or after
   * `sendByMonotonicMs`. Does nothing when the lease was lost. Throws only for internal errors, which use up no
   * attempt.
   */
  async attempt(task: DeliveryTask, times: LeaseTimes): Promise<LeaseResult> {
    const permit = await this.#deps.limiter.acquire(task.webhookId, task.accountId);
    if (permit === null) return this.#release(task);
    try {
      const result = await this.#payloads.use(task, times, (payload) =>
        this.#sendIfLeased({ task, payload, permit }, times),
      );
      // The event was deleted. The next claim fails the delivery.
      return result ?? (await this.#release(task));
    } finally {
      permit.release();
    }
  }

  async #release(task: DeliveryTask, waitMs = 0): Promise<LeaseResult> {
    await this.#deps.recorder.release(task, waitMs);
    return waitMs > 0 ? { type: 'dueIn', waitMs } : { type: 'dueNow' };
  }

  /** Continues with `#sendIfAllowed`. Releases the lease after `sendByMonotonicMs`; does nothing if it was lost. */
  async #sendIfLeased(
    { task, payload, permit }: PermittedAttempt,
    { loadedAtMonotonicMs, sendByMonotonicMs }: LeaseTimes,
  ): Promise<LeaseResult> {
    const isUpToDate = performance.now() - loadedAtMonotonicMs < maxTaskAgeMs;
    const current = isUpToDate ? task : await this.#deps.recorder.load(task.id);
    // If the lease expired while the delivery waited, another worker may hold it.
    if (current?.state !== 'pending' || current.leasedAt !== task.leasedAt) return done;
    // Loading takes long while PostgreSQL is unavailable.
    if (performance.now() > sendByMonotonicMs) return this.#release(task);
    return this.#sendIfAllowed({ task: current, payload, permit });
  }

  /** Sends the callback. If the webhook's current state forbids an attempt, skips the delivery or releases the lease. */
  async #sendIfAllowed(prepared: PermittedAttempt): Promise<LeaseResult> {
    const { task } = prepared;
    const reason = skipReason(task, this.#settings);
    if (reason !== null) {
      await this.#deps.recorder.skip(task, reason);
      this.#deps.log.info('delivery.skipped', { ...idsOf(task), reason });
      return done;
    }
    if (task.isPaused) return this.#release(task);
    const secrets = this.#secrets.open(task);
    if (secrets === null) return this.#release(task, unreadableSecretWaitMs * this.#settings.retries.timeScale);
    return this.#sendAndRecord({ ...prepared, task: { ...task, ...secrets } });
  }

  /**
   * Composes and sends the callback, judges its outcome, and records the attempt. If the limiter closed, releases the
   * lease instead.
   */
  async #sendAndRecord({ task, payload, permit }: PermittedAttempt & { task: OpenTask }): Promise<LeaseResult> {
    const { recorder, metrics, tracer } = this.#deps;
    const { retries, version } = this.#settings;
    const attemptNumber = task.attemptCount + 1;
    const startedAt = new Date();
    const callback = composeCallback({ ...task, ...payload, deliveryId: task.id, attemptNumber, startedAt, version });
    if (!permit.tryStartRequest()) return this.#release(task);
    const sent = await this.#send(callback);
    const endedAtMonotonicMs = performance.now();
    // Recording time must not count against the receiver.
    permit.reportRequestEnd({ durationMs: sent.durationMs, hasResponse: sent.outcome.type === 'response' });
    const verdict = judge(task.channel, sent.outcome, attemptNumber, task.isResend ? noRetries : retries);
    const ended: EndedAttempt = { attemptNumber, startedAt, endedAtMonotonicMs, sent, verdict };
    const isRecorded = await recorder.record(recordOf(task, callback, ended));
    logAttempt(this.#deps.log, task, { ...ended, isRecorded });
    const summary = summaryOf(task, ended);
    metrics.observeAttempt(summary);
    if (tracer) traceAttempt(tracer, summary);
    return verdict.type === 'retry' ? { type: 'dueIn', waitMs: verdict.waitMs } : done;
  }
}

/** Whether an attempt of this delivery is its first: not a retry, a resend or a replay. */
export const isFirstAttempt = ({ attemptCount, isResend }: DeliveryTask): boolean => attemptCount === 0 && !isResend;

/** Why a delivery is skipped; null if it may be attempted. Checked before every attempt. */
export function skipReason(
  task: Pick<DeliveryTask, 'isDeleted' | 'isActive' | 'verification'>,
  { requireVerification }: { requireVerification: boolean },
): string | null {
  if (task.isDeleted) return 'webhook deleted';
  if (!task.isActive) return 'webhook inactive';
  const isUnverified = task.verification !== null && task.verification !== 'passed';
  if (requireVerification && isUnverified) return 'webhook not verified';
  return null;
}

/** How long an attempt is postponed when no configured key decrypts a secret that it needs. */
export const unreadableSecretWaitMs = 60_000;

const maxLoggedWebhooks = 10_000;

/** Decrypts the secrets of webhooks, and logs those that are encrypted with a key that this process does not have. */
export class SecretOpener {
  readonly #db: Pick<Database, 'secrets'>;
  readonly #log: Pick<Logger, 'error'>;
  readonly #loggedAtMonotonicMs = new Map<string, number>();

  constructor(db: Pick<Database, 'secrets'>, log: Pick<Logger, 'error'>) {
    this.#db = db;
    this.#log = log;
  }

  /**
   * The secrets that a request needs. Null if no key decrypts one of them; this logs the webhook and the field, at most
   * once a minute for each webhook.
   */
  open(webhook: SealedWebhook, options: { needsCode?: boolean } = {}): CallbackSecrets | null {
    try {
      return openSecrets(this.#db, webhook, options);
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error;
      this.#logAtMostOncePerMinute(webhook.webhookId, error);
      return null;
    }
  }

  #logAtMostOncePerMinute(webhookId: string, error: UnreadableSecretError): void {
    const now = performance.now();
    if (now - (this.#loggedAtMonotonicMs.get(webhookId) ?? -Infinity) < unreadableSecretWaitMs) return;
    setBounded(this.#loggedAtMonotonicMs, webhookId, now, maxLoggedWebhooks);
    this.#log.error('webhook.secret_unreadable', { webhook_id: webhookId, ...errorFields(error) });
  }
}

const maxBytesPerMs = 100_000;

/** An event's payload. A large one has `encodedPlainBody`, the bytes of `plainBody`, which attempts share. */
export type Payload = { payload: string; encodedPlainBody?: Buffer };

type LargePayload = Required<Payload>;

/**
 * The payloads of events. Large ones are not part of their tasks. Concurrent attempts of one event share its payload.
 * Attempts with large payloads start at a rate of at most 100 MB a second: signing and sending that much takes half of
 * a worker's time.
 */
export class Payloads {
  readonly #recorder: Pick<Recorder, 'loadPayload'>;
  readonly #shared = new Map<string, { userCount: number; loaded: Promise<LargePayload | undefined> }>();
  #nextStart: Promise<void> = Promise.resolve();

  constructor(recorder: Pick<Recorder, 'loadPayload'>) {
    this.#recorder = recorder;
  }

  /**
   * Runs a function with the payload of a task, and resolves with the function's result. Resolves with undefined,
   * without a call, if a payload has to be loaded and its event was deleted. `sendByMonotonicMs`: the latest time of
   * `performance.now()` at which the function sends the payload.
   */
  async use<T>(
    task: DeliveryTask,
    { sendByMonotonicMs }: Pick<LeaseTimes, 'sendByMonotonicMs'>,
    run: (payload: Payload) => Promise<T>,
  ): Promise<T | undefined> {
    if (task.payload !== null) return run({ payload: task.payload });
    const entry = this.#shared.get(task.eventId) ?? { userCount: 0, loaded: this.#load(task) };
    this.#shared.set(task.eventId, entry);
    entry.userCount++;
    try {
      const payload = await entry.loaded;
      if (payload === undefined) return undefined;
      const start = this.#nextStart;
      // A payload whose turn comes too late is not sent, so the next one need not wait for it.
      this.#nextStart = start.then(() =>
        performance.now() > sendByMonotonicMs ? undefined : sleep(payload.encodedPlainBody.length / maxBytesPerMs),
      );
      await start;
      return await run(payload);
    } finally {
      if (--entry.userCount === 0) this.#shared.delete(task.eventId);
    }
  }

  async #load({ eventId, eventName }: DeliveryTask): Promise<LargePayload | undefined> {
    const payload = await this.#recorder.loadPayload(eventId);
    if (payload === undefined) return undefined;
    return { payload, encodedPlainBody: Buffer.from(plainBody(eventName, payload), 'utf8') };
  }
}

const idsOf = (task: DeliveryTask) => ({
  delivery_id: task.id,
  event_id: task.eventId,
  webhook_id: task.webhookId,
  account_id: task.accountId,
});

function summaryOf(
  { id: deliveryId, eventId, webhookId, accountId, channel, receivedAt }: DeliveryTask,
  { attemptNumber, startedAt, sent, verdict }: EndedAttempt,
): AttemptSummary {
  const { outcome, durationMs } = sent;
  const ids = { deliveryId, eventId, webhookId, accountId };
  return { ...ids, attemptNumber, startedAt, channel, receivedAt, outcome, durationMs, verdict: verdict.type };
}

function recordOf(
  task: OpenTask,
  callback: Callback,
  { sent, verdict, attemptNumber, startedAt, endedAtMonotonicMs }: EndedAttempt,
): AttemptRecord {
  return {
    deliveryId: task.id,
    number: attemptNumber,
    event: task.eventName,
    kind: task.isResend ? 'resend' : 'scheduled',
    ...recordedFields(task, callback, sent),
    state: verdict.type === 'retry' ? 'pending' : verdict.type,
    waitMs: verdict.type === 'retry' ? verdict.waitMs : null,
    startedAt,
    endedAtMonotonicMs,
  };
}

function logAttempt(
  log: Logger,
  task: DeliveryTask,
  { attemptNumber, sent, verdict, isRecorded }: EndedAttempt & { isRecorded: boolean },
): void {
  const { outcome, durationMs } = sent;
  const statusOrCode = outcome.type === 'response' ? { status: outcome.status } : { code: outcome.code };
  const fields = {
    ...idsOf(task),
    attempt_number: attemptNumber,
    outcome: outcome.type,
    ...statusOrCode,
    duration_ms: durationMs,
  };
  log.info('delivery.attempted', { ...fields, verdict: verdict.type, ...(isRecorded ? {} : { not_recorded: true }) });
  if (verdict.type !== 'failed' || !isRecorded) return;
  // After a failed resend, a delivery may still be delivered.
  log.warn(task.isResend ? 'delivery.resend_failed' : 'delivery.failed', {
    ...idsOf(task),
    attempt_number: attemptNumber,
  });
}

/** What metrics and traces need of an attempt. */
export type AttemptSummary = {
  deliveryId: string;
  eventId: string;
  webhookId: string;
  accountId: string;
  channel: Channel;
  attemptNumber: number;
  outcome: Outcome;
  verdict: Verdict['type'];
  durationMs: number;
  /** When the event was stored, by PostgreSQL's clock. */
  receivedAt: Date;
  /** When the attempt started, by this machine's clock. */
  startedAt: Date;
};

/** Records an attempt as a span in its event's trace, without urls, addresses, bodies or headers. */
function traceAttempt(tracer: Tracer, attempt: AttemptSummary): void {
  const { eventId, outcome, verdict, durationMs, startedAt } = attempt;
  const result =
    outcome.type === 'response' ? { 'http.response.status_code': outcome.status } : { 'error.type': outcome.type };
  tracer.record({
    eventId,
    name: 'delivery.attempt',
    kind: 'client',
    isRoot: false,
    startedAt: startedAt.getTime(),
    endedAt: startedAt.getTime() + durationMs,
    hasFailed: verdict !== 'delivered',
    attributes: {
      'ringback.delivery_id': attempt.deliveryId,
      'ringback.event_id': eventId,
      'ringback.webhook_id': attempt.webhookId,
      'ringback.account_id': attempt.accountId,
      'ringback.channel': attempt.channel,
      'ringback.verdict': verdict,
      'ringback.attempt': attempt.attemptNumber,
      ...result,
    },
  });
}
