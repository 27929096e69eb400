import type { Request, Response } from 'express';
import { listChanges } from '@ringback/ledger';
import { callerOf } from '../http/authenticate.js';
import type { ApiDeps } from '../http/deps.js';
import { readCursorPage, sendCursorPage } from '../http/pages.js';
import type { Routes } from '../http/routes.js';
import { changeResource, readChangeFilter } from './schema.js';

export const changeRoutes = (deps: ApiDeps): Routes => ({
  'GET /developer/changes': (request, response) => list(deps, request, response),
});

async function list({ db, baseUrl }: ApiDeps, request: Request, response: Response): Promise<void> {
  const { filter, linkQuery } = readChangeFilter(request);
  const { accountId, webhookIds } = callerOf(request);
  const selection = { filter, webhookIds, ...readCursorPage(request) };
  const { changes, ...adjacentCursors } = await listChanges(db, accountId, selection);
  const data = changes.map(changeResource);
  sendCursorPage(request, response, { listUrl: `${baseUrl}/developer/changes`, linkQuery, data, ...adjacentCursors });
}
