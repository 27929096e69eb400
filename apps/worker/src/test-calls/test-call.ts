import { setTimeout as sleep } from 'node:timers/promises';
import { composeCallback, type Outcome } from '@ringback/rules';
import type { TaskWithPayload, TestCallAttempt, TestCallResult } from '@ringback/ledger';
import type { JobResult } from '@ringback/queue';
import type { Logger } from '@ringback/process';
import type { Sender } from '../send/send.js';
import { recordedFields } from '../attempt/recorded-fields.js';
import type { HasUnreadableSecret } from '../attempt/unreadable-secrets.js';
import { skipReason } from '../attempt/skip-reason.js';

export type TestCallDeps = {
  /** Resolves with null when the test call was claimed before, has ended or does not exist. */
  claim(testCallId: string): Promise<TaskWithPayload | null>;
  record(testCallId: string, result: TestCallResult): Promise<void>;
  hasUnreadableSecret: HasUnreadableSecret;
  send: Sender['send'];
  log: Logger;
  requireVerification: boolean;
  version: string;
};

const unreadableSecretReason = 'a secret of the webhook cannot be decrypted';

/**
 * Makes a test call to a webhook, and records the result, for which an API client waits. A test call is like a
 * callback, but is marked as a test and has no delivery and no retries. Inactive webhooks get test calls too, so that
 * owners can test a webhook before they activate it. Records only the reason if the webhook was deleted or is not
 * verified, or if no key decrypts a secret of it.
 */
export async function makeTestCall(deps: TestCallDeps, testCallId: string): Promise<JobResult> {
  const task = await deps.claim(testCallId);
  if (!task) return { type: 'complete' };
  const { isDeleted, verification } = task;
  const ids = { test_call_id: task.id, webhook_id: task.webhookId };
  const reason =
    skipReason({ isDeleted, verification, isActive: true }, deps) ??
    (deps.hasUnreadableSecret(task) ? unreadableSecretReason : null);
  if (reason === null) {
    const { attempt, outcome } = await sendTestCall(deps, task);
    await deps.record(task.id, { type: 'attempted', attempt });
    const errorCode = outcome.type === 'response' ? {} : { code: outcome.code };
    deps.log.info('test_call.attempted', { ...ids, outcome: outcome.type, ...errorCode });
  } else {
    await deps.record(task.id, { type: 'skipped', reason });
    deps.log.info('test_call.skipped', { ...ids, reason });
  }
  return { type: 'complete' };
}

type SentTestCall = { attempt: TestCallAttempt; outcome: Outcome };

async function sendTestCall({ send, version }: TestCallDeps, task: TaskWithPayload): Promise<SentTestCall> {
  const startedAt = new Date();
  const startedAtMonotonicMs = performance.now();
  const callback = composeCallback({
    ...task,
    deliveryId: task.id,
    attemptNumber: 1,
    startedAt,
    version,
    isTest: true,
  });
  const sent = await send(callback);
  const attempt = { startedAt, ...recordedFields(task, callback, sent) };
  // A redacted duration is rounded up. Waiting until it has passed keeps the API's response time from revealing the
  // real duration.
  const remainingMs = attempt.durationMs - (performance.now() - startedAtMonotonicMs);
  if (remainingMs > 0) await sleep(Math.ceil(remainingMs));
  return { attempt, outcome: sent.outcome };
}
