import { setTimeout as sleep } from 'node:timers/promises';
import { composeCallback, type Naming, type Outcome } from '@ringback/rules';
import {
  type CallbackSecrets,
  claimTestCall,
  type Database,
  recordTestCall,
  type SecretDecrypter,
  skipReason,
  type TaskWithPayload,
  type TestCallAttempt,
  type TestCallResult,
} from '@ringback/ledger';
import type { Logger } from '@ringback/process';
import { type JobHandler, type JobResult, readId } from '@ringback/queue';
import type { WorkerConfig } from './config.js';
import { recordedFields } from './recorded-fields.js';
import { proxyFailureOf } from './sender/classify-error.js';
import type { Sender } from './sender/send.js';

type HandlerDeps = { db: Database; secrets: SecretDecrypter; sender: Pick<Sender, 'send'>; log: Logger };

export type TestCallDeps = {
  /** Resolves with null when the test call was claimed before, has ended or does not exist. */
  claim(testCallId: string): Promise<TaskWithPayload | null>;
  record(testCallId: string, result: TestCallResult): Promise<void>;
  secrets: Pick<SecretDecrypter, 'decrypt'>;
  sender: Pick<Sender, 'send'>;
  log: Logger;
  requireVerification: boolean;
  naming: Naming;
};

/** Creates the handler for the queue `test-calls`. Each of its jobs makes a test call and records the result. */
export function createTestCallHandler(
  { requireVerification, naming }: WorkerConfig,
  { db, secrets, sender, log }: HandlerDeps,
): JobHandler {
  const deps: TestCallDeps = {
    claim: (id) => claimTestCall(db, id),
    record: (id, result) => recordTestCall(db, id, result),
    secrets,
    sender,
    log,
    requireVerification,
    naming,
  };
  return {
    handle: ({ data }) => makeTestCall(deps, readId(data, 'testCallId')),
    // No client waits for the result any more.
    giveUp: () => Promise.resolve(),
  };
}

const unreadableSecretReason = 'a secret of the webhook cannot be decrypted';

/**
 * Makes a test call and records the result, for which an API request waits. It is a callback that is marked as a test,
 * without a delivery and retries. Inactive webhooks get it too, so that owners can try them before they activate them.
 * If nothing may be sent, only the reason is recorded.
 */
export async function makeTestCall(deps: TestCallDeps, testCallId: string): Promise<JobResult> {
  const { log, secrets } = deps;
  const task = await deps.claim(testCallId);
  if (!task) return { type: 'complete' };
  const { isDeleted, verification } = task;
  const ids = { test_call_id: task.id, webhook_id: task.webhookId };
  const skipped = skipReason({ isDeleted, verification, isActive: true }, deps);
  const decrypted = skipped === null ? secrets.decrypt(task) : null;
  if (decrypted === null) {
    const reason = skipped ?? unreadableSecretReason;
    await deps.record(task.id, { type: 'skipped', reason });
    log.info('test_call.skipped', { ...ids, reason });
    return { type: 'complete' };
  }
  const sent = await sendTestCall(deps, task, decrypted).catch((error: unknown) => {
    const code = proxyFailureOf(error);
    if (code === null) throw error;
    return code;
  });
  if (typeof sent === 'string') {
    await deps.record(task.id, { type: 'unavailable', reason: 'the proxy for callbacks does not work' });
    log.info('test_call.not_sent', { ...ids, code: sent });
    return { type: 'complete' };
  }
  const { attempt, outcome } = sent;
  await deps.record(task.id, { type: 'attempted', attempt });
  const errorCode = outcome.type === 'response' ? {} : { code: outcome.code };
  log.info('test_call.attempted', { ...ids, outcome: outcome.type, ...errorCode });
  return { type: 'complete' };
}

type SentTestCall = { attempt: TestCallAttempt; outcome: Outcome };

async function sendTestCall(
  { sender, naming }: TestCallDeps,
  task: TaskWithPayload,
  secrets: CallbackSecrets,
): Promise<SentTestCall> {
  const startedAt = new Date();
  const startedAtMonotonicMs = performance.now();
  const callback = composeCallback({
    ...task,
    ...secrets,
    deliveryId: task.id,
    attemptNumber: 1,
    startedAt,
    naming,
    isTest: true,
  });
  const sent = await sender.send({ ...callback, ca: task.ca });
  const attempt = { startedAt, ...recordedFields(task, { callback, secrets, sent }, naming) };
  // A redacted duration is rounded up. Waiting until it has passed keeps the API's response time from revealing the
  // real duration.
  const remainingMs = attempt.durationMs - (performance.now() - startedAtMonotonicMs);
  if (remainingMs > 0) await sleep(Math.ceil(remainingMs));
  return { attempt, outcome: sent.outcome };
}
