import type { Request, Response } from 'express';
import {
  type Database,
  findSubscription,
  findWebhook,
  listSubscriptions,
  maxSubscribers,
  subscribe,
  type Subscription,
  TooManySubscribersError,
  unsubscribe,
} from '@ringback/ledger';
import { callerOf, canSeeWebhook, databaseAsCaller } from '../http/authenticate.js';
import type { ApiDeps } from '../http/deps.js';
import { readWebhookIdFilter, unknownFieldWarnings } from '../http/input.js';
import { readNumberedPage, sendNumberedPage } from '../http/pages.js';
import { ApiError, sendSuccess, validationError } from '../http/response.js';
import type { ApiRequest, Routes } from '../http/routes.js';
import { newSubscriptionFields, readSubscription, subscriptionResource } from './schema.js';

/** Lists, creates, shows and deletes subscriptions. A subscription cannot be edited. */
export const subscriptionRoutes = (deps: ApiDeps): Routes => ({
  'GET /developer/subscriptions': (request, response) => list(deps, request, response),
  'POST /developer/subscriptions': (request, response) => create(deps, request, response),
  'GET /developer/subscriptions/{id}': (request, response) => show(deps, request, response),
  'DELETE /developer/subscriptions/{id}': (request, response) => remove(deps, request, response),
});

async function list({ db, baseUrl }: ApiDeps, request: Request, response: Response): Promise<void> {
  const { webhookId, linkQuery } = readWebhookIdFilter(request);
  const { accountId, webhookIds: visibleIds } = callerOf(request);
  const webhookIds = webhookId === undefined ? visibleIds : [webhookId].filter((id) => canSeeWebhook(request, id));
  const selection = { ...readNumberedPage(request), webhookIds };
  const { subscriptions, total } = await listSubscriptions(db, accountId, selection);
  const data = subscriptions.map(subscriptionResource);
  const listUrl = `${baseUrl}/developer/subscriptions`;
  sendNumberedPage(request, response, { message: 'Subscriptions List', listUrl, linkQuery, data, total });
}

async function create({ db }: ApiDeps, request: Request, response: Response): Promise<void> {
  const { accountId } = callerOf(request);
  const input = readSubscription(request.body);
  if (!(await findWebhook(db, accountId, input.webhookId)))
    throw validationError({ webhook_id: ['The selected webhook id is invalid.'] });
  const subscription = await subscribe(databaseAsCaller(request, db), accountId, input).catch(rethrowLimitError);
  // `payload` is an empty list (docs/reference/api.md#compatible-oddities).
  const data = { ...subscriptionResource(subscription), payload: [] };
  const warnings = unknownFieldWarnings(request.body, newSubscriptionFields);
  sendSuccess(response, 'Subscription Saved Successfully', data, warnings.length > 0 ? { warnings } : {});
}

async function show({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  sendSuccess(response, 'Subscription', subscriptionResource(await requireSubscription(db, request)));
}

async function remove({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { accountId, id } = await requireSubscription(db, request);
  if (!(await unsubscribe(databaseAsCaller(request, db), accountId, id))) throw subscriptionNotFound();
  sendSuccess(response, 'Subscription Deleted successfully', []);
}

const subscriptionNotFound = () => new ApiError(404, 'Subscription not found.');

async function requireSubscription(db: Database, request: ApiRequest): Promise<Subscription> {
  const subscription = await findSubscription(db, callerOf(request).accountId, readId(request));
  if (!subscription || !canSeeWebhook(request, subscription.webhookId)) throw subscriptionNotFound();
  return subscription;
}

/** Reads the id in the path, a positive PostgreSQL integer. Throws a 404 for any other text. */
function readId({ params: { id } }: ApiRequest): number {
  const number = /^\d{1,10}$/.test(id) ? Number(id) : 0;
  if (number < 1 || number > 2_147_483_647) throw subscriptionNotFound();
  return number;
}

/** Throws a 422 for too many subscriptions. Throws any other error unchanged. */
function rethrowLimitError(error: unknown): never {
  if (!(error instanceof TooManySubscribersError)) throw error;
  throw validationError({
    event: [`An account may have at most ${maxSubscribers} subscriptions for the same event and identity.`],
  });
}
