import { type Request, type RequestHandler, Router } from 'express';
import {
  createWebhook,
  deactivateWebhook,
  editWebhook,
  findWebhook,
  listSubscribedEvents,
  listWebhooks,
  restoreWebhook,
  TooManyWebhooksError,
} from '@ringback/database';
import type { ApiDeps } from '../app.js';
import { ApiError, validationError } from '../http/api-error.js';
import { callerOf, inNameOf } from '../http/authenticate.js';
import { answer } from '../http/envelope.js';
import { allowOnly } from '../http/errors.js';
import { describePage, keptPerPage, readPage } from '../http/page.js';
import { queueVerification } from '../verification/router.js';
import { warningsOf } from './lint.js';
import { readNewWebhook, readWebhookChanges, readWebhookFilter } from './input.js';
import { webhookResource } from './resource.js';

export const webhookNotFound = () => new ApiError(404, 'Webhook not found.');

/** Path and caller of a request for one webhook. */
export const whichWebhook = (request: Request<{ id: string }>) => ({
  accountId: callerOf(request).accountId,
  id: request.params.id,
});

/** Makes a 422 of the error that an account has as many webhooks as it may. */
const refuseBeyond =
  (maxWebhooks: number) =>
  (error: unknown): never => {
    if (!(error instanceof TooManyWebhooksError)) throw error;
    throw validationError({ webhooks: [`An account may have at most ${maxWebhooks} webhooks that are not deleted.`] });
  };

/** The five operations of the specification on webhooks, and the restoration. */
export function webhooksRouter(deps: ApiDeps): Router {
  const { db, allow, baseUrl, maxWebhooksPerAccount: maxWebhooks } = deps;
  const router = Router();

  const edit: RequestHandler<{ id: string }> = async (request, response) => {
    const { accountId, id } = whichWebhook(request);
    if (!(await findWebhook(db, accountId, id))) throw webhookNotFound();
    const edited = await editWebhook(inNameOf(request, db), accountId, id, readWebhookChanges(request.body, allow));
    if (!edited) throw webhookNotFound();
    const { webhook, verificationId } = edited;
    if (verificationId !== null) await queueVerification(deps, verificationId);
    const events = await listSubscribedEvents(db, accountId, webhook.id);
    answer(response, 'Updated successfully', webhookResource(webhook), warningsOf(webhook, events));
  };

  router
    .route('/developer/webhooks')
    .get(async (request, response) => {
      const { kept, ...filter } = readWebhookFilter(request);
      const page = readPage(request);
      const { webhooks, total } = await listWebhooks(db, callerOf(request).accountId, { ...filter, ...page });
      const keep = [...kept, ...keptPerPage(request, page)];
      const counts = { ...page, total, count: webhooks.length };
      const more = describePage(`${baseUrl}/developer/webhooks`, keep, counts);
      answer(
        response,
        'Created successfully',
        webhooks.map((webhook) => webhookResource(webhook)),
        more,
      );
    })
    .post(async (request, response) => {
      const input = readNewWebhook(request.body, allow);
      const { webhook, verificationId } = await createWebhook(
        inNameOf(request, db),
        callerOf(request).accountId,
        input,
        { maxWebhooks },
      ).catch(refuseBeyond(maxWebhooks));
      if (verificationId !== null) await queueVerification(deps, verificationId);
      answer(response, 'Created successfully', webhookResource(webhook), warningsOf(webhook, []));
    })
    .all(allowOnly('GET', 'HEAD', 'POST'));

  router
    .route('/developer/webhooks/:id')
    .get(async (request, response) => {
      const { accountId, id } = whichWebhook(request);
      const webhook = await findWebhook(db, accountId, id);
      if (!webhook) throw webhookNotFound();
      answer(response, 'OK', webhookResource(webhook, 'number'));
    })
    .put(edit)
    .patch(edit)
    .delete(async (request, response) => {
      const { accountId, id } = whichWebhook(request);
      if (!(await deactivateWebhook(inNameOf(request, db), accountId, id))) throw webhookNotFound();
      answer(response, 'Deleted successfully', []);
    })
    .all(allowOnly('GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'));

  router
    .route('/developer/webhooks/:id/restore')
    .post(async (request, response) => {
      const { accountId, id } = whichWebhook(request);
      const restoring = restoreWebhook(inNameOf(request, db), accountId, id, { maxWebhooks });
      const webhook = await restoring.catch(refuseBeyond(maxWebhooks));
      if (!webhook) throw webhookNotFound();
      answer(response, 'Restored successfully', webhookResource(webhook));
    })
    .all(allowOnly('POST'));

  return router;
}
