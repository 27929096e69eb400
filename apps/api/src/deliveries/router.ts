import { type Request, Router } from 'express';
import { sentRequest } from '@ringback/callbacks';
import { findDelivery, findMessage, listDeliveryLog } from '@ringback/database';
import { resend } from '@ringback/intake';
import type { ApiDeps } from '../app.js';
import { ApiError } from '../http/api-error.js';
import { callerOf, inNameOf } from '../http/authenticate.js';
import { describeCursorPage, readCursor } from '../http/cursor-page.js';
import { answer } from '../http/envelope.js';
import { allowOnly } from '../http/errors.js';
import { keptPerPage, readPage } from '../http/page.js';
import { isStorable } from '../http/validate.js';
import { curlCommand } from './curl.js';
import { readDeliveryFilter } from './filter.js';
import { deliveryDetailResource, deliveryResource, messageResource } from './resource.js';

/** The delivery log: what was sent, what was answered, and what happened to a message. */
export function deliveriesRouter({ db, waker, baseUrl }: ApiDeps): Router {
  const router = Router();
  const find = async (request: Request<{ id: string }>) => {
    const delivery = await findDelivery(db, callerOf(request).accountId, request.params.id);
    if (!delivery) throw new ApiError(404, 'Delivery not found.');
    return delivery;
  };

  router
    .route('/developer/deliveries')
    .get(async (request, response) => {
      const { filter, kept } = readDeliveryFilter(request);
      const cursor = readCursor(request);
      const page = readPage(request);
      const { accountId } = callerOf(request);
      const { deliveries, ...places } = await listDeliveryLog(db, accountId, { filter, cursor, ...page });
      const keep = [...kept, ...keptPerPage(request, page)];
      const more = describeCursorPage(`${baseUrl}/developer/deliveries`, keep, { ...page, ...places });
      answer(response, 'OK', deliveries.map(deliveryResource), more);
    })
    .all(allowOnly('GET', 'HEAD'));

  router
    .route('/developer/deliveries/:id')
    .get(async (request, response) => answer(response, 'OK', deliveryDetailResource(await find(request))))
    .all(allowOnly('GET', 'HEAD'));

  router
    .route('/developer/deliveries/:id/curl')
    .get(async (request, response) => {
      const delivery = await find(request);
      const newest = delivery.made.at(-1);
      if (!newest) throw new ApiError(404, 'Attempt not found.');
      const sent = sentRequest(delivery, newest);
      if (sent.headers === null) throw new ApiError(409, 'The request of this attempt was not kept.');
      answer(response, 'OK', { command: curlCommand(sent) });
    })
    .all(allowOnly('GET', 'HEAD'));

  router
    .route('/developer/deliveries/:id/resend')
    .post(async (request, response) => {
      const delivery = await find(request);
      const deps = { db: inNameOf(request, db), waker };
      const obstacle = await resend(deps, callerOf(request).accountId, delivery);
      if (obstacle !== null) throw new ApiError(409, `The webhook is ${obstacle}.`);
      answer(response, 'Resend started', deliveryDetailResource(await find(request)));
    })
    .all(allowOnly('POST'));

  router
    .route('/developer/messages/:message_id')
    .get(async (request, response) => {
      const messageId = request.params.message_id;
      const { accountId } = callerOf(request);
      const timeline = isStorable(messageId) ? await findMessage(db, accountId, messageId) : null;
      if (!timeline) throw new ApiError(404, 'Message not found.');
      answer(response, 'OK', messageResource(messageId, timeline));
    })
    .all(allowOnly('GET', 'HEAD'));

  return router;
}
