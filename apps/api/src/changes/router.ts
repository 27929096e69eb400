import { Router } from 'express';
import { listChanges } from '@ringback/ledger';
import type { ApiDeps } from '../deps.js';
import { callerOf } from '../http/guards/authenticate.js';
import { readCursorPage, sendCursorPage } from '../http/pages/cursor-page.js';
import { allowOnly } from '../http/output/errors.js';
import { readChangeFilter } from './filter.js';
import { changeResource } from './resource.js';

/** `GET /developer/changes`: the change history of the account. */
export function changesRouter({ db, baseUrl }: ApiDeps): Router {
  const router = Router();
  router
    .route('/developer/changes')
    .get(async (request, response) => {
      const { filter, linkQuery } = readChangeFilter(request);
      const { accountId, webhookIds } = callerOf(request);
      const selection = { filter, webhookIds, ...readCursorPage(request) };
      const { changes, ...adjacentCursors } = await listChanges(db, accountId, selection);
      const data = changes.map(changeResource);
      sendCursorPage(request, response, {
        listUrl: `${baseUrl}/developer/changes`,
        linkQuery,
        data,
        ...adjacentCursors,
      });
    })
    .all(allowOnly('GET', 'HEAD'));
  return router;
}
