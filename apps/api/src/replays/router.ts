import { type Request, Router } from 'express';
import {
  cancelReplay,
  countDeliveries,
  countRunningReplays,
  findReplay,
  findWebhook,
  listReplays,
  startReplay,
} from '@ringback/database';
import type { ApiDeps } from '../app.js';
import { ApiError } from '../http/api-error.js';
import { callerOf, inNameOf } from '../http/authenticate.js';
import { describeCursorPage, readCursor } from '../http/cursor-page.js';
import { answer } from '../http/envelope.js';
import { allowOnly } from '../http/errors.js';
import { keptPerPage, readPage } from '../http/page.js';
import { webhookNotFound, whichWebhook } from '../webhooks/router.js';
import { readReplay, readReplayFilter } from './input.js';
import { replayResource } from './resource.js';

// They are taken on in turn, so that those of one account would hold up everybody's.
const mostRunning = 10;

const replayNotFound = () => new ApiError(404, 'Replay not found.');

/** Sending many deliveries of a webhook again: counting them, starting, listing, progress, cancelling. */
export function replaysRouter({ db, baseUrl }: ApiDeps): Router {
  const router = Router();
  router
    .route('/developer/webhooks/:id/replay')
    .post(async (request, response) => {
      const { accountId, id } = whichWebhook(request);
      const webhook = await findWebhook(db, accountId, id);
      if (!webhook) throw webhookNotFound();
      const { filter, dryRun, rate } = readReplay(request.body, webhook.id);
      if (dryRun) return answer(response, 'OK', await countDeliveries(db, accountId, filter));
      if (!webhook.active) throw new ApiError(409, 'The webhook is inactive.');
      if ((await countRunningReplays(db, accountId)) >= mostRunning)
        throw new ApiError(409, `${mostRunning} replays of the account are running.`);
      const wanted = { webhookId: webhook.id, filter, rate };
      const replay = await startReplay(inNameOf(request, db), accountId, wanted);
      if (!replay) throw new ApiError(409, 'A replay of this webhook is running.');
      answer(response, 'Replay started', replayResource(replay));
    })
    .all(allowOnly('POST'));

  router
    .route('/developer/replays')
    .get(async (request, response) => {
      const { webhookId, kept } = readReplayFilter(request);
      const page = { cursor: readCursor(request), ...readPage(request) };
      const { replays, ...places } = await listReplays(db, callerOf(request).accountId, { webhookId, ...page });
      const keep = [...kept, ...keptPerPage(request, page)];
      const more = describeCursorPage(`${baseUrl}/developer/replays`, keep, { ...page, ...places });
      answer(response, 'OK', replays.map(replayResource), more);
    })
    .all(allowOnly('GET', 'HEAD'));

  const which = (request: Request<{ id: string }>) => [callerOf(request).accountId, request.params.id] as const;
  router
    .route('/developer/replays/:id')
    .get(async (request, response) => {
      const replay = await findReplay(db, ...which(request));
      if (!replay) throw replayNotFound();
      answer(response, 'OK', replayResource(replay));
    })
    .all(allowOnly('GET', 'HEAD'));
  router
    .route('/developer/replays/:id/cancel')
    .post(async (request, response) => {
      const replay = await cancelReplay(inNameOf(request, db), ...which(request));
      if (!replay) throw replayNotFound();
      if (replay.state === 'done') throw new ApiError(409, 'The replay is done.');
      answer(response, 'Replay cancelled', replayResource(replay));
    })
    .all(allowOnly('POST'));
  return router;
}
