import type { Request, Response } from 'express';
import {
  type Database,
  type DeliveryDetail,
  findDelivery,
  findMessageTimeline,
  listDeliveries,
  scheduleNow,
} from '@ringback/ledger';
import { isStorable, restoreRequest } from '@ringback/rules';
import { callerOf, canSeeWebhook, databaseAsCaller } from '../http/authenticate.js';
import type { ApiDeps } from '../http/deps.js';
import { readCursorPage, sendCursorPage } from '../http/pages.js';
import { ApiError, sendSuccess } from '../http/response.js';
import type { ApiRequest, Routes } from '../http/routes.js';
import { curlCommand } from './curl.js';
import { readDeliveryFilter } from './filter.js';
import { deliveryDetailResource, deliveryResource, messageResource } from './schema.js';

/** The delivery log: lists, details, curl commands, resends, and the timeline of a message. */
export const deliveryRoutes = (deps: ApiDeps): Routes => ({
  'GET /developer/deliveries': (request, response) => list(deps, request, response),
  'GET /developer/deliveries/{id}': (request, response) => show(deps, request, response),
  'GET /developer/deliveries/{id}/curl': (request, response) => showCurl(deps, request, response),
  'POST /developer/deliveries/{id}/resend': (request, response) => resend(deps, request, response),
  'GET /developer/messages/{message_id}': (request, response) => showMessage(deps, request, response),
});

async function list({ db, baseUrl }: ApiDeps, request: Request, response: Response): Promise<void> {
  const { filter, linkQuery } = readDeliveryFilter(request);
  const { accountId, webhookIds } = callerOf(request);
  const selection = { filter, webhookIds, ...readCursorPage(request) };
  const { deliveries, ...adjacentCursors } = await listDeliveries(db, accountId, selection);
  const data = deliveries.map(deliveryResource);
  const listUrl = `${baseUrl}/developer/deliveries`;
  sendCursorPage(request, response, { listUrl, linkQuery, data, ...adjacentCursors });
}

async function show({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  sendSuccess(response, 'OK', deliveryDetailResource(await requireDelivery(db, request)));
}

async function showCurl({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const delivery = await requireDelivery(db, request);
  const newest = delivery.attempts.at(-1);
  if (!newest) throw new ApiError(404, 'Attempt not found.');
  const sent = restoreRequest(delivery, newest);
  if (sent.headers === null) throw new ApiError(409, 'The request of this attempt was not kept.');
  sendSuccess(response, 'OK', { command: curlCommand(sent) });
}

async function resend({ db, waker }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const delivery = await requireDelivery(db, request);
  const deps = { db: databaseAsCaller(request, db), waker };
  const unavailableReason = await scheduleNow(deps, callerOf(request).accountId, delivery);
  if (unavailableReason !== null) throw new ApiError(409, `The webhook is ${unavailableReason}.`);
  sendSuccess(response, 'Resend started', deliveryDetailResource(await requireDelivery(db, request)));
}

async function showMessage({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const messageId = request.params.message_id;
  const { accountId, webhookIds } = callerOf(request);
  const timeline = isStorable(messageId) ? await findMessageTimeline(db, accountId, messageId, webhookIds) : null;
  if (!timeline) throw new ApiError(404, 'Message not found.');
  sendSuccess(response, 'OK', messageResource(messageId, timeline));
}

async function requireDelivery(db: Database, request: ApiRequest): Promise<DeliveryDetail> {
  const delivery = await findDelivery(db, callerOf(request).accountId, request.params.id);
  if (!delivery || !canSeeWebhook(request, delivery.webhookId)) throw new ApiError(404, 'Delivery not found.');
  return delivery;
}
