import { Router } from 'express';
import type { ApiDeps } from '../app.js';
import { answer } from '../http/envelope.js';
import { readPreview } from './input.js';
import { previewResource } from './resource.js';

/** Templates filled in. Other methods of the path are those of a webhook, of which none has this id. */
export function previewRouter({ allow }: ApiDeps): Router {
  const router = Router();
  router
    .route('/developer/webhooks/preview')
    .post((request, response) => answer(response, 'OK', previewResource(readPreview(request.body, allow))))
    // Without this, Express would answer OPTIONS itself.
    .all((_request, _response, next) => next());
  return router;
}
