import { compose } from '@ringback/callbacks';
import type { CallableTask, TestResult } from '@ringback/database';
import type { Logger } from '@ringback/runtime';
import type { JobEnd } from '../jobs/job-end.js';
import type { Sender } from '../send/send.js';
import { callOf, exchangeOf } from './exchange-record.js';
import { skipReason } from './skip-reason.js';

export type TestCallDeps = {
  take(testCallId: string): Promise<CallableTask | null>;
  record(testCallId: string, result: TestResult): Promise<void>;
  send: Sender['send'];
  log: Logger;
  requireVerification: boolean;
  version: string;
};

/**
 * Calls a webhook for somebody who waits for the result, as a callback is made but once, marked as a test, and outside
 * the ledger. One that is inactive is called, too: it is tried before it is live.
 */
export async function makeTestCall(deps: TestCallDeps, testCallId: string): Promise<JobEnd> {
  const task = await deps.take(testCallId);
  if (!task) return { type: 'done' };
  const { deleted, verification } = task;
  const reason = skipReason({ deleted, verification, active: true }, deps);
  const result: TestResult = reason === null ? await call(deps, task) : { skipped: reason };
  await deps.record(task.id, result);
  const outcome = result.skipped === null ? result.attempt.outcome : 'skipped';
  deps.log.info('test_call.made', { test_call_id: task.id, webhook_id: task.webhookId, outcome });
  return { type: 'done' };
}

async function call({ send, version }: TestCallDeps, task: CallableTask): Promise<TestResult> {
  const startedAt = new Date();
  const callback = compose({ ...task, deliveryId: task.id, attempt: 1, at: startedAt, version, isTest: true });
  const sent = await send(callback);
  const { url, warnings } = callback;
  const attempt = { startedAt, url, warnings, ...callOf(task, sent), ...exchangeOf(task, callback, sent) };
  return { skipped: null, attempt };
}
