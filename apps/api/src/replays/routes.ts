import type { Request, Response } from 'express';
import {
  cancelReplay,
  countDeliveries,
  type Database,
  findReplay,
  listReplays,
  type Replay,
  startReplay,
  TooManyReplaysError,
} from '@ringback/ledger';
import { callerOf, canSeeWebhook, databaseAsCaller } from '../http/authenticate.js';
import type { ApiDeps } from '../http/deps.js';
import { readWebhookIdFilter } from '../http/input.js';
import { readCursorPage, sendCursorPage } from '../http/pages.js';
import { ApiError, sendSuccess } from '../http/response.js';
import type { ApiRequest, Routes } from '../http/routes.js';
import { requireWebhook } from '../webhooks/routes.js';
import { readReplay, replayCountResource, replayResource } from './schema.js';

// Workers process all running replays in turn, so an account with many replays could delay those of other accounts.
const maxRunning = 10;

/** Counts the deliveries for a replay, and starts, lists, shows and cancels replays. */
export const replayRoutes = (deps: ApiDeps): Routes => ({
  'POST /developer/webhooks/{id}/replay': (request, response) => start(deps, request, response),
  'GET /developer/replays': (request, response) => list(deps, request, response),
  'GET /developer/replays/{id}': (request, response) => show(deps, request, response),
  'POST /developer/replays/{id}/cancel': (request, response) => cancel(deps, request, response),
});

async function start({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const webhook = await requireWebhook(db, request);
  const { accountId } = webhook;
  const { filter, dryRun, rate } = readReplay(request.body, webhook.id);
  if (dryRun) return sendSuccess(response, 'OK', replayCountResource(await countDeliveries(db, accountId, filter)));
  if (!webhook.active) throw new ApiError(409, 'The webhook is inactive.');
  const newReplay = { webhookId: webhook.id, filter, rate };
  const starting = startReplay(databaseAsCaller(request, db), accountId, newReplay, { maxRunning });
  const replay = await starting.catch((error: unknown) => {
    if (!(error instanceof TooManyReplaysError)) throw error;
    throw new ApiError(409, `${maxRunning} replays of the account are running.`);
  });
  if (!replay) throw new ApiError(409, 'A replay of this webhook is running.');
  sendSuccess(response, 'Replay started', replayResource(replay));
}

async function list({ db, baseUrl }: ApiDeps, request: Request, response: Response): Promise<void> {
  const { webhookId, linkQuery } = readWebhookIdFilter(request);
  const { accountId, webhookIds } = callerOf(request);
  const selection = { webhookId, webhookIds, ...readCursorPage(request) };
  const { replays, ...adjacentCursors } = await listReplays(db, accountId, selection);
  const data = replays.map(replayResource);
  sendCursorPage(request, response, { listUrl: `${baseUrl}/developer/replays`, linkQuery, data, ...adjacentCursors });
}

async function show({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  sendSuccess(response, 'OK', replayResource(await requireReplay(db, request)));
}

async function cancel({ db }: ApiDeps, request: ApiRequest, response: Response): Promise<void> {
  const { accountId, id } = await requireReplay(db, request);
  const replay = await cancelReplay(databaseAsCaller(request, db), accountId, id);
  if (!replay) throw replayNotFound();
  if (replay.state === 'done') throw new ApiError(409, 'The replay is done.');
  sendSuccess(response, 'Replay cancelled', replayResource(replay));
}

const replayNotFound = () => new ApiError(404, 'Replay not found.');

async function requireReplay(db: Database, request: ApiRequest): Promise<Replay> {
  const replay = await findReplay(db, callerOf(request).accountId, request.params.id);
  if (!replay || !canSeeWebhook(request, replay.webhookId)) throw replayNotFound();
  return replay;
}
