import { setTimeout as sleep } from 'node:timers/promises';
import { compose, type Outcome } from '@ringback/callbacks';
import type { CallableTask, TestResult } from '@ringback/database';
import type { Logger } from '@ringback/runtime';
import type { JobEnd } from '../jobs/job-end.js';
import type { Sender } from '../send/send.js';
import { callOf, exchangeOf } from './exchange-record.js';
import type { IsSealed } from './sealed.js';
import { skipReason } from './skip-reason.js';

export type TestCallDeps = {
  take(testCallId: string): Promise<CallableTask | null>;
  record(testCallId: string, result: TestResult): Promise<void>;
  isSealed: IsSealed;
  send: Sender['send'];
  log: Logger;
  requireVerification: boolean;
  version: string;
};

const sealed = 'no key of SECRETS_KEY opens its secret';

/**
 * Calls a webhook for somebody who waits for the result, as a callback is made but once, marked as a test, and outside
 * the ledger. One that is inactive is called, too: it is tried before it is live.
 */
export async function makeTestCall(deps: TestCallDeps, testCallId: string): Promise<JobEnd> {
  const task = await deps.take(testCallId);
  if (!task) return { type: 'done' };
  const { deleted, verification } = task;
  const reason = skipReason({ deleted, verification, active: true }, deps) ?? (deps.isSealed(task) ? sealed : null);
  const made = reason === null ? await call(deps, task) : { result: { skipped: reason }, outcome: null };
  await deps.record(task.id, made.result);
  const { outcome } = made;
  const code = outcome === null || outcome.type === 'response' ? {} : { code: outcome.code };
  const ids = { test_call_id: task.id, webhook_id: task.webhookId };
  deps.log.info('test_call.made', { ...ids, outcome: outcome?.type ?? 'skipped', ...code });
  return { type: 'done' };
}

type Made = { result: TestResult; outcome: Outcome };

async function call({ send, version }: TestCallDeps, task: CallableTask): Promise<Made> {
  const startedAt = new Date();
  const from = performance.now();
  const callback = compose({ ...task, deliveryId: task.id, attempt: 1, at: startedAt, version, isTest: true });
  const sent = await send(callback);
  const { url, warnings } = callback;
  const attempt = { startedAt, url, warnings, ...callOf(task, url, sent), ...exchangeOf(task, callback, sent) };
  // A duration that was rounded up is waited for, so that the answer's time tells no more than the record does.
  const leftMs = attempt.durationMs - (performance.now() - from);
  if (leftMs > 1) await sleep(leftMs);
  return { result: { skipped: null, attempt }, outcome: sent.outcome };
}
