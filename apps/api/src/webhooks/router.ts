import { type RequestHandler, Router } from 'express';
import {
  CallbackTokenError,
  createWebhook,
  softDeleteWebhook,
  updateWebhook,
  findWebhook,
  listSubscribedEvents,
  listWebhooks,
  restoreWebhook,
  TooManyWebhooksError,
} from '@ringback/ledger';
import type { ApiDeps } from '../deps.js';
import { validationError } from '../http/output/api-error.js';
import { callerOf, databaseAsCaller } from '../http/guards/authenticate.js';
import { sendSuccess } from '../http/output/envelope.js';
import { unknownFieldWarnings } from '../http/input/validate.js';
import { allowOnly } from '../http/output/errors.js';
import { readNumberedPage, sendNumberedPage } from '../http/pages/numbered-page.js';
import { readIfMatch, rethrowStaleWebhookError, sendWebhook } from './etag.js';
import { templateWarnings } from './warnings.js';
import {
  editFields,
  newWebhookFields,
  readNewWebhook,
  readWebhookPatch,
  readWebhookUpdate,
  readWebhookFilter,
} from './input.js';
import { webhookNotFound } from './webhook-not-found.js';
import { webhookParams } from './webhook-params.js';
import { tryEnqueueVerification } from './try-enqueue-verification.js';
import { webhookResource } from './resource.js';

const callbackTokenErrors = {
  uri:
    'The uri field cannot change in a session that is restricted to some webhooks while the webhook has no ' +
    'secret. Give a secret too.',
  secret: 'The secret field cannot be cleared in a session that is restricted to some webhooks.',
};

/** Throws a 422 for an edit that would divert the account's callback token. Throws any other error unchanged. */
function rethrowCallbackTokenError(error: unknown): never {
  if (!(error instanceof CallbackTokenError)) throw error;
  throw validationError({ [error.field]: [callbackTokenErrors[error.field]] });
}

/** Lists, creates, shows, edits, deletes and restores webhooks. */
export function webhooksRouter(deps: ApiDeps): Router {
  const { db, egressAllowList, baseUrl, maxWebhooksPerAccount: maxWebhooks } = deps;
  const router = Router();

  /** Throws a 422 for too many webhooks. Throws any other error unchanged. */
  const rethrowWebhookLimitError = (error: unknown): never => {
    if (!(error instanceof TooManyWebhooksError)) throw error;
    throw validationError({ webhooks: [`An account may have at most ${maxWebhooks} webhooks that are not deleted.`] });
  };

  const editWith =
    (read: typeof readWebhookPatch): RequestHandler<{ id: string }> =>
    async (request, response) => {
      const { accountId, id } = webhookParams(request);
      if (!(await findWebhook(db, accountId, id))) throw webhookNotFound();
      const forbidTokenDiversion = callerOf(request).webhookIds !== undefined;
      const changes = { ...read(request.body, egressAllowList), ...readIfMatch(request), forbidTokenDiversion };
      const edited = await updateWebhook(databaseAsCaller(request, db), accountId, id, changes)
        .catch(rethrowStaleWebhookError)
        .catch(rethrowCallbackTokenError);
      if (!edited) throw webhookNotFound();
      const { webhook, verificationId } = edited;
      if (verificationId !== null) await tryEnqueueVerification(deps, verificationId);
      const events = await listSubscribedEvents(db, accountId, webhook.id);
      const warnings = [...unknownFieldWarnings(request.body, editFields), ...templateWarnings(webhook, events)];
      sendWebhook(response, 'Updated successfully', webhook, { warnings });
    };

  router
    .route('/developer/webhooks')
    .get(async (request, response) => {
      const { linkQuery, ...filter } = readWebhookFilter(request);
      const { accountId, webhookIds } = callerOf(request);
      const selection = { ...filter, ...readNumberedPage(request), webhookIds };
      const { webhooks, total } = await listWebhooks(db, accountId, selection);
      const data = webhooks.map((webhook) => webhookResource(webhook));
      // The specification's message of a list (docs/reference/api.md#compatible-oddities).
      const message = 'Created successfully';
      sendNumberedPage(request, response, {
        message,
        listUrl: `${baseUrl}/developer/webhooks`,
        linkQuery,
        data,
        total,
      });
    })
    .post(async (request, response) => {
      const input = readNewWebhook(request.body, egressAllowList);
      const { webhook, verificationId } = await createWebhook(
        databaseAsCaller(request, db),
        callerOf(request).accountId,
        input,
        { maxWebhooks },
      ).catch(rethrowWebhookLimitError);
      if (verificationId !== null) await tryEnqueueVerification(deps, verificationId);
      const warnings = [...unknownFieldWarnings(request.body, newWebhookFields), ...templateWarnings(webhook, [])];
      sendWebhook(response, 'Created successfully', webhook, { warnings });
    })
    .all(allowOnly('GET', 'HEAD', 'POST'));

  router
    .route('/developer/webhooks/:id')
    .get(async (request, response) => {
      const { accountId, id } = webhookParams(request);
      const webhook = await findWebhook(db, accountId, id);
      if (!webhook) throw webhookNotFound();
      sendWebhook(response, 'OK', webhook, { status: 'number' });
    })
    .put(editWith(readWebhookUpdate))
    .patch(editWith(readWebhookPatch))
    .delete(async (request, response) => {
      const { accountId, id } = webhookParams(request);
      const deleting = softDeleteWebhook(databaseAsCaller(request, db), accountId, id, readIfMatch(request));
      if (!(await deleting.catch(rethrowStaleWebhookError))) throw webhookNotFound();
      sendSuccess(response, 'Deleted successfully', []);
    })
    .all(allowOnly('GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'));

  router
    .route('/developer/webhooks/:id/restore')
    .post(async (request, response) => {
      const { accountId, id } = webhookParams(request);
      const restoring = restoreWebhook(databaseAsCaller(request, db), accountId, id, {
        maxWebhooks,
        ...readIfMatch(request),
      });
      const webhook = await restoring.catch(rethrowWebhookLimitError).catch(rethrowStaleWebhookError);
      if (!webhook) throw webhookNotFound();
      sendWebhook(response, 'Restored successfully', webhook);
    })
    .all(allowOnly('POST'));

  return router;
}
