import { setTimeout as sleep } from 'node:timers/promises';
import { compose, type Outcome } from '@ringback/callbacks';
import type { CallableTask, TestResult } from '@ringback/database';
import type { Logger } from '@ringback/runtime';
import type { JobResult } from '../jobs/job-result.js';
import type { Sender } from '../send/send.js';
import { exchangeFields, outcomeFields } from './exchange-fields.js';
import type { HasUnreadableSecret } from './unreadable-secrets.js';
import { skipReason } from './skip-reason.js';

export type TestCallDeps = {
  take(testCallId: string): Promise<CallableTask | null>;
  record(testCallId: string, result: TestResult): Promise<void>;
  hasUnreadableSecret: HasUnreadableSecret;
  send: Sender['send'];
  log: Logger;
  requireVerification: boolean;
  version: string;
};

const unreadableSecretReason = 'a secret of the webhook cannot be decrypted';

/**
 * Makes one test call to a webhook while an API client waits for the result. A test call is like a callback, but is
 * marked as a test and has no delivery and no retries. Inactive webhooks are called too, so that owners can test before
 * they activate.
 */
export async function makeTestCall(deps: TestCallDeps, testCallId: string): Promise<JobResult> {
  const task = await deps.take(testCallId);
  if (!task) return { type: 'complete' };
  const { deleted, verification } = task;
  const reason =
    skipReason({ deleted, verification, active: true }, deps) ??
    (deps.hasUnreadableSecret(task) ? unreadableSecretReason : null);
  const called = reason === null ? await call(deps, task) : { result: { skipped: reason }, outcome: null };
  await deps.record(task.id, called.result);
  const { outcome } = called;
  const code = outcome === null || outcome.type === 'response' ? {} : { code: outcome.code };
  const ids = { test_call_id: task.id, webhook_id: task.webhookId };
  deps.log.info('test_call.made', { ...ids, outcome: outcome?.type ?? 'skipped', ...code });
  return { type: 'complete' };
}

type TestCall = { result: TestResult; outcome: Outcome };

async function call({ send, version }: TestCallDeps, task: CallableTask): Promise<TestCall> {
  const startedAt = new Date();
  const startedAtMs = performance.now();
  const callback = compose({ ...task, deliveryId: task.id, attempt: 1, at: startedAt, version, isTest: true });
  const sent = await send(callback);
  const { url, warnings } = callback;
  const attempt = {
    startedAt,
    url,
    warnings,
    ...outcomeFields(task, url, sent),
    ...exchangeFields(task, callback, sent),
  };
  // A redacted duration is rounded up. Waiting for the rest keeps the time of the API's response from revealing more.
  const leftMs = attempt.durationMs - (performance.now() - startedAtMs);
  if (leftMs > 0) await sleep(Math.ceil(leftMs));
  return { result: { skipped: null, attempt }, outcome: sent.outcome };
}
