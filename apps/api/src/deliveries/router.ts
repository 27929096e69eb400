import { type Request, Router } from 'express';
import { isStorable, restoreRequest } from '@ringback/rules';
import { findDelivery, findMessageTimeline, listDeliveries, resendOrMakeDue } from '@ringback/ledger';
import type { ApiDeps } from '../deps.js';
import { ApiError } from '../http/output/api-error.js';
import { callerOf, databaseAsCaller } from '../http/guards/authenticate.js';
import { readCursorPage, sendCursorPage } from '../http/pages/cursor-page.js';
import { sendSuccess } from '../http/output/envelope.js';
import { allowOnly } from '../http/output/errors.js';
import { canSeeWebhook } from '../webhooks/visibility.js';
import { curlCommand } from './curl.js';
import { readDeliveryFilter } from './filter.js';
import { deliveryDetailResource, deliveryResource, messageResource } from './resource.js';

/** The delivery log: lists, details, curl commands, resends, and the timeline of a message. */
export function deliveriesRouter({ db, waker, baseUrl }: ApiDeps): Router {
  const router = Router();
  const findVisibleDelivery = async (request: Request<{ id: string }>) => {
    const delivery = await findDelivery(db, callerOf(request).accountId, request.params.id);
    if (!delivery || !canSeeWebhook(request, delivery.webhookId)) throw new ApiError(404, 'Delivery not found.');
    return delivery;
  };

  router
    .route('/developer/deliveries')
    .get(async (request, response) => {
      const { filter, linkQuery } = readDeliveryFilter(request);
      const { accountId, webhookIds } = callerOf(request);
      const selection = { filter, webhookIds, ...readCursorPage(request) };
      const { deliveries, ...adjacentCursors } = await listDeliveries(db, accountId, selection);
      const data = deliveries.map(deliveryResource);
      sendCursorPage(request, response, {
        listUrl: `${baseUrl}/developer/deliveries`,
        linkQuery,
        data,
        ...adjacentCursors,
      });
    })
    .all(allowOnly('GET', 'HEAD'));

  router
    .route('/developer/deliveries/:id')
    .get(async (request, response) =>
      sendSuccess(response, 'OK', deliveryDetailResource(await findVisibleDelivery(request))),
    )
    .all(allowOnly('GET', 'HEAD'));

  router
    .route('/developer/deliveries/:id/curl')
    .get(async (request, response) => {
      const delivery = await findVisibleDelivery(request);
      const newest = delivery.attempts.at(-1);
      if (!newest) throw new ApiError(404, 'Attempt not found.');
      const sent = restoreRequest(delivery, newest);
      if (sent.headers === null) throw new ApiError(409, 'The request of this attempt was not kept.');
      sendSuccess(response, 'OK', { command: curlCommand(sent) });
    })
    .all(allowOnly('GET', 'HEAD'));

  router
    .route('/developer/deliveries/:id/resend')
    .post(async (request, response) => {
      const delivery = await findVisibleDelivery(request);
      const deps = { db: databaseAsCaller(request, db), waker };
      const unavailableReason = await resendOrMakeDue(deps, callerOf(request).accountId, delivery);
      if (unavailableReason !== null) throw new ApiError(409, `The webhook is ${unavailableReason}.`);
      sendSuccess(response, 'Resend started', deliveryDetailResource(await findVisibleDelivery(request)));
    })
    .all(allowOnly('POST'));

  router
    .route('/developer/messages/:message_id')
    .get(async (request, response) => {
      const messageId = request.params.message_id;
      const { accountId, webhookIds } = callerOf(request);
      const timeline = isStorable(messageId) ? await findMessageTimeline(db, accountId, messageId, webhookIds) : null;
      if (!timeline) throw new ApiError(404, 'Message not found.');
      sendSuccess(response, 'OK', messageResource(messageId, timeline));
    })
    .all(allowOnly('GET', 'HEAD'));

  return router;
}
