import { Router } from 'express';
import { channels } from '@ringback/callbacks';
import { releaseWebhook } from '@ringback/database';
import type { ApiDeps } from '../app.js';
import { inNameOf } from '../http/authenticate.js';
import { answer } from '../http/envelope.js';
import { allowOnly } from '../http/errors.js';
import { webhookResource } from '../webhooks/resource.js';
import { webhookNotFound, whichWebhook } from '../webhooks/router.js';

/** The end of a pause: what waits for the webhook is called by the workers from then on. */
export function pausingRouter({ db, waker }: ApiDeps): Router {
  const router = Router();
  router
    .route('/developer/webhooks/:id/release')
    .post(async (request, response) => {
      const { accountId, id } = whichWebhook(request);
      const webhook = await releaseWebhook(inNameOf(request, db), accountId, id);
      if (!webhook) throw webhookNotFound();
      waker.wake(channels.map((channel) => ({ webhookId: webhook.id, channel, accountId })));
      answer(response, 'Released successfully', webhookResource(webhook));
    })
    .all(allowOnly('POST'));
  return router;
}
