import { Router } from 'express';
import { channels } from '@ringback/rules';
import { resumeWebhook } from '@ringback/ledger';
import type { ApiDeps } from '../deps.js';
import { databaseAsCaller } from '../http/guards/authenticate.js';
import { allowOnly } from '../http/output/errors.js';
import { resumeMessages } from './operations.js';
import { sendWebhook } from '../webhooks/etag.js';
import { webhookNotFound } from '../webhooks/webhook-not-found.js';
import { webhookParams } from '../webhooks/webhook-params.js';

/** Ends the pause of a webhook, and wakes the workers for its waiting deliveries. */
export function pausingRouter({ db, waker }: ApiDeps): Router {
  const router = Router();
  for (const [lastSegment, message] of Object.entries(resumeMessages)) {
    router
      .route(`/developer/webhooks/:id/${lastSegment}`)
      .post(async (request, response) => {
        const { accountId, id } = webhookParams(request);
        const webhook = await resumeWebhook(databaseAsCaller(request, db), accountId, id);
        if (!webhook) throw webhookNotFound();
        waker.wake(channels.map((channel) => ({ webhookId: webhook.id, channel, accountId })));
        sendWebhook(response, message, webhook);
      })
      .all(allowOnly('POST'));
  }
  return router;
}
