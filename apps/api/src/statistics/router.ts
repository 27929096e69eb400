import { type Request, Router } from 'express';
import {
  type BucketRange,
  nextCoarserResolution,
  countBuckets,
  countWaiting,
  findWebhook,
  readStatistics,
  readWebhookStatistics,
  widenToBuckets,
} from '@ringback/ledger';
import type { ApiDeps } from '../deps.js';
import { callerOf } from '../http/guards/authenticate.js';
import { sendSuccess } from '../http/output/envelope.js';
import { allowOnly } from '../http/output/errors.js';
import { webhookNotFound } from '../webhooks/webhook-not-found.js';
import { webhookParams } from '../webhooks/webhook-params.js';
import { maxWebhooks, readAccountStatisticsInput, readWebhookStatisticsInput } from './input.js';
import { accountStatisticsResource, statisticsResource } from './resource.js';

// The maximum number of buckets of each webhook in an account's statistics. Only days may be more.
const targetBuckets = 60;

/** Shows the statistics of an account and of a webhook. */
export function statisticsRouter({ db }: ApiDeps): Router {
  const router = Router();
  const readAccount = async (request: Request) => {
    const { range, filter: requested } = readAccountStatisticsInput(request);
    const { accountId, webhookIds: visibleIds } = callerOf(request);
    const requestedIds = requested.webhookIds;
    const webhookIds = visibleIds && requestedIds ? requestedIds.filter(isOneOf(visibleIds)) : requestedIds;
    const filter = { ...requested, webhookIds: webhookIds ?? visibleIds };
    const webhookRange = coarsen(range);
    const limit = Math.min(maxWebhooks, Math.ceil((maxWebhooks * targetBuckets) / countBuckets(webhookRange)));
    const { resolution } = webhookRange;
    const [buckets, webhooks, waiting] = await Promise.all([
      readStatistics(db, accountId, { range, filter }),
      readWebhookStatistics(db, accountId, { range, resolution, limit, filter }),
      countWaiting(db, accountId, filter),
    ]);
    return { range, buckets, waiting, webhooks, webhookRange };
  };
  const findLiveWebhook = async (request: Request<{ id: string }>) => {
    const { accountId, id } = webhookParams(request);
    const webhook = await findWebhook(db, accountId, id);
    if (!webhook) throw webhookNotFound();
    return webhook;
  };

  router
    .route('/developer/statistics')
    .get(async (request, response) =>
      sendSuccess(response, 'Statistics', accountStatisticsResource(await readAccount(request))),
    )
    .all(allowOnly('GET', 'HEAD'));

  router
    .route('/developer/webhooks/:id/statistics')
    .get(async (request, response) => {
      const { id, accountId } = await findLiveWebhook(request);
      const { range, filter } = readWebhookStatisticsInput(request);
      const webhookIds = [id];
      const buckets = await readStatistics(db, accountId, { range, filter: { ...filter, webhookIds } });
      const waiting = await countWaiting(db, accountId, { webhookIds });
      sendSuccess(response, 'Statistics', statisticsResource({ range, buckets, waiting }));
    })
    .all(allowOnly('GET', 'HEAD'));

  return router;
}

const isOneOf = (ids: readonly string[]) => (id: string) => ids.includes(id);

/** The range in the shortest buckets, at least as long as its own, of which there are at most 60; else in days. */
function coarsen(range: BucketRange): BucketRange {
  const resolution = nextCoarserResolution(range.resolution);
  if (resolution === undefined || countBuckets(range) <= targetBuckets) return range;
  return coarsen(widenToBuckets({ ...range, resolution }));
}
