import { setTimeout as sleep } from 'node:timers/promises';
import { Router } from 'express';
import {
  type Database,
  endTestCall,
  findTestResult,
  findWebhook,
  startTestCall,
  type TestAttempt,
} from '@ringback/database';
import type { ApiDeps } from '../app.js';
import { ApiError } from '../http/api-error.js';
import { inNameOf } from '../http/authenticate.js';
import { answer } from '../http/envelope.js';
import { allowOnly } from '../http/errors.js';
import { webhookNotFound, whichWebhook } from '../webhooks/router.js';
import { readTestCall } from './input.js';
import { testCallResource } from './resource.js';

const lookEveryMs = 50;
// For the queue and the database, on top of the call.
const beyondCallMs = 1_000;
// Of one account, in all API processes together.
const maxUnderWay = 4;
// A process that dies leaves its calls behind; they count for this much longer than a call takes.
const slackMs = 5_000;

/** Calls a webhook once by a worker, and answers with how that went. */
export function testCallsRouter({ db, queues, callbackTimeoutMs }: ApiDeps): Router {
  const router = Router();
  router
    .route('/developer/webhooks/:id/test')
    .post(async (request, response) => {
      const { accountId, id } = whichWebhook(request);
      const webhook = await findWebhook(db, accountId, id);
      if (!webhook) throw webhookNotFound();
      const input = { ...readTestCall(request.body), webhookId: webhook.id };
      const limit = { maxUnderWay, forMs: callbackTimeoutMs + beyondCallMs + slackMs };
      const started = await startTestCall(inNameOf(request, db), accountId, input, limit);
      if (!started) {
        response.set('Retry-After', '1');
        throw new ApiError(429, `The account has ${maxUnderWay} test calls under way. Try again later.`);
      }
      await queues.enqueueTestCall(started.id);
      const attempt = await waitForAttempt(db, started.id, callbackTimeoutMs + beyondCallMs);
      answer(response, 'OK', testCallResource({ ...input, ...started, attempt }));
    })
    .all(allowOnly('POST'));
  return router;
}

/** How the call went. Throws a 503 when no worker says so in time, and a 409 when the webhook is not to be called. */
async function waitForAttempt(db: Database, id: string, withinMs: number): Promise<TestAttempt> {
  const until = performance.now() + withinMs;
  while (performance.now() < until && (await findTestResult(db, id)) === null) await sleep(lookEveryMs);
  const { result, taken } = await endTestCall(db, id);
  if (result?.skipped === null) return result.attempt;
  if (result) throw new ApiError(409, `The webhook is not called: ${result.skipped}.`);
  throw new ApiError(
    503,
    taken
      ? 'A worker made the call, but did not say in time how it went. Try again later.'
      : 'No worker was free to make the call in time. Nothing was sent. Try again later.',
  );
}
