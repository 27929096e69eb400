import { type Request, Router } from 'express';
import {
  cancelReplay,
  countDeliveries,
  countRunningReplays,
  findReplay,
  findWebhook,
  listReplays,
  startReplay,
} from '@ringback/ledger';
import type { ApiDeps } from '../deps.js';
import { ApiError } from '../http/output/api-error.js';
import { callerOf, databaseAsCaller } from '../http/guards/authenticate.js';
import { readCursorPage, sendCursorPage } from '../http/pages/cursor-page.js';
import { sendSuccess } from '../http/output/envelope.js';
import { allowOnly } from '../http/output/errors.js';
import { canSeeWebhook } from '../webhooks/visibility.js';
import { webhookNotFound } from '../webhooks/webhook-not-found.js';
import { webhookParams } from '../webhooks/webhook-params.js';
import { readWebhookIdFilter } from '../deliveries/filter.js';
import { readReplay } from './input.js';
import { replayCountResource, replayResource } from './resource.js';

// Workers process all running replays in turn, so an account with many replays could delay those of other accounts.
const maxRunning = 10;

const replayNotFound = () => new ApiError(404, 'Replay not found.');

/** Counts the deliveries for a replay, and starts, lists, shows and cancels replays. */
export function replaysRouter({ db, baseUrl }: ApiDeps): Router {
  const router = Router();
  router
    .route('/developer/webhooks/:id/replay')
    .post(async (request, response) => {
      const { accountId, id } = webhookParams(request);
      const webhook = await findWebhook(db, accountId, id);
      if (!webhook) throw webhookNotFound();
      const { filter, dryRun, rate } = readReplay(request.body, webhook.id);
      if (dryRun) return sendSuccess(response, 'OK', replayCountResource(await countDeliveries(db, accountId, filter)));
      if (!webhook.active) throw new ApiError(409, 'The webhook is inactive.');
      if ((await countRunningReplays(db, accountId)) >= maxRunning)
        throw new ApiError(409, `${maxRunning} replays of the account are running.`);
      const newReplay = { webhookId: webhook.id, filter, rate };
      const replay = await startReplay(databaseAsCaller(request, db), accountId, newReplay);
      if (!replay) throw new ApiError(409, 'A replay of this webhook is running.');
      sendSuccess(response, 'Replay started', replayResource(replay));
    })
    .all(allowOnly('POST'));

  router
    .route('/developer/replays')
    .get(async (request, response) => {
      const { webhookId, linkQuery } = readWebhookIdFilter(request);
      const { accountId, webhookIds } = callerOf(request);
      const selection = { webhookId, webhookIds, ...readCursorPage(request) };
      const { replays, ...adjacentCursors } = await listReplays(db, accountId, selection);
      const data = replays.map(replayResource);
      sendCursorPage(request, response, {
        listUrl: `${baseUrl}/developer/replays`,
        linkQuery,
        data,
        ...adjacentCursors,
      });
    })
    .all(allowOnly('GET', 'HEAD'));

  const findVisibleReplay = async (request: Request<{ id: string }>) => {
    const replay = await findReplay(db, callerOf(request).accountId, request.params.id);
    if (!replay || !canSeeWebhook(request, replay.webhookId)) throw replayNotFound();
    return replay;
  };
  router
    .route('/developer/replays/:id')
    .get(async (request, response) => sendSuccess(response, 'OK', replayResource(await findVisibleReplay(request))))
    .all(allowOnly('GET', 'HEAD'));
  router
    .route('/developer/replays/:id/cancel')
    .post(async (request, response) => {
      const { accountId, id } = await findVisibleReplay(request);
      const replay = await cancelReplay(databaseAsCaller(request, db), accountId, id);
      if (!replay) throw replayNotFound();
      if (replay.state === 'done') throw new ApiError(409, 'The replay is done.');
      sendSuccess(response, 'Replay cancelled', replayResource(replay));
    })
    .all(allowOnly('POST'));
  return router;
}
