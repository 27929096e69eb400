import { Router } from 'express';
import type { ApiDeps } from '../deps.js';
import { sendSuccess } from '../http/envelope.js';
import { readPreview } from './input.js';
import { previewResource } from './resource.js';

/** Renders templates. Other methods pass on to the routes of webhooks, where `preview` is an unknown id. */
export function previewRouter({ allow }: ApiDeps): Router {
  const router = Router();
  router
    .route('/developer/webhooks/preview')
    .post((request, response) => sendSuccess(response, 'OK', previewResource(readPreview(request.body, allow))))
    // Otherwise Express would answer OPTIONS itself.
    .all((_request, _response, next) => next());
  return router;
}
