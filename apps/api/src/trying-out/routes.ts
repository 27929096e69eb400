import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'express';
import { type Database, endTestCall, findTestCallResult, insertTestCall, type TestCallAttempt } from '@ringback/ledger';
import { databaseAsCaller } from '../http/authenticate.js';
import type { ApiDeps } from '../http/deps.js';
import { ApiError, sendSuccess, UnprocessedError } from '../http/response.js';
import type { ApiRequest, Routes } from '../http/routes.js';
import { requireWebhook } from '../webhooks/routes.js';
import { previewResource, readPreview, readTestCall, testCallResource } from './schema.js';

/** Renders templates, and sends test calls. */
export const tryingOutRoutes = (deps: ApiDeps): Routes => ({
  'POST /developer/webhooks/preview': (request, response) =>
    sendSuccess(response, 'OK', previewResource(readPreview(request.body, deps.egressAllowList))),
  'POST /developer/webhooks/{id}/test': (request, response) => sendTestCall(deps, request, response),
});

const pollIntervalMs = 50;
// The time that the queue engine and the database may take, in addition to the callback timeout.
const overheadMs = 1_000;
// Maximum concurrent test calls of one account, in all API processes.
const maxConcurrent = 4;
// A test call that was not ended, because its API process died, stops counting 5 s after it would have timed out.
const graceMs = 5_000;

/** Starts a test call, waits for the attempt of a worker, and responds with it. */
async function sendTestCall(
  { db, queues, callbackTimeoutMs }: ApiDeps,
  request: ApiRequest,
  response: Response,
): Promise<void> {
  const webhook = await requireWebhook(db, request);
  const input = { ...readTestCall(request.body), webhookId: webhook.id };
  const limit = { maxConcurrent, staleAfterMs: callbackTimeoutMs + overheadMs + graceMs };
  const inserted = await insertTestCall(databaseAsCaller(request, db), webhook.accountId, input, limit);
  if (!inserted) {
    response.set('Retry-After', '1');
    throw new ApiError(429, `The account has ${maxConcurrent} test calls under way. Try again later.`);
  }
  // Without a job, the test call must not count towards the limit.
  await queues.enqueueTestCall(inserted.id).catch(async (error: unknown) => {
    await endTestCall(db, inserted.id).catch(() => undefined);
    throw error;
  });
  const attempt = await awaitResultAndEnd(db, inserted.id, callbackTimeoutMs + overheadMs);
  sendSuccess(response, 'OK', testCallResource({ ...input, ...inserted, attempt }));
}

/**
 * Waits for the result of a test call, and ends the test call. Throws a 503 when no worker reports the result in time,
 * or the operator's proxy failed, and a 409 when a worker refused to send the test call: the webhook is deleted or not
 * verified, or no key decrypts its secrets.
 */
async function awaitResultAndEnd(db: Database, id: string, withinMs: number): Promise<TestCallAttempt> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline && (await findTestCallResult(db, id)) === null) await sleep(pollIntervalMs);
  const { result, wasClaimed } = await endTestCall(db, id);
  if (result?.type === 'attempted') return result.attempt;
  if (result?.type === 'unavailable')
    throw new UnprocessedError(`Nothing was sent: ${result.reason}. Try again later.`);
  if (result) throw new ApiError(409, `The test call was not sent: ${result.reason}.`);
  if (!wasClaimed)
    throw new UnprocessedError('No worker started the test call in time. Nothing was sent. Try again later.');
  throw new ApiError(
    503,
    'A worker started the test call but did not report the result in time. The request may have been sent.',
  );
}
