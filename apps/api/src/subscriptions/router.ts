import { type Request, Router } from 'express';
import {
  findSubscription,
  findWebhook,
  listSubscriptions,
  mostSubscribers,
  subscribe,
  TooManySubscribersError,
  unsubscribe,
} from '@ringback/database';
import type { ApiDeps } from '../app.js';
import { ApiError, validationError } from '../http/api-error.js';
import { callerOf, inNameOf } from '../http/authenticate.js';
import { answer } from '../http/envelope.js';
import { allowOnly } from '../http/errors.js';
import { describePage, keptPerPage, readPage } from '../http/page.js';
import { allowFilters } from '../http/query.js';
import { readSubscription } from './input.js';
import { subscriptionResource } from './resource.js';

const notFound = () => new ApiError(404, 'Subscription not found.');

/** Ids are whole numbers within PostgreSQL's integer; anything else is an id that nothing has. */
function idOf({ params: { id } }: Request<{ id: string }>): number {
  const number = /^\d{1,10}$/.test(id) ? Number(id) : 0;
  if (number < 1 || number > 2_147_483_647) throw notFound();
  return number;
}

function refuseWhenFull(error: unknown): never {
  if (!(error instanceof TooManySubscribersError)) throw error;
  throw validationError({ event: [`An event may have at most ${mostSubscribers} subscriptions for one identity.`] });
}

/** Listing, making, showing and deleting subscriptions. There is no edit. */
export function subscriptionsRouter({ db, baseUrl }: ApiDeps): Router {
  const router = Router();

  router
    .route('/developer/subscriptions')
    .get(async (request, response) => {
      allowFilters(request);
      const page = readPage(request);
      const { subscriptions, total } = await listSubscriptions(db, callerOf(request).accountId, page);
      const counts = { ...page, total, count: subscriptions.length };
      const more = describePage(`${baseUrl}/developer/subscriptions`, keptPerPage(request, page), counts);
      answer(response, 'Subscriptions List', subscriptions.map(subscriptionResource), more);
    })
    .post(async (request, response) => {
      const { accountId } = callerOf(request);
      const wanted = readSubscription(request.body);
      if (!(await findWebhook(db, accountId, wanted.webhookId))) {
        throw validationError({ webhook_id: ['The selected webhook id is invalid.'] });
      }
      const subscription = await subscribe(inNameOf(request, db), accountId, wanted).catch(refuseWhenFull);
      answer(response, 'Subscription Saved Successfully', { ...subscriptionResource(subscription), payload: [] });
    })
    .all(allowOnly('GET', 'HEAD', 'POST'));

  router
    .route('/developer/subscriptions/:id')
    .get(async (request, response) => {
      const subscription = await findSubscription(db, callerOf(request).accountId, idOf(request));
      if (!subscription) throw notFound();
      answer(response, 'Subscription', subscriptionResource(subscription));
    })
    .delete(async (request, response) => {
      const { accountId } = callerOf(request);
      if (!(await unsubscribe(inNameOf(request, db), accountId, idOf(request)))) throw notFound();
      answer(response, 'Subscription Deleted successfully', []);
    })
    .all(allowOnly('GET', 'HEAD', 'DELETE'));

  return router;
}
