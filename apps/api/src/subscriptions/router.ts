import { type Request, Router } from 'express';
import {
  findSubscription,
  findWebhook,
  listSubscriptions,
  maxSubscribers,
  subscribe,
  TooManySubscribersError,
  unsubscribe,
} from '@ringback/ledger';
import { readWebhookIdFilter } from '../deliveries/filter.js';
import type { ApiDeps } from '../deps.js';
import { ApiError, validationError } from '../http/output/api-error.js';
import { callerOf, databaseAsCaller } from '../http/guards/authenticate.js';
import { unknownFieldWarnings } from '../http/input/validate.js';
import { sendSuccess } from '../http/output/envelope.js';
import { allowOnly } from '../http/output/errors.js';
import { canSeeWebhook } from '../webhooks/visibility.js';
import { readNumberedPage, sendNumberedPage } from '../http/pages/numbered-page.js';
import { newSubscriptionFields, readSubscription } from './input.js';
import { subscriptionResource } from './resource.js';

const subscriptionNotFound = () => new ApiError(404, 'Subscription not found.');

/** Parses the id in the path, a positive PostgreSQL integer. Throws a 404 for any other text. */
function idOf({ params: { id } }: Request<{ id: string }>): number {
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

/** Lists, creates, shows and deletes subscriptions. A subscription cannot be edited. */
export function subscriptionsRouter({ db, baseUrl }: ApiDeps): Router {
  const router = Router();
  const findVisibleSubscription = async (request: Request<{ id: string }>) => {
    const subscription = await findSubscription(db, callerOf(request).accountId, idOf(request));
    if (!subscription || !canSeeWebhook(request, subscription.webhookId)) throw subscriptionNotFound();
    return subscription;
  };

  router
    .route('/developer/subscriptions')
    .get(async (request, response) => {
      const { webhookId, linkQuery } = readWebhookIdFilter(request);
      const { accountId, webhookIds: visibleIds } = callerOf(request);
      const webhookIds = webhookId === undefined ? visibleIds : [webhookId].filter((id) => canSeeWebhook(request, id));
      const selection = { ...readNumberedPage(request), webhookIds };
      const { subscriptions, total } = await listSubscriptions(db, accountId, selection);
      const data = subscriptions.map(subscriptionResource);
      const message = 'Subscriptions List';
      sendNumberedPage(request, response, {
        message,
        listUrl: `${baseUrl}/developer/subscriptions`,
        linkQuery,
        data,
        total,
      });
    })
    .post(async (request, response) => {
      const { accountId } = callerOf(request);
      const input = readSubscription(request.body);
      if (!(await findWebhook(db, accountId, input.webhookId))) {
        throw validationError({ webhook_id: ['The selected webhook id is invalid.'] });
      }
      const subscription = await subscribe(databaseAsCaller(request, db), accountId, input).catch(rethrowLimitError);
      // The specification's example has an empty list in `payload` (docs/reference/api.md#compatible-oddities).
      const data = { ...subscriptionResource(subscription), payload: [] };
      const warnings = unknownFieldWarnings(request.body, newSubscriptionFields);
      sendSuccess(response, 'Subscription Saved Successfully', data, warnings.length > 0 ? { warnings } : {});
    })
    .all(allowOnly('GET', 'HEAD', 'POST'));

  router
    .route('/developer/subscriptions/:id')
    .get(async (request, response) =>
      sendSuccess(response, 'Subscription', subscriptionResource(await findVisibleSubscription(request))),
    )
    .delete(async (request, response) => {
      const { accountId, id } = await findVisibleSubscription(request);
      if (!(await unsubscribe(databaseAsCaller(request, db), accountId, id))) throw subscriptionNotFound();
      sendSuccess(response, 'Subscription Deleted successfully', []);
    })
    .all(allowOnly('GET', 'HEAD', 'DELETE'));

  return router;
}
