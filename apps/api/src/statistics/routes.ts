import type { Request, Response } from 'express';
import { countBuckets, countWaiting, readStatistics, readWebhookStatistics } from '@ringback/ledger';
import { callerOf } from '../http/authenticate.js';
import type { ApiDeps } from '../http/deps.js';
import { sendSuccess } from '../http/response.js';
import type { ApiRequest, Routes } from '../http/routes.js';
import { requireWebhook } from '../webhooks/routes.js';
import {
  coarsen,
  maxWebhookBuckets,
  maxWebhooks,
  readAccountStatisticsInput,
  readWebhookStatisticsInput,
} from './range.js';
import { accountStatisticsResource, statisticsResource } from './schema.js';

export const statisticsRoutes = (deps: ApiDeps): Routes => ({
  'GET /developer/statistics': (request, response) => showAccount(deps, request, response),
  'GET /developer/webhooks/{id}/statistics': (request, response) => showWebhook(deps, request, response),
});

async function showAccount({ db }: ApiDeps, request: Request, response: Response): Promise<void> {
  const { range, filter: requested } = readAccountStatisticsInput(request);
  const { accountId, webhookIds: visibleIds } = callerOf(request);
  const requestedIds = requested.webhookIds;
  const webhookIds =
    visibleIds && requestedIds ? requestedIds.filter((id) => visibleIds.includes(id)) : (requestedIds ?? visibleIds);
  const filter = { ...requested, webhookIds };
  const webhookRange = coarsen(range);
  const limit = Math.min(maxWebhooks, Math.ceil((maxWebhooks * maxWebhookBuckets) / countBuckets(webhookRange)));
  const { resolution } = webhookRange;
  const [buckets, webhooks, waiting] = await Promise.all([
    readStatistics(db, accountId, { range, filter }),
    readWebhookStatistics(db, accountId, { range, resolution, limit, filter }),
    countWaiting(db, accountId, filter),
  ]);
  const data = accountStatisticsResource({ range, buckets, waiting, webhooks, webhookRange });
  sendSuccess(response, 'Statistics', data);
}

async function showWebhook({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { id, accountId } = await requireWebhook(db, request);
  const { range, filter } = readWebhookStatisticsInput(request);
  const webhookIds = [id];
  const buckets = await readStatistics(db, accountId, { range, filter: { ...filter, webhookIds } });
  const waiting = await countWaiting(db, accountId, { webhookIds });
  sendSuccess(response, 'Statistics', statisticsResource({ range, buckets, waiting }));
}
