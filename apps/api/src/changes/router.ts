import { Router } from 'express';
import { listChanges } from '@ringback/database';
import type { ApiDeps } from '../deps.js';
import { callerOf } from '../http/authenticate.js';
import { cursorPageFields, readCursor } from '../http/cursor-page.js';
import { sendSuccess } from '../http/envelope.js';
import { allowOnly } from '../http/errors.js';
import { perPageForLinks, readPage } from '../http/numbered-page.js';
import { readChangeFilter } from './filter.js';
import { changeResource } from './resource.js';

/** `GET /developer/changes`: the audit log of the account. */
export function changesRouter({ db, baseUrl }: ApiDeps): Router {
  const router = Router();
  router
    .route('/developer/changes')
    .get(async (request, response) => {
      const { filter, linkQuery } = readChangeFilter(request);
      const cursor = readCursor(request);
      const page = readPage(request);
      const { accountId, webhookIds } = callerOf(request);
      const { changes, ...adjacentCursors } = await listChanges(db, accountId, { filter, webhookIds, cursor, ...page });
      const query = [...linkQuery, ...perPageForLinks(request, page)];
      const pageFields = cursorPageFields(`${baseUrl}/developer/changes`, query, { ...page, ...adjacentCursors });
      sendSuccess(response, 'OK', changes.map(changeResource), pageFields);
    })
    .all(allowOnly('GET', 'HEAD'));
  return router;
}
