import { Router } from 'express';
import { listChanges } from '@ringback/database';
import type { ApiDeps } from '../app.js';
import { callerOf } from '../http/authenticate.js';
import { describeCursorPage, readCursor } from '../http/cursor-page.js';
import { answer } from '../http/envelope.js';
import { allowOnly } from '../http/errors.js';
import { keptPerPage, readPage } from '../http/page.js';
import { readChangeFilter } from './filter.js';
import { changeResource } from './resource.js';

/** `GET /developer/changes`: who did what, when. */
export function changesRouter({ db, baseUrl }: ApiDeps): Router {
  const router = Router();
  router
    .route('/developer/changes')
    .get(async (request, response) => {
      const { filter, kept } = readChangeFilter(request);
      const cursor = readCursor(request);
      const page = readPage(request);
      const { accountId } = callerOf(request);
      const { changes, ...places } = await listChanges(db, accountId, { filter, cursor, ...page });
      const keep = [...kept, ...keptPerPage(request, page)];
      const more = describeCursorPage(`${baseUrl}/developer/changes`, keep, { ...page, ...places });
      answer(response, 'OK', changes.map(changeResource), more);
    })
    .all(allowOnly('GET', 'HEAD'));
  return router;
}
